// Synchronization between queues: the least set of waits that orders every read
// after its write, and every reuse of bytes after all that was done with what
// was there. Within a queue the order of the list does that.
#include "compiler/memory/LeastWaits.h"
#include "compiler/memory/Passes.h"
#include "dialects/exec/ir/Regions.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <tuple>

namespace smex::memory {
#define GEN_PASS_DEF_INSERTWAITS
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

/// Of a worker's own bytes: which queue of which workers used them. Workers are
/// those that do an instruction (a set of them, by number) and differ from this
/// one in no other steps.
struct Lane {
  Queue queue;
  int doers;
  StepSet steps;

  bool operator<(const Lane &other) const {
    return std::tie(queue, doers, steps) <
           std::tie(other.queue, other.doers, other.steps);
  }
};

/// By lane its latest instruction.
using Latest = std::map<Lane, int>;

void raise(Latest &latest, const Lane &lane, int instruction) {
  const auto [entry, isNew] = latest.try_emplace(lane, instruction);
  if (!isNew)
    entry->second = std::max(entry->second, instruction);
}

/// The bytes of a worker, and for each the last instruction of every lane that
/// read or wrote it. Once a write has been ordered after these, later ones need
/// not wait for the same again, so they are forgotten; what is left is disjoint
/// runs.
class Uses {
public:
  void note(Interval bytes, const Lane &lane, int instruction) {
    auto at = split(bytes.lo);
    split(bytes.hi);
    // What no run has yet of the bytes becomes runs of its own.
    for (int64_t lo = bytes.lo; lo < bytes.hi;) {
      if (at == runs.end() || at->first > lo) {
        const int64_t hi =
            at == runs.end() ? bytes.hi : std::min(bytes.hi, at->first);
        at = runs.insert(at, {lo, Run{hi, {}}});
      }
      raise(at->second.latest, lane, instruction);
      lo = at->second.hi;
      ++at;
    }
  }

  /// Moves what is noted of these bytes into `needed`.
  void forget(Interval bytes, Latest &needed) {
    const auto first = split(bytes.lo), last = split(bytes.hi);
    for (auto at = first; at != last; ++at)
      for (const auto &[lane, instruction] : at->second.latest)
        raise(needed, lane, instruction);
    runs.erase(first, last);
  }

private:
  struct Run {
    int64_t hi;
    Latest latest;
  };
  using Runs = std::map<int64_t, Run>; // by first byte

  /// Makes a run that contains `byte` begin there; the first run from there on.
  Runs::iterator split(int64_t byte) {
    const auto next = runs.lower_bound(byte);
    if (next == runs.begin())
      return next;
    Run &before = std::prev(next)->second;
    if (before.hi <= byte)
      return next;
    const auto rest = runs.insert(next, {byte, before});
    before.hi = byte;
    return rest;
  }

  Runs runs;
};

class Waits {
public:
  explicit Waits(exec::ProgramOp program)
      : program(program), workers(int(program.getWorkers())),
        list(exec::instructions(program)), regions(program) {
    schedule.ways = program.getWays().vec();
    std::map<std::vector<bool>, int> sets;
    for (Operation *op : list) {
      schedule.queues.push_back(exec::queueOf(op));
      const auto [entry, isNew] =
          sets.try_emplace(regions.doers(op), int(schedule.doers.size()));
      if (isNew)
        schedule.doers.push_back(entry->first);
      schedule.doersOf.push_back(entry->second);
      steps.push_back(isa<exec::ComputeOp>(op) ? 0 : regions.crossed(op));
    }
  }

  void insert() {
    schedule.waits.resize(list.size());
    afterWriters();
    for (int w : representatives())
      afterUsers(w);
    const auto waits = memory::leastWaits(schedule);
    for (size_t i = 0; i < list.size(); ++i)
      if (waits[i].empty())
        list[i]->removeAttr("waits");
      else
        list[i]->setAttr("waits",
                         exec::WaitsAttr::get(program.getContext(), waits[i]));
  }

private:
  const std::vector<bool> &doersOf(size_t i) const {
    return schedule.doers[size_t(schedule.doersOf[i])];
  }

  void wait(size_t i, Wait wait) {
    const bool isSameQueue =
        schedule.queues[size_t(wait.instruction)] == schedule.queues[i];
    if (isSameQueue && wait.steps == 0)
      return; // the queue's order
    wait.steps = widest(schedule.doersOf[i], wait.steps,
                        schedule.doersOf[size_t(wait.instruction)]);
    if (!llvm::is_contained(schedule.waits[i], wait))
      schedule.waits[i].push_back(wait);
  }

  /// All steps, if that makes no difference because few do what is waited for:
  /// then it is clear that others wait for the same ones.
  StepSet widest(int readers, StepSet steps, int doers) {
    const StepSet all = (StepSet(1) << schedule.ways.size()) - 1;
    const std::vector<bool> &does = schedule.doers[size_t(doers)];
    const auto [entry, isNew] =
        widened.try_emplace({readers, steps, doers}, steps);
    if (!isNew || steps == 0 || !llvm::is_contained(does, false))
      return entry->second;
    const auto total = llvm::count(does, true);
    for (int w = 0; w < workers; ++w)
      if (schedule.doers[size_t(readers)][size_t(w)] &&
          llvm::count_if(groupOf(schedule.ways, w, steps), [&](int other) {
            return bool(does[size_t(other)]);
          }) != total)
        return steps;
    return entry->second = all;
  }

  /// Each read comes after the write of what is read.
  void afterWriters() {
    llvm::DenseMap<Operation *, SmallVector<int>> writers;
    const auto biases = biasesOfProducts();
    for (size_t i = 0; i < list.size(); ++i) {
      auto reads = exec::read(list[i]);
      if (const auto bias = biases.find(list[i]); bias != biases.end())
        reads.push_back(bias->second);
      // And of what some workers keep for it.
      for (exec::BufferOp buffer : reads)
        for (exec::BufferOp of = buffer; of; of = exec::keptAs(of))
          for (int writer : writers.lookup(of))
            wait(i, {writer, steps[i]});
      writers[exec::written(list[i])].push_back(int(i));
    }
  }

  /// By product: what a library reads besides, if it does the epilogue with it.
  /// Nothing is written in its place before the epilogue is done.
  llvm::DenseMap<Operation *, exec::BufferOp> biasesOfProducts() {
    llvm::DenseMap<Operation *, exec::BufferOp> biases;
    for (auto compute : program.getOps<exec::ComputeOp>()) {
      if (!compute.getEpilogue())
        continue;
      const auto operands = exec::read(compute);
      exec::BufferOp product = operands[size_t(*compute.getEpilogue())];
      for (exec::BufferOp operand : operands)
        if (operand != product)
          biases[exec::makerOf(product)] = operand;
    }
    return biases;
  }

  /// One of each class of workers whose bytes are used alike.
  std::vector<int> representatives() {
    std::map<std::vector<int64_t>, int> classes;
    std::vector<int> first;
    for (int w = 0; w < workers; ++w) {
      std::vector<int64_t> key;
      for (auto buffer : program.getOps<exec::BufferOp>()) {
        const Interval bytes = bytesOf(buffer, w);
        key.push_back(bytes.empty() ? -1 : bytes.lo);
        key.push_back(bytes.size());
        if (buffer.getKeptOn())
          key.push_back(exec::isKept(buffer, w));
      }
      for (size_t i = 0; i < list.size(); ++i)
        key.push_back(doersOf(i)[size_t(w)]);
      if (classes.try_emplace(std::move(key), w).second)
        first.push_back(w);
    }
    return first;
  }

  /// In the arena of the buffer's space.
  Interval bytesOf(exec::BufferOp buffer, int w) {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    const int64_t size = volume(regions.of(buffer)[size_t(w)]) *
                         byteSize(*tdl::toDType(type.getElementType()));
    const int64_t offset = (*buffer.getOffsets())[w];
    return {offset, offset + size};
  }

  /// Each write to the worker's bytes comes after all that was done with what
  /// was there.
  void afterUsers(int w) {
    Uses onDevice, onHost;
    const auto usesOf = [&](exec::BufferOp buffer) -> Uses & {
      return exec::isOnHostOf(buffer, w) ? onHost : onDevice;
    };
    for (size_t i = 0; i < list.size(); ++i) {
      const bool does = doersOf(i)[size_t(w)];
      exec::BufferOp to = exec::written(list[i]);
      const Interval bytes = does ? bytesOf(to, w) : Interval();
      Latest needed;
      usesOf(to).forget(bytes, needed);
      for (const auto &[lane, instruction] : needed)
        wait(i, {instruction, lane.steps});
      const Lane lane = {schedule.queues[i], schedule.doersOf[i], steps[i]};
      for (exec::BufferOp buffer : exec::read(list[i]))
        if (does || steps[i])
          usesOf(buffer).note(bytesOf(buffer, w), lane, int(i));
      if (!bytes.empty())
        usesOf(to).note(bytes, {lane.queue, lane.doers, 0}, int(i));
    }
  }

  exec::ProgramOp program;
  int workers;
  std::vector<Operation *> list;
  exec::Regions regions;
  memory::Schedule schedule;
  /// Per instruction: in which steps its workers differ from those whose
  /// buffers they read.
  std::vector<StepSet> steps;
  /// By readers, steps, and those who do what is waited for.
  std::map<std::tuple<int, StepSet, int>, StepSet> widened;
};

struct InsertWaits : memory::impl::InsertWaitsBase<InsertWaits> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    for (auto buffer : program.getOps<exec::BufferOp>())
      if (!buffer.getOffsets()) {
        buffer.emitOpError("has no place yet: run exec-plan-memory first");
        return signalPassFailure();
      }
    Waits(program).insert();
  }
};

} // namespace
