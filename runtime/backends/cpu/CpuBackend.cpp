#include "runtime/backends/cpu/CpuBackend.h"

#include "runtime/backends/cpu/CpuWorker.h"
#include "runtime/backends/host/Arenas.h"

#include <algorithm>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
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
       const std::vector<int> &workers, Transport &transport,
       const DeviceOptions &options) override {
    auto object = KernelObject::load(kernels);
    if (!object)
      return object.takeError();
    std::vector<tdl::Lambda> lambdas;
    for (const plan::Kernel &kernel : partitioned.program.kernels) {
      auto lambda = tdl::parseLambda(kernel.lambda);
      if (!lambda)
        return lambda.takeError();
      lambdas.push_back(std::move(*lambda));
    }
    const int count = int(workers.size());
    const int cores = int(std::max(1u, std::thread::hardware_concurrency()));
    const int each =
        options.threads > 0 ? options.threads : std::max(1, cores / count);
    auto arenas = reserveArenas(partitioned, workers, count * each);
    if (!arenas)
      return arenas.takeError();
    const auto shared = std::make_shared<CpuProgram>(
        CpuProgram{partitioned, transport, options, std::move(*object),
                   std::move(lambdas), std::move(*arenas)});
    std::vector<std::unique_ptr<DeviceWorker>> devices;
    for (size_t w = 0; w < workers.size(); ++w)
      devices.push_back(
          std::make_unique<CpuWorker>(shared, workers[w], w, each));
    return devices;
  }
};
} // namespace

std::unique_ptr<Backend> runtime::makeCpuBackend() {
  return std::make_unique<CpuBackend>();
}
