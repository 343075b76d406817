#include "runtime/backends/cuda/Place.h"

#include "runtime/backends/cuda/Prepared.h"

#include <algorithm>

using namespace smex;
using namespace smex::cuda;

namespace {

/// What cuMemAlloc aligns to.
constexpr int64_t alignment = 256;

int64_t aligned(int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

Result<HostMemory> HostMemory::allocate(const Driver &driver, int64_t bytes) {
  void *address = nullptr;
  if (Status done = driver.check(
          driver.hostAllocate(&address, size_t(bytes), hostAllocPortable),
          "taking " + std::to_string(bytes) + " bytes of the host's memory");
      !done)
    return done.takeError();
  return HostMemory(driver, address);
}

Status cuda::placeWorkers(CudaProgram &shared) {
  const auto &workers = shared.partitioned.workers;
  const size_t count = workers.size(), gpus = shared.gpus.size();
  for (size_t w = 0; w < count; ++w) {
    CudaProgram::Place &place = shared.places[w];
    place.gpu = shared.gpus[w * gpus / count].get();
    if (workers[w].hostBytes > 0) {
      auto host = HostMemory::allocate(shared.driver, workers[w].hostBytes);
      if (!host)
        return host.takeError();
      place.host.emplace(std::move(*host));
    }
  }
  // The size of what launches read does not depend on where it is.
  std::vector<int64_t> begins(count), tables(count);
  std::vector<int64_t> bytes(gpus);
  for (size_t w = 0; w < count; ++w) {
    Tables own(0);
    auto prepared = prepare(shared, int(w), /*findFunctions=*/false, own);
    if (!prepared)
      return prepared.takeError();
    int64_t &used = bytes[w * gpus / count];
    begins[w] = used;
    tables[w] = used + aligned(workers[w].arenaBytes);
    used = tables[w] + aligned(int64_t(own.contents().size()));
  }
  for (size_t g = 0; g < gpus; ++g) {
    if (Status entered = shared.gpus[g]->enter(); !entered)
      return entered;
    if (Status taken = shared.gpus[g]->allocate(bytes[g]); !taken)
      return taken;
  }
  for (size_t w = 0; w < count; ++w) {
    CudaProgram::Place &place = shared.places[w];
    place.arena = place.gpu->memory() + Address(begins[w]);
    place.tables = place.gpu->memory() + Address(tables[w]);
  }
  return {};
}
