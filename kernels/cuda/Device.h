// The words of CUDA that the kernels here use. They are compiled by clang
// alone, without CUDA's headers and libraries.
#ifndef SMEX_KERNELS_CUDA_DEVICE_H
#define SMEX_KERNELS_CUDA_DEVICE_H

#if !defined(__CUDACC__) || defined(__clang__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#endif

namespace smex::cuda {

/// The number of this thread among those along x, and how many these are.
__device__ inline long long thread() {
  return (long long)__nvvm_read_ptx_sreg_ctaid_x() *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
__device__ inline long long threads() {
  return (long long)__nvvm_read_ptx_sreg_nctaid_x() *
         __nvvm_read_ptx_sreg_ntid_x();
}
__device__ inline int row() { return __nvvm_read_ptx_sreg_ctaid_y(); }

} // namespace smex::cuda

#endif
