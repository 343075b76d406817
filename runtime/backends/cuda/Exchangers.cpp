#include "runtime/backends/cuda/Exchangers.h"

#include "dialects/support/Program.h"
#include "runtime/backends/cuda/Exchanger.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

using namespace smex;
using namespace smex::cuda;

namespace {

/// Transport::share() for all workers of this process, with the same bytes;
/// every worker calls it in a thread of its own.
Result<runtime::Shared> shareAll(runtime::Transport &transport,
                                 const std::vector<int> &workers,
                                 const std::vector<std::byte> &bytes) {
  std::vector<std::thread> threads;
  for (size_t w = 1; w < workers.size(); ++w)
    threads.emplace_back([&, w] { transport.share(workers[w], bytes); });
  runtime::Shared all = transport.share(workers.front(), bytes);
  for (std::thread &thread : threads)
    thread.join();
  if (transport.isStopped())
    return transport.reason();
  return all;
}

using Id = std::array<char, sizeof(Uuid)>;

Result<std::vector<std::byte>> identity(const Driver &driver, int first) {
  std::vector<std::byte> bytes(sizeof(int));
  std::memcpy(bytes.data(), &first, sizeof(int));
  for (int g = 0; g < driver.gpus(); ++g) {
    DeviceNumber device = 0;
    Uuid uuid;
    const std::string what = "GPU " + std::to_string(g);
    if (Status done = driver.check(driver.deviceGet(&device, g), what); !done)
      return done.takeError();
    if (Status done =
            driver.check(driver.deviceGetUuid(&uuid, device), what + ": UUID");
        !done)
      return done.takeError();
    const auto *begin = reinterpret_cast<const std::byte *>(uuid.bytes);
    bytes.insert(bytes.end(), begin, begin + sizeof uuid.bytes);
  }
  return bytes;
}

/// A UUID as NVIDIA's tools print it, without their dashes.
std::string text(const std::byte *uuid) {
  std::string hex = "GPU-";
  for (size_t b = 0; b < sizeof(Uuid); ++b)
    for (int shift : {4, 0})
      hex += "0123456789abcdef"[(unsigned(uuid[b]) >> shift) & 15];
  return hex;
}

/// The first process' id, for all, whose NCCL must be of one version
/// ("Mismatched NCCL version detected" it would say itself, while others wait
/// for it).
Status shareId(const CudaProgram &shared, int version, nccl::UniqueId &id) {
  std::vector<std::byte> own(sizeof id + sizeof version);
  std::memcpy(own.data(), &id, sizeof id);
  std::memcpy(own.data() + sizeof id, &version, sizeof version);
  const auto all = shareAll(shared.transport, shared.workers, own);
  if (!all)
    return all.error();
  std::memcpy(&id, all->front()->data(), sizeof id);
  const auto versionOf = [&](size_t worker) {
    int said = 0;
    std::memcpy(&said, (*all)[worker]->data() + sizeof id, sizeof said);
    return said;
  };
  for (size_t w = 1; w < all->size(); ++w)
    if (versionOf(w) != versionOf(0))
      return Error{"the process of worker " + std::to_string(w) + " has NCCL " +
                       runtime::dottedVersion(versionOf(w)) +
                       ", and that of worker 0 has " +
                       runtime::dottedVersion(versionOf(0)) +
                       ": all need the same version",
                   Fault::Environment};
  return {};
}

/// How far the GPUs of this process have joined. Their threads may outlive who
/// waits for them, so that they share it.
struct Joining {
  std::mutex mutex; // of what follows
  std::condition_variable changed;
  size_t left = 0;
  std::optional<Error> first; // of what went wrong

  void tell(Status done) {
    const std::lock_guard<std::mutex> lock(mutex);
    --left;
    if (!done && !first)
      first = done.takeError();
    changed.notify_all();
  }
  /// Returns when all have joined, one has failed, or the run was stopped.
  std::optional<Error> wait(const runtime::Transport &transport) {
    std::unique_lock<std::mutex> lock(mutex);
    // A stop wakes nobody here, so it is looked for.
    while (left > 0 && !first && !transport.isStopped())
      changed.wait_for(lock, std::chrono::milliseconds(20));
    if (!first && transport.isStopped())
      first = transport.reason();
    return first;
  }
  bool isOver() {
    const std::lock_guard<std::mutex> lock(mutex);
    return left == 0;
  }
};

/// The process with these workers, among those of the program.
size_t processOf(const nccl::Ranks &ranks, const std::vector<int> &workers) {
  // Ranks are in the order of the processes.
  size_t process = 0;
  for (int first = 0; process + 1 < ranks.gpus.size(); ++process) {
    first += int(ranks.gpus[process].size());
    if (ranks.ofWorker[size_t(workers.front())] < first)
      break;
  }
  return process;
}

} // namespace

Result<nccl::Ranks> cuda::ranksOf(const Driver &driver, size_t count,
                                  const std::vector<int> &workers,
                                  runtime::Transport &transport) {
  if (workers.size() == count) {
    std::vector<std::string> gpus;
    for (int g = 0; g < driver.gpus(); ++g)
      gpus.push_back(std::to_string(g));
    return nccl::ranksOf({{workers, std::move(gpus)}});
  }
  auto own = identity(driver, workers.front());
  if (!own)
    return own.takeError();
  const auto all = shareAll(transport, workers, *own);
  if (!all)
    return all.error();
  std::vector<nccl::ProcessGpus> processes;
  std::vector<int> firsts;
  for (size_t w = 0; w < all->size(); ++w) {
    const std::vector<std::byte> &said = *(*all)[w];
    int first = 0;
    std::memcpy(&first, said.data(), sizeof(int));
    auto known = std::find(firsts.begin(), firsts.end(), first);
    if (known == firsts.end()) {
      known = firsts.insert(known, first);
      nccl::ProcessGpus &made = processes.emplace_back();
      for (size_t at = sizeof(int); at < said.size(); at += sizeof(Uuid))
        made.gpus.push_back(text(said.data() + at));
    }
    processes[size_t(known - firsts.begin())].workers.push_back(int(w));
  }
  return nccl::ranksOf(processes);
}

const std::vector<int> &cuda::gpusOf(const nccl::Ranks &ranks,
                                     const std::vector<int> &workers) {
  return ranks.gpus[processOf(ranks, workers)];
}

Status cuda::makeExchangers(CudaProgram &shared, const nccl::Ranks &ranks) {
  const auto library = nccl::Library::get();
  if (!library)
    return library.error();
  const plan::Partitioned &partitioned = shared.partitioned;
  nccl::UniqueId id{};
  if (shared.workers.front() == 0)
    if (Status made =
            (*library)->check((*library)->getUniqueId(&id), "ncclGetUniqueId");
        !made)
      return made;
  if (shared.workers.size() < partitioned.workers.size()) {
    if (Status met = shareId(shared, (*library)->version(), id); !met)
      return met;
  }
  std::vector<std::vector<std::vector<nccl::LocalWait>>> waits(
      partitioned.workers.size());
  const plan::Order order(partitioned);
  const nccl::Readers readers(partitioned, shared.workers);
  shared.isWaitedFor.assign(partitioned.program.instructions.size(), false);
  for (int worker : shared.workers) {
    waits[size_t(worker)] =
        nccl::localWaits(partitioned, order, readers, worker);
    for (const auto &list : waits[size_t(worker)])
      for (const nccl::LocalWait &wait : list)
        shared.isWaitedFor[size_t(wait.instruction)] = true;
  }
  const bool addsUp = !shared.options.reproducible;
  shared.exchanging.reset(new Exchanging{**library, ranks, id, std::move(waits),
                                         groupsOf(partitioned, ranks, addsUp),
                                         addsUp});
  const size_t count = shared.workers.size(), gpus = shared.gpus.size();
  for (size_t w = 0; w < count; ++w) {
    const size_t gpu = w * gpus / count;
    if (shared.exchangers.size() == gpu)
      shared.exchangers.push_back(
          std::make_shared<Exchanger>(shared, gpu, shared.workers[w]));
    shared.places[size_t(shared.workers[w])].exchanger =
        shared.exchangers[gpu].get();
  }
  return {};
}

Status cuda::joinExchangers(const std::shared_ptr<CudaProgram> &program) {
  CudaProgram &shared = *program;
  if (shared.exchangers.empty())
    return {};
  // Whoever could not get this far has said so, and nobody waits for it inside
  // NCCL.
  if (shared.workers.size() < shared.partitioned.workers.size())
    if (const auto all = shareAll(shared.transport, shared.workers, {}); !all)
      return all.error();
  const auto joining = std::make_shared<Joining>();
  joining->left = shared.exchangers.size();
  std::vector<std::thread> threads;
  for (const auto &each : shared.exchangers)
    threads.emplace_back(
        [joining, &exchanger = *each] { joining->tell(exchanger.join()); });
  std::optional<Error> error = joining->wait(shared.transport);
  if (joining->isOver()) {
    for (std::thread &thread : threads)
      thread.join();
  } else {
    for (const auto &each : shared.exchangers)
      each->abandon();
    for (std::thread &thread : threads)
      thread.detach();
    // What they use stays for ever.
    new std::shared_ptr<CudaProgram>(program);
    leaveThreads();
  }
  return error ? Status(std::move(*error)) : Status();
}
