#include "runtime/backends/cuda/Library.h"

#include "runtime/backends/cuda/Blas.h"
#include "runtime/backends/cuda/dnn/Convolution.h"
#include "runtime/backends/cuda/dnn/Dnn.h"

using namespace smex;
using namespace smex::cuda;
using plan::KernelKind;

Status cuda::loadLibraryFor(KernelKind kind, const Driver &driver) {
  switch (kind) {
  case KernelKind::Contraction: {
    const auto blas = Blas::get(driver);
    return blas ? Status() : Status(blas.error());
  }
  case KernelKind::Convolution:
  case KernelKind::ConvolutionData:
  case KernelKind::ConvolutionFilter: {
    const auto loaded = dnn::Dnn::get();
    return loaded ? Status() : loaded.error();
  }
  case KernelKind::Generated:
  case KernelKind::Reference:
    break;
  }
  return fail("no library has kernels of this kind for GPUs");
}

Result<std::unique_ptr<LibraryCall>>
cuda::bindLibrary(const LibraryBinding &binding) {
  switch (binding.kernel.kind) {
  case KernelKind::Contraction:
    return bindMatrixProduct(binding);
  case KernelKind::Convolution:
  case KernelKind::ConvolutionData:
  case KernelKind::ConvolutionFilter:
    return dnn::bindConvolution(binding);
  case KernelKind::Generated:
  case KernelKind::Reference:
    break;
  }
  return fail("no kernel for GPUs computes \"", binding.kernel.lambda, "\"");
}
