// Which workers are looked at: all, or, where that is as good, one of each
// class of workers that are alike.
//
// Waits are said of groups, so the order of instructions looks the same from
// every worker, as far as all workers do the same (Order::View::Symmetric):
// adding the digits of one worker to those of all maps it onto itself. So where
// two workers have buffers of the same sizes at the same places, keep the same
// ones, do the same instructions, and whoever may read a buffer of the one, may
// read that of the other, what is proven of the one is true of the other. Who
// may read is said of groups, too: all who differ in no other steps than
// readers of that instruction do, whether they read or not. What of a buffer is
// read plays no part where one instruction writes all of it.
#include "runtime/plan/Subject.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <future>
#include <map>
#include <thread>

using namespace smex;
using namespace smex::plan;

namespace {

class Workers {
public:
  explicit Workers(const Subject &subject)
      : subject(subject), partitioned(subject.partitioned),
        program(subject.program), count(int(partitioned.workers.size())) {}

  void run() {
    const std::vector<int> some = representatives();
    if (int(some.size()) < count && areWrittenWhole() && areSound(some))
      return;
    const Order order(partitioned);
    const auto remote = remoteReads();
    for (int w = 0; w < count; ++w)
      checkMemory(subject, w, order, remote[size_t(w)], subject.findings);
  }

private:
  /// One worker of each class.
  std::vector<int> representatives() const {
    std::map<std::vector<int64_t>, int> classes;
    std::vector<int> first;
    for (int w = 0; w < count; ++w)
      if (classes.try_emplace(key(w), w).second)
        first.push_back(w);
    return first;
  }

  /// All that checkMemory looks at of a worker, but for boxes.
  std::vector<int64_t> key(int w) const {
    const Worker &own = partitioned.workers[size_t(w)];
    std::vector<int64_t> key = {own.workspaceOffset, own.workspaceBytes};
    for (size_t b = 0; b < program.buffers.size(); ++b) {
      key.push_back(plan::byteSize(partitioned, w, int(b)));
      key.push_back(key.back() ? partitioned.offset(w, int(b)) : 0);
      if (program.buffers[b].kept)
        key.insert(key.end(), {partitioned.storage(w, int(b)),
                               int64_t(partitioned.space(w, int(b)))});
    }
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &instruction = program.instructions[i];
      key.push_back(written(partitioned, w, int(i)).has_value());
      for (int operand : instruction.operands)
        key.push_back(isInPlace(w, operand, instruction.to));
    }
    return key;
  }

  bool isInPlace(int w, int from, int to) const {
    return partitioned.space(w, from) == partitioned.space(w, to) &&
           partitioned.offset(w, from) == partitioned.offset(w, to) &&
           partitioned.box(w, from) == partitioned.box(w, to);
  }

  bool areWrittenWhole() const {
    std::vector<bool> seen(program.buffers.size());
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &instruction = program.instructions[i];
      if (seen[size_t(instruction.to)])
        return false;
      seen[size_t(instruction.to)] = true;
      for (int w = 0; instruction.op == Opcode::Compute && w < count; ++w)
        if (const auto box = written(partitioned, w, int(i));
            box && *box != partitioned.box(w, instruction.to))
          return false;
    }
    return true;
  }

  bool areSound(const std::vector<int> &some) const {
    const Order order(partitioned, Order::View::Symmetric);
    std::vector<StepSet> crossed;
    for (size_t i = 0; i < program.instructions.size(); ++i)
      crossed.push_back(program.instructions[i].op == Opcode::Compute
                            ? 0
                            : crossedBy(program.instructions[i]));
    // Each class by itself, on all cores.
    const size_t threads = std::max(1u, std::thread::hardware_concurrency());
    const auto areSound = [&](size_t first) {
      Findings findings(1);
      for (size_t k = first; k < some.size(); k += threads)
        checkMemory(subject, some[k], order, possibleReads(some[k], crossed),
                    findings);
      return findings.take().empty();
    };
    std::vector<std::future<bool>> parts;
    for (size_t t = 0; t < threads; ++t)
      parts.push_back(std::async(std::launch::async, areSound, t));
    bool all = true;
    for (std::future<bool> &part : parts)
      all &= part.get();
    return all;
  }

  /// In which steps readers of a fetch or a reduction differ from those whose
  /// buffers they read.
  StepSet crossedBy(const Instruction &instruction) const {
    StepSet steps = 0;
    for (size_t w = 0; w < instruction.pieces.size(); ++w)
      for (const Piece &piece : instruction.pieces[w])
        steps |= differences(program.ways, int64_t(w), piece.worker);
    if (!instruction.pieces.empty() || isMove(instruction.op))
      return steps;
    const auto regionOf = [&](int buffer) -> const Region & {
      return program.regions[size_t(program.buffers[size_t(buffer)].region)];
    };
    const Region *from = &regionOf(instruction.from);
    if (from->kind == Region::Kind::Result)
      from = &program.regions[size_t(
          program.instructions[size_t(from->instruction)].indices)];
    const Region &to = regionOf(instruction.to);
    const auto [entry, isNew] = crossings.try_emplace({from, &to});
    if (isNew)
      entry->second =
          crossedSteps(to.boxes, from->extents, from->divisions, program.ways);
    return entry->second;
  }

  std::vector<RemoteRead>
  possibleReads(int w, const std::vector<StepSet> &crossed) const {
    std::vector<RemoteRead> reads;
    for (size_t i = 0; i < crossed.size(); ++i) {
      if (!crossed[i])
        continue;
      const int from = program.instructions[i].from;
      const Box &box = partitioned.box(w, from);
      if (isEmpty(box))
        continue;
      for (int reader : groupOf(program.ways, w, crossed[i]))
        if (reader != w)
          reads.push_back({{reader, int(i)}, from, box});
    }
    return reads;
  }

  /// Of each worker, by others.
  std::vector<std::vector<RemoteRead>> remoteReads() const {
    std::vector<std::vector<RemoteRead>> reads(static_cast<size_t>(count));
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &instruction = program.instructions[i];
      for (int w = 0; instruction.op != Opcode::Compute && w < count; ++w)
        for (Piece &piece : piecesOf(partitioned, w, int(i)))
          if (piece.worker != w)
            reads[size_t(piece.worker)].push_back(
                {{w, int(i)}, instruction.from, std::move(piece.box)});
    }
    return reads;
  }

  const Subject &subject;
  const Partitioned &partitioned;
  const Program &program;
  const int count;
  /// By what is read, and what it is read for.
  mutable std::map<std::pair<const Region *, const Region *>, StepSet>
      crossings;
};

} // namespace

void plan::checkWorkers(const Subject &subject) { Workers(subject).run(); }
