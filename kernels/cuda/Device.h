// The words of CUDA that the kernels here use. Clang compiles them alone,
// without CUDA's headers and libraries; nvcc, which has its own words, does
// too.
#ifndef SMEX_KERNELS_CUDA_DEVICE_H
#define SMEX_KERNELS_CUDA_DEVICE_H

#if !defined(__NVCC__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
// Of what a pointer points to: it is in a GPU's memory, not a block's.
#define SMEX_GLOBAL __attribute__((address_space(1)))
#else
#define SMEX_GLOBAL
#endif

// What a kernel is made of. A call would copy the kernel's arguments.
#define SMEX_INLINE __device__ inline __attribute__((always_inline))

namespace smex::cuda {

/// 16 bytes, which one instruction loads or stores. Of a struct, clang makes
/// two.
#if defined(__NVCC__)
using Unit16 = ulonglong2;
#else
typedef unsigned long long Unit16 __attribute__((ext_vector_type(2)));
#endif

#if defined(__NVCC__)
__device__ inline long long block() { return blockIdx.x; }
__device__ inline long long blocks() { return gridDim.x; }
__device__ inline long long row() { return blockIdx.y; }
__device__ inline long long rows() { return gridDim.y; }
__device__ inline int sizeOfBlock() { return int(blockDim.x); }
__device__ inline int inBlock() { return int(threadIdx.x); }
#else
__device__ inline long long block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ inline long long blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
__device__ inline long long row() { return __nvvm_read_ptx_sreg_ctaid_y(); }
__device__ inline long long rows() { return __nvvm_read_ptx_sreg_nctaid_y(); }
__device__ inline int sizeOfBlock() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ inline int inBlock() { return __nvvm_read_ptx_sreg_tid_x(); }
#endif

/// The number of this thread among those along x, and how many these are.
__device__ inline long long thread() {
  return block() * sizeOfBlock() + inBlock();
}
__device__ inline long long threads() { return blocks() * sizeOfBlock(); }

} // namespace smex::cuda

#endif
