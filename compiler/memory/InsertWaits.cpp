// Synchronization between queues: the least set of waits that orders every read
// after its write, and every reuse of bytes after all that was done with what
// was there. Within a queue the order of the list does that.
#include "compiler/memory/LeastWaits.h"
#include "compiler/memory/Passes.h"
#include "dialects/exec/ir/Regions.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace smex::memory {
#define GEN_PASS_DEF_INSERTWAITS
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

/// A queue of a worker: those of all workers are numbered.
int laneOf(int worker, plan::Queue queue) {
  return worker * plan::queueCount + int(queue);
}

/// By lane its latest instruction.
using Latest = std::map<int, int>;

void raise(Latest &latest, int lane, int instruction) {
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
  void note(Interval bytes, int lane, int instruction) {
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
        list(exec::instructions(program)), regions(program), uses(workers) {
    for (Operation *op : list)
      queues.push_back(isa<exec::ComputeOp>(op) ? plan::Queue::Computing
                                                : plan::Queue::Transfers);
  }

  void insert() {
    memory::WaitLists waits(workers);
    for (size_t i = 0; i < list.size(); ++i) {
      const std::vector<std::vector<int>> sources = readFrom(list[i]);
      for (int w = 0; w < workers; ++w) {
        Latest needed;
        afterWriters(list[i], sources[w], needed);
        uses[w].forget(writtenBytes(list[i], w), needed);
        needed.erase(laneOf(w, queues[i]));
        auto &own = waits[w].emplace_back();
        for (auto [lane, instruction] : needed)
          own.push_back({lane / plan::queueCount, instruction});
      }
      for (int w = 0; w < workers; ++w)
        note(int(i), w, sources[w]);
    }
    waits = memory::leastWaits(queues, std::move(waits));
    for (size_t i = 0; i < list.size(); ++i) {
      std::vector<std::vector<Wait>> ofInstruction;
      for (int w = 0; w < workers; ++w)
        ofInstruction.push_back(std::move(waits[w][i]));
      list[i]->setAttr(
          "waits", exec::WaitsAttr::get(program.getContext(), ofInstruction));
    }
  }

private:
  /// Per worker, on which workers its share of the instruction reads.
  std::vector<std::vector<int>> readFrom(Operation *op) {
    std::vector<std::vector<int>> sources(workers);
    if (auto compute = dyn_cast<exec::ComputeOp>(op)) {
      const std::vector<Box> &indices = regions.indices(compute);
      for (int w = 0; w < workers; ++w)
        if (!isEmpty(indices[size_t(w)]))
          sources[w] = {w};
      return sources;
    }
    for (int w = 0; w < workers; ++w)
      for (const Piece &piece : regions.pieces(op, w))
        if (!llvm::is_contained(sources[w], piece.worker))
          sources[w].push_back(piece.worker);
    return sources;
  }

  Interval bytesOf(exec::BufferOp buffer, int w) {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    const int64_t size = volume(regions.of(buffer)[size_t(w)]) *
                         byteSize(*tdl::toDType(type.getElementType()));
    const int64_t offset = (*buffer.getOffsets())[w];
    return {offset, offset + size};
  }

  Interval writtenBytes(Operation *op, int w) {
    return bytesOf(exec::written(op), w);
  }

  void afterWriters(Operation *op, const std::vector<int> &sources,
                    Latest &needed) const {
    for (exec::BufferOp buffer : exec::read(op))
      for (int source : sources) {
        const auto written = lastWrites.find({buffer.getOperation(), source});
        if (written != lastWrites.end())
          for (auto [lane, instruction] : written->second)
            raise(needed, lane, instruction);
      }
  }

  void note(int i, int w, const std::vector<int> &sources) {
    const int lane = laneOf(w, queues[i]);
    for (exec::BufferOp buffer : exec::read(list[i]))
      for (int source : sources)
        uses[source].note(bytesOf(buffer, source), lane, i);
    const Interval bytes = writtenBytes(list[i], w);
    if (bytes.empty())
      return;
    uses[w].note(bytes, lane, i);
    raise(lastWrites[{exec::written(list[i]).getOperation(), w}], lane, i);
  }

  exec::ProgramOp program;
  int workers;
  std::vector<Operation *> list;
  exec::Regions regions;
  std::vector<plan::Queue> queues; // per instruction
  std::vector<Uses> uses;          // per worker
  /// Per buffer and worker; more than one lane if both its queues write.
  llvm::DenseMap<std::pair<Operation *, int>, Latest> lastWrites;
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
