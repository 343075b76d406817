#include "runtime/backends/cpu/CpuBackend.h"

#include "dialects/support/Program.h"
#include "runtime/backends/cpu/CpuWorker.h"

#include <algorithm>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
std::string mebibytes(int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

/// Of the architectures' names only the levels tell what they need; others are
/// taken on trust.
bool runsHere(const std::string &architecture) {
#if defined(__x86_64__)
  if (architecture == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2");
  if (architecture == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  if (architecture == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
  return true;
#else
  return architecture.compare(0, 6, "x86-64") != 0;
#endif
}

class CpuBackend : public Backend {
public:
  std::string name() const override { return "cpu"; }

  Status accepts(const plan::Plan &plan) const override {
    if (plan.kernels.empty() || runsHere(plan.cpuArch))
      return {};
    Error error = fail("the plan's kernels are for ", plan.cpuArch,
                       " processors, which this machine has not; compile it "
                       "with smexc --cpu-arch for a lower level");
    error.fault = Fault::Environment;
    return error;
  }

  Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const std::string &kernels,
       int threads) override {
    auto object = KernelObject::load(kernels);
    if (!object)
      return object.takeError();
    auto shared = std::make_shared<CpuProgram>(
        CpuProgram{partitioned, std::move(*object), {}, {}});
    for (const plan::Kernel &kernel : partitioned.program.kernels) {
      auto lambda = tdl::parseLambda(kernel.lambda);
      if (!lambda)
        return lambda.takeError();
      shared->lambdas.push_back(std::move(*lambda));
    }
    const int count = int(partitioned.workers.size());
    const int cores = int(std::max(1u, std::thread::hardware_concurrency()));
    const int each = threads > 0 ? threads : std::max(1, cores / count);
    if (Status reserved = reserve(*shared, count * each); !reserved)
      return reserved.takeError();

    std::vector<std::unique_ptr<DeviceWorker>> workers;
    for (int worker = 0; worker < count; ++worker)
      workers.push_back(std::make_unique<CpuWorker>(shared, worker, each));
    return workers;
  }

private:
  /// Pages become real when they are touched, far too late for a message: so
  /// the sum of all arenas, which share one machine, is compared first.
  static Status reserve(CpuProgram &shared, int threads) {
    double total = 0;
    for (const plan::Worker &worker : shared.partitioned.workers)
      total += double(worker.arenaBytes);
    const int64_t available = availableMemory(threads);
    if (total > double(available)) {
      const size_t count = shared.partitioned.workers.size();
      Error error =
          fail("the plan needs ", mebibytes(int64_t(total)), " of memory for ",
               count, count == 1 ? " worker" : " workers", "; ",
               mebibytes(available), " are free on this machine",
               isAddressSpaceLimited() ? " and within ulimit -v" : "");
      error.fault = Fault::Environment;
      return error;
    }
    for (const plan::Worker &worker : shared.partitioned.workers) {
      auto arena = Arena::reserve(worker.arenaBytes);
      if (!arena)
        return arena.takeError();
      shared.arenas.push_back(std::move(*arena));
    }
    return {};
  }
};
} // namespace

std::unique_ptr<Backend> runtime::makeCpuBackend() {
  return std::make_unique<CpuBackend>();
}
