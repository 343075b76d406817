#include "runtime/backends/cuda/Exchange.h"

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/Transfers.h"
#include "runtime/backends/cuda/nccl/Rounds.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace smex;
using namespace smex::cuda;
using nccl::Message;

namespace {

/// Whether each worker has a rank of its own: a group's communicator needs it.
bool areAlone(const nccl::Ranks &ranks) {
  return size_t(ranks.count) == ranks.ofWorker.size();
}

class Preparation {
public:
  Preparation(const CudaProgram &shared, size_t gpu, Address tables)
      : shared(shared), partitioned(shared.partitioned),
        program(shared.program()), ranks(shared.exchanging->ranks),
        tables(tables) {
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
    what = &program.instructions[size_t(instruction)];
    element = byteSize(plan::elementType(program, what->from));
    Exchange made;
    made.instruction = instruction;
    if (Status added = addRounds(made); !added)
      return added;
    if (made.rounds.empty())
      return {};
    for (int worker : workers)
      for (const nccl::LocalWait &wait :
           shared.exchanging->waits[size_t(worker)][size_t(instruction)])
        made.waits.push_back({worker, int(wait.queue), wait.instruction + 1});
    all.list.push_back(std::move(made));
    return {};
  }

  Status addRounds(Exchange &made) {
    if (areAlone(ranks)) {
      const int worker = workers.front();
      if (shared.exchanging->addsUp)
        if (auto sum = nccl::sumOf(partitioned, worker, made.instruction)) {
          addSum(*sum, made);
          return {};
        }
      if (const auto gather =
              nccl::gatherOf(partitioned, worker, made.instruction))
        return addGather(*gather, made);
    }
    const auto rounds = nccl::roundsOf(partitioned, made.instruction);
    if (!rounds)
      return rounds.error();
    for (const nccl::Round &units : *rounds) {
      for (const nccl::Unit &unit : units)
        if (Status added = addUnit(unit, made.instruction); !added)
          return added;
      finishRound(made);
    }
    return {};
  }

  /// What has been collected is a round, if it is anything.
  void finishRound(Exchange &made) {
    if (!packed.empty())
      round.packs.push_back(launchOf(fetchOf(packed)));
    if (!unpacked.empty())
      round.unpacks.push_back(launchOf(fetchOf(unpacked)));
    std::move(reduces.begin(), reduces.end(),
              std::back_inserter(round.unpacks));
    packed.clear();
    unpacked.clear();
    reduces.clear();
    ExchangeRound done = std::exchange(round, {});
    if (done.moves() || !done.packs.empty() || !done.unpacks.empty())
      made.rounds.push_back(std::move(done));
  }

  bool isFetch() const { return what->op == plan::Opcode::Fetch; }

  Status addGather(const nccl::Gather &gather, Exchange &made) {
    const int worker = workers.front();
    const DenseBox own = bufferOf(worker, what->from);
    const Address whole = gather.isWanted ? shared.addressOf(worker, what->to)
                                          : stagingOf(worker);
    if (isFetch()) {
      round.gather = {what->collective->over, own.address, whole, gather.bytes};
      for (size_t m = 0; !gather.isWanted && m < gather.members.size(); ++m) {
        const Box &share = partitioned.box(gather.members[m], what->from);
        arrive({gather.members[m], worker, gather.numbers[m], share},
               {whole + Address(gather.bytes) * m, share});
      }
      finishRound(made);
    }
    for (const Box &part : gather.parts) {
      const int64_t bytes = volume(part) * element;
      round.gather = {what->collective->over, placeIn(own, part), whole, bytes};
      dense.clear();
      for (size_t m = 0; m < gather.members.size(); ++m)
        dense[gather.numbers[m]] = {whole + Address(bytes) * m, part};
      if (Status added = addReduce(worker, made.instruction, part); !added)
        return added;
      finishRound(made);
    }
    return {};
  }

  void addSum(const nccl::Sum &sum, Exchange &made) {
    const int worker = workers.front();
    const DenseBox own = bufferOf(worker, what->from);
    Address from = own.address;
    if (!sum.packed.empty())
      from = stagingOf(worker);
    Address at = from;
    for (const Box &share : sum.packed) {
      packed.push_back({share, own, {at, share}, element});
      at += Address(sum.elements * element);
    }
    round.sum = {
        what->collective->over, from,     shared.addressOf(worker, what->to),
        sum.elements,           sum.type, sum.isScattered};
    finishRound(made);
  }

  Status addUnit(const nccl::Unit &unit, int instruction) {
    dense.clear();
    for (const nccl::StagedMessage &message : unit.messages)
      addMessage(message);
    return isFetch() || rankOf(unit.to) != rank
               ? Status()
               : addReduce(unit.to, instruction, unit.box);
  }

  void addMessage(const nccl::StagedMessage &message) {
    const int sender = rankOf(message.from), receiver = rankOf(message.to);
    const int64_t bytes = volume(message.box) * element;
    if (sender == rank) {
      const DenseBox there = bufferOf(message.from, what->from);
      if (receiver == rank)
        return arrive(message, there);
      if (message.packedAt) {
        const Address at = stagingOf(message.from) + Address(*message.packedAt);
        packed.push_back({message.box, there, {at, message.box}, element});
        round.sends.push_back({at, bytes, receiver});
      } else {
        round.sends.push_back({placeIn(there, message.box), bytes, receiver});
      }
    } else if (receiver == rank) {
      if (message.broughtAt) {
        const Address at = stagingOf(message.to) + Address(*message.broughtAt);
        round.receives.push_back({at, bytes, sender});
        arrive(message, {at, message.box});
      } else {
        const DenseBox wanted = bufferOf(message.to, what->to);
        round.receives.push_back({placeIn(wanted, message.box), bytes, sender});
      }
    }
  }

  /// A piece that is in this GPU's memory, where its worker is to have it.
  void arrive(const Message &message, const DenseBox &there) {
    if (isFetch())
      unpacked.push_back(
          {message.box, there, bufferOf(message.to, what->to), element});
    else
      dense[message.number] = there;
  }

  /// Combines the terms of a part of the worker's box, which is a run there.
  Status addReduce(int worker, int instruction, const Box &part) {
    const auto reduce = reduceOf(
        partitioned, worker, instruction, part,
        [&](size_t number, const Piece &) { return dense.at(number); });
    if (!reduce)
      return reduce.error();
    const DenseBox to = bufferOf(worker, what->to);
    const int64_t size = byteSize(plan::elementType(program, what->to));
    OwnLaunch launch;
    launch.symbol = reduce->kernel;
    launch.arguments = {table(reduce->pieces.data(),
                              reduce->pieces.size() * sizeof(ReducePiece)),
                        reduce->pieces.size(), uint64_t(reduce->reduction),
                        to.address + Address(*runIn(to.box, part) * size),
                        table(reduce->sizes, sizeof reduce->sizes)};
    launch.threads = transferThreads;
    launch.gridX = transferBlocks(reduce->elements);
    reduces.push_back(std::move(launch));
    return {};
  }

  OwnLaunch launchOf(const Fetch &fetch) {
    OwnLaunch launch;
    launch.symbol = "smex_fetch_" + std::to_string(fetch.unit);
    launch.arguments = {
        table(fetch.pieces.data(), fetch.pieces.size() * sizeof(FetchPiece))};
    launch.threads = fetch.threads;
    launch.gridX = unsigned(fetch.pieces.size());
    launch.gridY = fetch.blocks;
    return launch;
  }

  Address table(const void *bytes, size_t count) {
    const size_t at = (all.tables.size() + 15) / 16 * 16;
    all.tables.resize(at + count);
    if (count > 0)
      std::memcpy(all.tables.data() + at, bytes, count);
    return tables + Address(at);
  }
  DenseBox bufferOf(int worker, int buffer) const {
    return {shared.addressOf(worker, buffer), partitioned.box(worker, buffer)};
  }

  int rankOf(int worker) const { return ranks.ofWorker[size_t(worker)]; }
  Address stagingOf(int worker) const {
    return shared.places[size_t(worker)].arena +
           Address(partitioned.workers[size_t(worker)].bufferBytes());
  }
  /// Of a box that is one run in the region.
  Address placeIn(const DenseBox &region, const Box &box) const {
    return region.address + Address(*runIn(region.box, box) * element);
  }

  const CudaProgram &shared;
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const nccl::Ranks &ranks;
  const Address tables;
  std::vector<int> workers; // of this GPU
  int rank = 0;
  Exchanges all;
  // Of the instruction at hand:
  const plan::Instruction *what = nullptr;
  int64_t element = 1;
  // Of the round at hand:
  ExchangeRound round;
  std::vector<BoxCopy> packed, unpacked;
  std::vector<OwnLaunch> reduces;
  /// Where the terms of the part at hand are, by the number of the piece.
  std::map<size_t, DenseBox> dense;
};

} // namespace

Result<Exchanges> cuda::exchangesOf(const CudaProgram &shared, size_t gpu,
                                    Address tables) {
  return Preparation(shared, gpu, tables).run();
}

std::vector<StepSet> cuda::groupsOf(const plan::Partitioned &partitioned,
                                    const nccl::Ranks &ranks, bool addsUp) {
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
      if ((addsUp && nccl::sumOf(partitioned, w, int(i))) ||
          nccl::gatherOf(partitioned, w, int(i))) {
        groups.push_back(collective->over);
        break;
      }
  }
  return groups;
}
