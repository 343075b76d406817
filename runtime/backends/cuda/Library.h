// Compute instructions that a library of CUDA does instead of the plan's code:
// which library that is follows from the kernel's kind, as
// runtime/plan/Target.h has it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_LIBRARY_H
#define SMEX_RUNTIME_BACKENDS_CUDA_LIBRARY_H

#include "dialects/tdl/analysis/Epilogue.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/backends/cuda/Choices.h"
#include "runtime/backends/cuda/Gpu.h"
#include "runtime/plan/Plan.h"

namespace smex::cuda {

/// A worker's buffer: where on its GPU, which part of which tensor.
struct DeviceBuffer {
  Address address = 0;
  Box box;         // dense, row-major
  TensorType type; // of the whole tensor; its elements are the buffer's
};

/// A map that follows a product of matrices and is to be done with it
/// (runtime/plan/Epilogue.h). Its result lies where the product's does.
struct EpilogueBinding {
  analysis::Epilogue what;
  DeviceBuffer bias; // of an epilogue that has one
  Box biasRegion;    // what is read of it
};

/// A compute instruction of one worker.
struct LibraryBinding {
  const plan::Kernel &kernel;
  const tdl::Lambda &lambda;
  Box indices; // this worker's part; the output part is not empty
  DeviceBuffer result;
  std::vector<DeviceBuffer> operands;
  /// The worker's scratch memory, for one call at a time.
  Address workspace = 0;
  int64_t workspaceBytes = 0;
  const Gpu &gpu; // its context is current
  /// Where the library's choice of an algorithm is looked up and kept.
  Choices &choices;
  /// Only algorithms whose results are the same each time.
  bool reproducible = false;
  /// Of a product of matrices, what is done with it, if anything.
  std::optional<EpilogueBinding> epilogue = std::nullopt;
};

/// An instruction made ready, on the worker's buffers.
class LibraryCall {
public:
  virtual ~LibraryCall() = default;
  /// Puts it on the stream, whose GPU's context is current; the host waits for
  /// nothing, and nothing is allocated.
  virtual Status submit(Stream stream) = 0;
};

/// Loads the library that has kernels of this kind, if it is not loaded yet.
/// Fault::Environment, in one message: it is missing, of another major version,
/// too new for the driver, or lacks an entry point.
Status loadLibraryFor(plan::KernelKind kind, const Driver &driver);

/// loadLibraryFor() has found the library. Null: it has the computation, but
/// not with this epilogue, in one call.
Result<std::unique_ptr<LibraryCall>> bindLibrary(const LibraryBinding &binding);

// One per library.
Result<std::unique_ptr<LibraryCall>>
bindMatrixProduct(const LibraryBinding &binding); // BlasCall.cpp

} // namespace smex::cuda

#endif
