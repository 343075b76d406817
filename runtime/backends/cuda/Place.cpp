#include "runtime/backends/cuda/Place.h"

#include "runtime/backends/cuda/Exchanger.h"

#include <algorithm>
#include <utility>

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
  const auto &all = shared.partitioned.workers;
  const std::vector<int> &workers = shared.workers; // of this process
  const size_t count = workers.size(), gpus = shared.gpus.size();
  for (size_t w = 0; w < count; ++w) {
    CudaProgram::Place &place = shared.places[size_t(workers[w])];
    place.gpu = shared.gpus[w * gpus / count].get();
    const int64_t hostBytes = all[size_t(workers[w])].hostBytes;
    if (hostBytes > 0) {
      auto host = HostMemory::allocate(shared.driver, hostBytes);
      if (!host)
        return host.takeError();
      place.host.emplace(std::move(*host));
    }
  }
  // All arenas come first, so that each is known before anything is prepared.
  std::vector<int64_t> bytes(gpus);
  std::vector<size_t> sharing(gpus); // workers
  const auto takeOf = [&](size_t gpu, int64_t size) {
    const int64_t at = std::exchange(bytes[gpu], bytes[gpu] + aligned(size));
    return CudaProgram::unsettled(gpu) + Address(at);
  };
  const auto take = [&](size_t worker, int64_t size) {
    return takeOf(worker * gpus / count, size);
  };
  for (size_t w = 0; w < count; ++w)
    shared.places[size_t(workers[w])].arena =
        take(w, all[size_t(workers[w])].arenaBytes);
  for (size_t w = 0; w < count; ++w)
    ++sharing[w * gpus / count];
  for (size_t w = 0; w < count; ++w) {
    CudaProgram::Place &place = shared.places[size_t(workers[w])];
    auto prepared = prepare(shared, workers[w], take(w, 0));
    if (!prepared)
      return prepared.takeError();
    place.prepared = std::move(*prepared);
    place.tables = take(w, int64_t(place.prepared.tables.contents().size()));
  }
  for (const auto &exchanger : shared.exchangers)
    if (Status placed = exchanger->place(takeOf); !placed)
      return placed;
  for (size_t g = 0; g < gpus; ++g) {
    if (Status entered = shared.gpus[g]->enter(); !entered)
      return entered;
    if (Status taken = shared.gpus[g]->allocate(bytes[g], sharing[g]); !taken) {
      Error error = taken.takeError();
      // Processes may have GPUs of the same number and name.
      if (count < all.size())
        error.message = "worker " + std::to_string(workers[g * count / gpus]) +
                        ": " + error.message;
      return error;
    }
  }
  for (int worker : workers) {
    CudaProgram::Place &place = shared.places[size_t(worker)];
    place.arena = shared.settled(place.arena);
    place.tables = shared.settled(place.tables);
  }
  return {};
}
