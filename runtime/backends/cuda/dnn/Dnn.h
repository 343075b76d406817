// cuDNN, loaded when a plan needs it: smex-run runs on machines that have none.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_DNN_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_DNN_H

#include "runtime/backends/cuda/Gpu.h"
#include "runtime/backends/cuda/dnn/Api.h"

#include <mutex>

namespace smex::cuda::dnn {

class Dnn : public Entries {
public:
  /// The library of this process. Fault::Environment, in one message: it, or
  /// one of its parts, is missing, of another major version, or lacks an entry
  /// point.
  static Result<const Dnn *> get();

  /// "cuDNN 9.13.0"
  std::string name() const;

  /// An error that names what was tried and what the library says of it.
  Status check(Code code, const std::string &what) const;

private:
  Status load();

  runtime::SharedLibrary library;
};

/// What cuDNN keeps for the calls of one worker. Threads may call it at once.
class WorkerHandle {
public:
  /// Workers are told apart by their scratch memory; the GPU's context is
  /// current. Calls that are bound to the same worker have the same handle.
  static Result<std::shared_ptr<WorkerHandle>>
  of(const Dnn &dnn, const Gpu &gpu, Address workspace);
  ~WorkerHandle();
  WorkerHandle(const WorkerHandle &) = delete;

  /// Calls `use` with the handle, whose work goes to the stream.
  template <typename Use> Status with(Stream stream, const Use &use) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!isSet || stream != current) {
      if (Status set =
              dnn.check(dnn.setStream(handle, stream), "cudnnSetStream");
          !set)
        return set;
      isSet = true;
      current = stream;
    }
    return use(handle);
  }
  /// For questions that put no work on a stream.
  Handle get() const { return handle; }

private:
  WorkerHandle(const Dnn &dnn, const Gpu &gpu, Handle handle)
      : dnn(dnn), gpu(gpu), handle(handle) {}

  const Dnn &dnn;
  const Gpu &gpu;
  Handle handle;
  std::mutex mutex;
  bool isSet = false;
  Stream current = nullptr;
};

} // namespace smex::cuda::dnn

#endif
