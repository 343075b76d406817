// Synchronization between workers: the least set of waits that orders every
// read after its write, and every reuse of bytes after the reads of what was
// there. Within a worker the order of the list does that.
#include "compiler/memory/Passes.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace smex::memory {
#define GEN_PASS_DEF_INSERTWAITS
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

/// The bytes of a worker that others read: for each the last such instruction
/// of every reader. Once a write has been ordered after the reads of some
/// bytes, later writes of them need not wait for the same reads again, so these
/// bytes are forgotten; what is left is disjoint runs.
class RemoteReads {
public:
  using LastReads = std::map<int, int>; // reader -> instruction

  void note(Interval bytes, int reader, int instruction) {
    auto at = split(bytes.lo);
    split(bytes.hi);
    // What no run has yet of the bytes becomes runs of its own.
    for (int64_t lo = bytes.lo; lo < bytes.hi;) {
      if (at == runs.end() || at->first > lo) {
        const int64_t hi =
            at == runs.end() ? bytes.hi : std::min(bytes.hi, at->first);
        at = runs.insert(at, {lo, Run{hi, {}}});
      }
      int &last = at->second.lastRead.try_emplace(reader, -1).first->second;
      last = std::max(last, instruction);
      lo = at->second.hi;
      ++at;
    }
  }

  /// Calls forget(reads) for what is noted of these bytes.
  template <typename Forget> void forget(Interval bytes, Forget forget) {
    const auto first = split(bytes.lo), last = split(bytes.hi);
    for (auto at = first; at != last; ++at)
      forget(at->second.lastRead);
    runs.erase(first, last);
  }

private:
  struct Run {
    int64_t hi;
    LastReads lastRead;
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
        list(exec::instructions(program)), reads(workers),
        known(workers, std::vector<int>(workers, -1)) {
    for (auto buffer : program.getOps<exec::BufferOp>())
      boxes[buffer] = exec::boxesOf(buffer);
  }

  void insert() {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto pieces = piecesOf(list[i]);
      std::vector<std::vector<plan::Wait>> waits(workers);
      for (int w = 0; w < workers; ++w) {
        std::map<int, int> needed; // worker -> its latest instruction
        if (!pieces.empty())
          afterWriters(list[i], w, pieces[w], needed);
        beforeReuse(list[i], w, needed);
        for (auto [worker, instruction] : needed) {
          // Instructions complete in order: a later one known implies it.
          if (known[w][worker] >= instruction)
            continue;
          known[w][worker] = instruction;
          waits[w].push_back({worker, instruction});
        }
      }
      noteReads(list[i], int(i), pieces);
      for (int w = 0; w < workers; ++w)
        if (!writtenBytes(list[i], w).empty())
          lastWrite[{exec::written(list[i]).getOperation(), w}] = int(i);
      Builder builder(program.getContext());
      list[i]->setAttr("waits",
                       builder.getDenseI64ArrayAttr(exec::flatten(waits)));
    }
  }

private:
  std::vector<std::vector<plan::Piece>> piecesOf(Operation *op) const {
    auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("pieces");
    if (!attribute)
      return {};
    auto type = cast<RankedTensorType>(exec::written(op).getTensorType());
    return exec::unflattenPieces(attribute, workers, size_t(type.getRank()));
  }

  Interval bytesOf(exec::BufferOp buffer, int w) const {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    const int64_t size = volume(boxes.at(buffer)[w]) *
                         byteSize(*tdl::toDType(type.getElementType()));
    const int64_t offset = (*buffer.getOffsets())[w];
    return {offset, offset + size};
  }

  Interval writtenBytes(Operation *op, int w) const {
    return bytesOf(exec::written(op), w);
  }

  void afterWriters(Operation *op, int w,
                    const std::vector<plan::Piece> &pieces,
                    std::map<int, int> &needed) const {
    exec::BufferOp from = exec::read(op).front();
    for (const plan::Piece &piece : pieces) {
      if (piece.worker == w)
        continue;
      const auto written = lastWrite.find({from.getOperation(), piece.worker});
      if (written != lastWrite.end())
        raise(needed, piece.worker, written->second);
    }
  }

  void beforeReuse(Operation *op, int w, std::map<int, int> &needed) {
    const Interval bytes = writtenBytes(op, w);
    if (bytes.empty())
      return;
    reads[w].forget(bytes, [&](const RemoteReads::LastReads &lastRead) {
      for (auto [worker, instruction] : lastRead)
        raise(needed, worker, instruction);
    });
  }

  void noteReads(Operation *op, int i,
                 const std::vector<std::vector<plan::Piece>> &pieces) {
    if (pieces.empty())
      return;
    exec::BufferOp from = exec::read(op).front();
    for (int reader = 0; reader < workers; ++reader)
      for (const plan::Piece &piece : pieces[reader]) {
        if (piece.worker == reader)
          continue;
        const Interval bytes = bytesOf(from, piece.worker);
        reads[piece.worker].note(bytes, reader, i);
      }
  }

  static void raise(std::map<int, int> &latest, int worker, int instruction) {
    const auto [entry, isNew] = latest.try_emplace(worker, instruction);
    if (!isNew)
      entry->second = std::max(entry->second, instruction);
  }

  exec::ProgramOp program;
  int workers;
  std::vector<Operation *> list;
  llvm::DenseMap<Operation *, std::vector<Box>> boxes;
  std::vector<RemoteReads> reads;      // per worker that is read from
  std::vector<std::vector<int>> known; // known[w][v]: v is past this, w knows
  llvm::DenseMap<std::pair<Operation *, int>, int> lastWrite;
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
