// What the executor asks of a device. A backend holds the arenas of all workers
// of one program and runs their instructions; when an instruction may start is
// the executor's business.
#ifndef SMEX_RUNTIME_BACKENDS_BACKEND_H
#define SMEX_RUNTIME_BACKENDS_BACKEND_H

#include "dialects/support/Result.h"
#include "runtime/plan/Plan.h"

#include <functional>
#include <memory>

namespace smex::runtime {

/// One worker of a program on a device. All calls come from one thread, the
/// worker's own, in the order: start, write.., bind, then run, write and read.
class DeviceWorker {
public:
  virtual ~DeviceWorker() = default;

  virtual Status start() = 0;
  /// Writes `bytes` bytes of the arena: `fill` stores them at the address that
  /// it is given.
  virtual Status write(int64_t offset, int64_t bytes,
                       const std::function<Status(std::byte *)> &fill) = 0;
  /// Shows `use` `bytes` bytes of the arena.
  virtual Status read(int64_t offset, int64_t bytes,
                      const std::function<void(const std::byte *)> &use) = 0;
  /// Makes every instruction ready to run; parameters are in place by then.
  virtual Status bind() = 0;
  /// Runs an instruction to its end and returns the bytes that it read from
  /// other workers.
  virtual Result<int64_t> run(int instruction) = 0;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;

  /// Whether this machine can run the plan's kernels at all.
  virtual Status accepts(const plan::Plan &plan) const = 0;

  /// A DeviceWorker per worker, its arena reserved but not touched. `kernels`
  /// is the plan's kernels.so; `threads` is the number of host threads per
  /// worker, 0 for the cores shared evenly. Program and kernels must outlive
  /// the result.
  virtual Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const std::string &kernels,
       int threads) = 0;
};

/// "auto", "cpu" or "cuda"; one that is not built in or finds no device is
/// Fault::Environment.
Result<std::unique_ptr<Backend>> makeBackend(const std::string &name);

} // namespace smex::runtime

#endif
