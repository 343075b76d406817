#include "runtime/backends/Backend.h"

#include "runtime/backends/cpu/CpuBackend.h"
#include "runtime/backends/cuda/CudaBackend.h"
#include "runtime/backends/reference/ReferenceBackend.h"
#include "runtime/plan/Target.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

Result<std::unique_ptr<Backend>> runtime::makeBackend(const std::string &name) {
  if (name == "cpu")
    return makeCpuBackend();
  if (name == "reference")
    return makeReferenceBackend();
  if (name == "cuda")
    return makeCudaBackend();
  return Error{"there is no backend \"" + name +
                   "\": auto, cpu, cuda or reference",
               Fault::Usage};
}

Result<std::unique_ptr<Backend>>
runtime::backendFor(const std::string &name, const plan::Plan &plan,
                    const std::function<void(const std::string &)> &note) {
  // Asking the driver takes time, so only plans with code for GPUs do.
  const bool isForGpus = std::any_of(
      plan.code.begin(), plan.code.end(), [](const plan::Artifact &each) {
        return plan::kindOf(each.target) == plan::TargetKind::Cuda;
      });
  if (name == "auto" && isForGpus) {
    auto gpus = makeBackend("cuda");
    const Status accepted =
        gpus ? (*gpus)->accepts(plan) : Status(gpus.error());
    if (accepted)
      return gpus;
    if (note && (gpus || !isGpuAbsent()))
      note("runs on the processor: " + accepted.error().message);
  }
  auto backend = makeBackend(name == "auto" ? "cpu" : name);
  if (!backend)
    return backend;
  if (Status accepted = (*backend)->accepts(plan); !accepted)
    return accepted.takeError();
  return backend;
}
