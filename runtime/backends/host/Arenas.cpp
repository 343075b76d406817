#include "runtime/backends/host/Arenas.h"

#include "dialects/support/Program.h"

using namespace smex;
using namespace smex::runtime;

namespace {
std::string mebibytes(int64_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

int64_t bytesOf(const plan::Worker &worker) {
  return worker.hostBytes > 0 ? hostBegin(worker) + worker.hostBytes
                              : worker.arenaBytes;
}
} // namespace

int64_t runtime::hostBegin(const plan::Worker &worker) {
  return (worker.arenaBytes + 63) / 64 * 64;
}

int64_t runtime::placeOf(const plan::Partitioned &partitioned, int worker,
                         int buffer) {
  const bool isHost = partitioned.space(worker, buffer) == plan::Space::Host;
  return partitioned.offset(worker, buffer) +
         (isHost ? hostBegin(partitioned.workers[size_t(worker)]) : 0);
}

Result<std::vector<Arena>>
runtime::reserveArenas(const plan::Partitioned &partitioned,
                       const std::vector<int> &workers, int threads) {
  double total = 0;
  for (int worker : workers)
    total += double(bytesOf(partitioned.workers[size_t(worker)]));
  const int64_t available = availableMemory(threads);
  if (total > double(available)) {
    Error error =
        fail("the plan needs ", mebibytes(int64_t(total)), " of memory for ",
             workers.size(), workers.size() == 1 ? " worker" : " workers", "; ",
             mebibytes(available), " are free on this machine",
             isAddressSpaceLimited() ? " and within ulimit -v" : "");
    error.fault = Fault::Environment;
    return error;
  }
  std::vector<Arena> arenas;
  for (int worker : workers) {
    auto arena = Arena::reserve(bytesOf(partitioned.workers[size_t(worker)]));
    if (!arena)
      return arena.takeError();
    arenas.push_back(std::move(*arena));
  }
  return arenas;
}
