// One GPU: its context, the memory that its workers have of it, and the code
// that is loaded there.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_GPU_H
#define SMEX_RUNTIME_BACKENDS_CUDA_GPU_H

#include "runtime/backends/cuda/Driver.h"
#include "runtime/backends/cuda/HostWaits.h"
#include "runtime/plan/Plan.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace smex::cuda {

/// What can be asked of a GPU before anything is done there.
struct GpuInfo {
  std::string name;
  int major = 0, minor = 0; // compute capability
  int multiprocessors = 0;

  int capability() const { return 10 * major + minor; }
};
Result<GpuInfo> gpuInfo(const Driver &driver, int number);

/// Code as the driver compiles it from PTX.
class LoadedCode {
public:
  /// The GPU's context is current. `what` names the code in messages, beside
  /// what the driver's compiler says.
  static Result<std::unique_ptr<LoadedCode>>
  load(const Driver &driver, const std::string &ptx, const std::string &what);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;

  Result<Function> find(const std::string &symbol) const;

private:
  LoadedCode(const Driver &driver, Module module, std::string what)
      : driver(driver), module(module), what(std::move(what)) {}

  const Driver &driver;
  Module module;
  std::string what;
};

class Gpu {
public:
  /// Takes the GPU's primary context, which is current afterwards. Whoever
  /// waits for the GPU is entered in `waits`.
  static Result<std::unique_ptr<Gpu>>
  open(const Driver &driver, int number,
       std::shared_ptr<HostWaits> waits = std::make_shared<HostWaits>());
  ~Gpu();
  Gpu(const Gpu &) = delete;

  /// Makes its context that of the calling thread.
  Status enter() const;
  /// Whether it can be used after an error: some errors are returned by every
  /// call from then on. Its context is current afterwards.
  Status answers() const;

  // All waits of the host for this GPU, whose context is current; what an error
  // says begins with what is waited for.
  /// Returns when the stream has done what it has.
  Status synchronize(Stream stream, HostWait what) const;
  /// Copies from and to memory of the host that need not be pinned, behind what
  /// the stream has, and returns when that is done.
  Status write(Address to, const void *from, size_t bytes, Stream stream,
               HostWait what) const;
  Status read(void *to, Address from, size_t bytes, Stream stream,
              HostWait what) const;

  /// One allocation, for the arenas of all of its workers and for what their
  /// launches read; Fault::Environment, with what is free, where it does not
  /// fit. `workers`: how many share it, for the message. At most once.
  Status allocate(int64_t bytes, size_t workers = 1);
  Address memory() const { return address; }
  /// Lets kernels here read the other's memory. False: the machine cannot.
  Result<bool> reach(const Gpu &other) const;
  Status load(const std::string &ptx, const std::string &what);
  /// A library's handle on this GPU, whose context is current: made when it is
  /// first asked for. The context outlives it.
  Result<void *>
  handleOf(const std::string &library,
           const std::function<Result<std::shared_ptr<void>>()> &make) const;

  const Driver &driver;
  const int number;
  const GpuInfo info;
  /// What of the plan's code is for this GPU, which need not be what is for
  /// others; null: the plan needs none. `code` is it, loaded.
  const plan::Artifact *artifact = nullptr;
  std::unique_ptr<LoadedCode> code;
  std::unique_ptr<LoadedCode> own; // kernels/cuda

private:
  Gpu(const Driver &driver, int number, GpuInfo info, Context context,
      std::shared_ptr<HostWaits> waits)
      : driver(driver), number(number), info(std::move(info)), context(context),
        waits(std::move(waits)) {}
  Status check(Code code, const char *what) const;

  Context context;
  const std::shared_ptr<HostWaits> waits;
  Address address = 0;
  mutable std::mutex mutex; // of these
  mutable std::map<std::string, std::shared_ptr<void>> handles;
};

} // namespace smex::cuda

#endif
