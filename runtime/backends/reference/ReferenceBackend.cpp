#include "runtime/backends/reference/ReferenceBackend.h"

#include "runtime/backends/host/Arenas.h"
#include "runtime/backends/reference/ReferenceWorker.h"
#include "runtime/plan/Regions.h"

using namespace smex;
using namespace smex::runtime;

namespace {
class ReferenceBackend : public Backend {
public:
  std::string name() const override { return "reference"; }

  /// Kernels are not run, so it does not matter what they are for.
  Status accepts(const plan::Plan &) const override { return {}; }

  Result<std::vector<std::unique_ptr<DeviceWorker>>>
  open(const plan::Partitioned &partitioned, const plan::Code &,
       const std::vector<int> &workers, Transport &transport,
       const DeviceOptions &options) override {
    auto arenas = reserveArenas(partitioned, workers, int(workers.size()));
    if (!arenas)
      return arenas.takeError();
    const auto shared = std::make_shared<ReferenceProgram>(
        ReferenceProgram{partitioned, transport, options, {}, {}, nullptr});
    for (size_t w = 0; w < workers.size(); ++w) {
      Tenants tenants(partitioned, workers[w], (*arenas)[w].size());
      shared->places.push_back(
          {std::move((*arenas)[w]), std::move(tenants), {}});
    }
    auto lambdas = plan::lambdasOf(partitioned.program);
    if (!lambdas)
      return lambdas.takeError();
    shared->lambdas = std::move(*lambdas);
    ReferenceProgram &program = *shared; // which has the scheduler
    shared->scheduler = std::make_unique<Scheduler>(
        workers, transport, options.seed,
        [&program, workers](size_t place, const Submission &what) {
          return runByReference(program, workers[place], place, what);
        });
    std::vector<std::unique_ptr<DeviceWorker>> devices;
    for (size_t w = 0; w < workers.size(); ++w)
      devices.push_back(
          std::make_unique<ReferenceWorker>(shared, workers[w], w));
    return devices;
  }
};
} // namespace

std::unique_ptr<Backend> runtime::makeReferenceBackend() {
  return std::make_unique<ReferenceBackend>();
}
