#include "runtime/backends/cpu/CpuBackend.h"

#include "runtime/backends/cpu/CpuWorker.h"
#include "runtime/backends/host/Arenas.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {
/// How much of a processor the target asks for, where its name says so; 0 where
/// this machine lacks it. Of other names it is taken on trust that they fit.
int levelHere(const std::string &target) {
  if (plan::kindOf(target) != plan::TargetKind::Cpu)
    return 0;
#if defined(__x86_64__)
  if (target == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2") ? 2 : 0;
  if (target == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3") ? 3 : 0;
  if (target == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4") ? 4 : 0;
  return 1;
#else
  return target.compare(0, 6, "x86-64") != 0 ? 1 : 0;
#endif
}

/// The code that makes the most of this machine, or null.
const plan::Artifact *bestHere(const plan::Code &code) {
  const plan::Artifact *best = nullptr;
  int most = 0;
  for (const plan::Artifact &each : code)
    if (const int level = levelHere(each.target); level > most) {
      most = level;
      best = &each;
    }
  return best;
}

class CpuBackend : public Backend {
public:
  std::string name() const override { return "cpu"; }

  Status accepts(const plan::Plan &plan) const override {
    const bool hasCode = std::any_of(
        plan.code.begin(), plan.code.end(),
        [](const plan::Artifact &each) { return !each.bytes.empty(); });
    if (!hasCode || bestHere(plan.code))
      return {};
    std::string targets;
    for (const plan::Artifact &each : plan.code)
      targets += (targets.empty() ? "" : ", ") + each.target;
    Error error = fail("the plan's kernels are for ", targets,
                       " processors, which this machine has not; compile it "
                       "with smexc --cpu-arch for a lower level");
    error.fault = Fault::Environment;
    return error;
  }

  Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const plan::Code &code,
       const std::vector<int> &workers, Transport &transport,
       const DeviceOptions &options) override {
    const plan::Artifact *best = bestHere(code);
    auto object = KernelObject::load(best ? *best : plan::Artifact());
    if (!object)
      return object.takeError();
    auto lambdas = plan::lambdasOf(partitioned.program);
    if (!lambdas)
      return lambdas.takeError();
    const int count = int(workers.size());
    const int cores = int(std::max(1u, std::thread::hardware_concurrency()));
    const int each =
        options.threads > 0 ? options.threads : std::max(1, cores / count);
    auto arenas = reserveArenas(partitioned, workers, count * each);
    if (!arenas)
      return arenas.takeError();
    const auto shared = std::make_shared<CpuProgram>(CpuProgram{
        partitioned, transport, options, best ? best->target : std::string(),
        std::move(*object), std::move(*lambdas), std::move(*arenas)});
    if (options.oneAtATime && count * each > cores)
      shared->turn = std::make_unique<std::mutex>();
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
