#include "runtime/backends/cuda/Exchange.h"

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/Transfers.h"
#include "runtime/backends/cuda/nccl/Messages.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace smex;
using namespace smex::cuda;
using nccl::Message;

namespace {

/// What the kernels' widest accesses are aligned to.
constexpr int64_t alignment = 16;

int64_t aligned(int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Whether each worker has a rank of its own: a group's communicator needs it.
bool areAlone(const nccl::Ranks &ranks) {
  return size_t(ranks.count) == ranks.ofWorker.size();
}

class Preparation {
public:
  Preparation(const CudaProgram &shared, size_t gpu, Address staging,
              Address tables)
      : shared(shared), partitioned(shared.partitioned),
        program(shared.program()), ranks(shared.exchanging->ranks),
        staging(staging), tables(tables) {
    for (int worker : shared.workers)
      if (shared.places[size_t(worker)].gpu == shared.gpus[gpu].get())
        workers.push_back(worker);
    rank = ranks.ofWorker[size_t(workers.front())];
  }

  Result<Exchanges> run() {
    const auto &instructions = program.instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      if (plan::queueOf(instructions[i].op) != Queue::Transfers)
        continue;
      if (Status made = add(int(i)); !made)
        return runtime::atNode(instructions[i], made.takeError());
    }
    return std::move(all);
  }

private:
  Status add(int instruction) {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    from = what.from;
    to = what.to;
    element = byteSize(plan::elementType(program, from));
    used = 0;
    packed.clear();
    unpacked.clear();
    dense.clear();
    Exchange made;
    made.instruction = instruction;
    const auto gather =
        areAlone(ranks)
            ? nccl::gatherOf(partitioned, workers.front(), instruction)
            : std::nullopt;
    if (gather)
      addGather(*gather, what, made);
    else
      for (const Message &message : nccl::messagesOf(partitioned, instruction))
        addMessage(message, what.op == plan::Opcode::Fetch, made);
    all.stagingBytes = std::max(all.stagingBytes, used);
    if (!packed.empty())
      made.packs.push_back(launchOf(fetchOf(packed)));
    if (!unpacked.empty())
      made.unpacks.push_back(launchOf(fetchOf(unpacked)));
    if (what.op == plan::Opcode::Reduce)
      for (int worker : workers)
        if (plan::written(partitioned, worker, instruction))
          if (Status added = addReduce(worker, made); !added)
            return added;
    if (made.packs.empty() && made.unpacks.empty() && made.sends.empty() &&
        made.receives.empty() && !made.gather)
      return {};
    for (int worker : workers)
      for (const nccl::LocalWait &wait :
           shared.exchanging->waits[size_t(worker)][size_t(instruction)])
        made.waits.push_back({worker, int(wait.queue), wait.instruction + 1});
    all.list.push_back(std::move(made));
    return {};
  }

  void addGather(const nccl::Gather &gather, const plan::Instruction &what,
                 Exchange &made) {
    const int worker = workers.front();
    const bool areTerms = what.op == plan::Opcode::Reduce;
    const int64_t bytes = gather.bytes * int64_t(gather.members.size());
    const Address whole =
        gather.isWanted ? shared.addressOf(worker, to) : take(bytes);
    made.gather = {what.collective->over, shared.addressOf(worker, from), whole,
                   gather.bytes};
    for (size_t m = 0; !gather.isWanted && m < gather.members.size(); ++m) {
      const Box &share = partitioned.box(gather.members[m], from);
      arrive({gather.members[m], worker, gather.numbers[m], share}, !areTerms,
             {whole + Address(gather.bytes) * m, share});
    }
  }

  void addMessage(const Message &message, bool isFetch, Exchange &made) {
    const int sender = ranks.ofWorker[size_t(message.from)],
              receiver = ranks.ofWorker[size_t(message.to)];
    const int64_t bytes = volume(message.box) * element;
    if (sender == rank) {
      const DenseBox there = bufferOf(message.from, from);
      if (receiver == rank)
        return arrive(message, isFetch, there);
      if (const auto run = runIn(there.box, message.box, element)) {
        made.sends.push_back({there.address + Address(*run), bytes, receiver});
        return;
      }
      const DenseBox packedTo = {take(bytes), message.box};
      packed.push_back({message.box, there, packedTo, element});
      made.sends.push_back({packedTo.address, bytes, receiver});
    } else if (receiver == rank) {
      const DenseBox wanted = isFetch ? bufferOf(message.to, to) : DenseBox();
      if (isFetch)
        if (const auto run = runIn(wanted.box, message.box, element)) {
          made.receives.push_back(
              {wanted.address + Address(*run), bytes, sender});
          return;
        }
      const DenseBox arrived = {take(bytes), message.box};
      made.receives.push_back({arrived.address, bytes, sender});
      arrive(message, isFetch, arrived);
    }
  }

  /// A piece that is in this GPU's memory, where its worker is to have it.
  void arrive(const Message &message, bool isFetch, const DenseBox &there) {
    if (isFetch)
      unpacked.push_back(
          {message.box, there, bufferOf(message.to, to), element});
    else
      dense[{message.to, message.number}] = there;
  }

  Status addReduce(int worker, Exchange &made) {
    const auto reduce =
        reduceOf(partitioned, worker, made.instruction,
                 [&](size_t number, const Piece &piece) -> DenseBox {
                   const auto found = dense.find({worker, number});
                   return found == dense.end() ? DenseBox{0, piece.box}
                                               : found->second; // empty
                 });
    if (!reduce)
      return reduce.error();
    OwnLaunch launch;
    launch.symbol = reduce->kernel;
    launch.arguments = {table(reduce->pieces.data(),
                              reduce->pieces.size() * sizeof(ReducePiece)),
                        reduce->pieces.size(), uint64_t(reduce->reduction),
                        shared.addressOf(worker, to),
                        table(reduce->sizes, sizeof reduce->sizes)};
    launch.threads = transferThreads;
    launch.gridX = transferBlocks(reduce->elements);
    made.unpacks.push_back(std::move(launch));
    return {};
  }

  OwnLaunch launchOf(const Fetch &fetch) {
    OwnLaunch launch;
    launch.symbol = "smex_fetch_" + std::to_string(fetch.unit);
    launch.arguments = {
        table(fetch.pieces.data(), fetch.pieces.size() * sizeof(FetchPiece))};
    launch.threads = transferThreads;
    launch.gridX = transferBlocks(fetch.largest);
    launch.gridY = unsigned(fetch.pieces.size());
    return launch;
  }

  Address take(int64_t bytes) {
    const Address address = staging + Address(used);
    used += aligned(bytes);
    return address;
  }
  Address table(const void *bytes, size_t count) {
    const size_t at = size_t(aligned(int64_t(all.tables.size())));
    all.tables.resize(at + count);
    if (count > 0)
      std::memcpy(all.tables.data() + at, bytes, count);
    return tables + Address(at);
  }
  DenseBox bufferOf(int worker, int buffer) const {
    return {shared.addressOf(worker, buffer), partitioned.box(worker, buffer)};
  }

  const CudaProgram &shared;
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const nccl::Ranks &ranks;
  const Address staging, tables;
  std::vector<int> workers; // of this GPU
  int rank = 0;
  Exchanges all;
  // Of the instruction at hand:
  int from = 0, to = 0;
  int64_t element = 1, used = 0;
  std::vector<BoxCopy> packed, unpacked;
  /// Where the pieces of a reduction are, by worker and number.
  std::map<std::pair<int, size_t>, DenseBox> dense;
};

} // namespace

Result<Exchanges> cuda::exchangesOf(const CudaProgram &shared, size_t gpu,
                                    Address staging, Address tables) {
  return Preparation(shared, gpu, staging, tables).run();
}

std::vector<StepSet> cuda::groupsOf(const plan::Partitioned &partitioned,
                                    const nccl::Ranks &ranks) {
  std::vector<StepSet> groups;
  if (!areAlone(ranks))
    return groups;
  const auto &instructions = partitioned.program.instructions;
  for (size_t i = 0; i < instructions.size(); ++i) {
    const auto &collective = instructions[i].collective;
    if (!collective ||
        std::count(groups.begin(), groups.end(), collective->over))
      continue;
    for (int w = 0; w < int(partitioned.workers.size()); ++w)
      if (nccl::gatherOf(partitioned, w, int(i))) {
        groups.push_back(collective->over);
        break;
      }
  }
  return groups;
}
