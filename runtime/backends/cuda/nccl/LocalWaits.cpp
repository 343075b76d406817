#include "runtime/backends/cuda/nccl/LocalWaits.h"

#include "runtime/plan/Regions.h"

#include <algorithm>

using namespace smex;
using namespace smex::nccl;

Readers::Readers(const plan::Partitioned &partitioned,
                 const std::vector<int> &ofWorkers)
    : place(partitioned.workers.size(), -1) {
  const auto &instructions = partitioned.program.instructions;
  const size_t workers = partitioned.workers.size();
  for (size_t p = 0; p < ofWorkers.size(); ++p)
    place[size_t(ofWorkers[p])] = int(p);
  readers.resize(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (plan::queueOf(instructions[i].op) != Queue::Transfers)
      continue;
    readers[i].resize(ofWorkers.size());
    for (size_t w = 0; w < workers; ++w) {
      if (!plan::written(partitioned, int(w), int(i)))
        continue;
      for (const Piece &piece : plan::piecesOf(partitioned, int(w), int(i))) {
        const int owner = place[size_t(piece.worker)];
        if (owner < 0 || piece.worker == int(w) || isEmpty(piece.box))
          continue;
        std::vector<int> &all = readers[i][size_t(owner)];
        if (all.empty() || all.back() != int(w))
          all.push_back(int(w));
      }
    }
  }
}

bool nccl::hasPart(const plan::Partitioned &partitioned, const Readers &readers,
                   int worker, int instruction) {
  return plan::written(partitioned, worker, instruction) ||
         !readers.of(worker, instruction).empty();
}

std::vector<std::vector<LocalWait>>
nccl::localWaits(const plan::Partitioned &partitioned, const plan::Order &order,
                 const Readers &readers, int worker) {
  const auto &instructions = partitioned.program.instructions;
  const int count = int(instructions.size());
  const auto queueAt = [&](int i) {
    return size_t(plan::queueOf(instructions[size_t(i)].op));
  };
  std::vector<std::vector<LocalWait>> waits;
  waits.resize(size_t(count));
  // Per queue, the numbers below which all is completed before an instruction.
  std::vector<int> completed[queueCount], follows[queueCount];
  for (Queue queue : queues) {
    completed[size_t(queue)] = order.completedBefore(worker, queue);
    follows[size_t(queue)] = order.firstAfter(worker, queue);
  }
  // The worker's parts so far, per queue; and per queue and instruction there,
  // the number below which exchanges are over that the worker sends in.
  std::vector<int> parts[queueCount];
  std::vector<std::vector<int>> sent(queueCount,
                                     std::vector<int>(size_t(count) + 1));
  // What a queue has waited for, per queue: all below this number.
  int waited[queueCount][queueCount] = {};
  int sentBefore[queueCount] = {};
  for (int i = 0; i < count; ++i) {
    const std::vector<int> &others = readers.of(worker, i);
    const bool does = order.does(worker, i);
    const size_t own = queueAt(i);
    // Whoever reads the worker's memory here is followed by these of its own.
    for (int reader : others)
      for (size_t q = 0; q < size_t(queueCount); ++q) {
        int &before = sent[q][size_t(follows[q][order.id(reader, i)])];
        before = std::max(before, i + 1);
      }
    for (size_t q = 0; q < size_t(queueCount); ++q)
      sentBefore[q] = std::max(sentBefore[q], sent[q][size_t(i)]);
    if (!does && others.empty())
      continue;
    for (Queue queue : queues) {
      const size_t q = size_t(queue);
      if (q == own)
        continue;
      int below = 0;
      if (does)
        below = completed[q][order.id(worker, i)];
      for (int reader : others)
        below = std::max(below, completed[q][order.id(reader, i)]);
      if (queue == Queue::Transfers)
        below = std::max(below, sentBefore[own]);
      // The last of the worker's parts there.
      const auto end =
          std::lower_bound(parts[q].begin(), parts[q].end(), below);
      if (end == parts[q].begin() || *(end - 1) < waited[own][q])
        continue;
      waited[own][q] = *(end - 1) + 1;
      waits[size_t(i)].push_back({queue, *(end - 1)});
    }
    parts[own].push_back(i);
  }
  return waits;
}
