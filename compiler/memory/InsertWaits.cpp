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

/// Who else reads a worker's bytes: per reading worker its last such instruction.
struct RemoteReads {
  Interval bytes; // of the arena
  std::map<int, int> lastRead;
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

  void afterWriters(Operation *op, int w, const std::vector<plan::Piece> &pieces,
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
    for (const RemoteReads &other : reads[w])
      if (!intersect(other.bytes, bytes).empty())
        for (auto [worker, instruction] : other.lastRead)
          raise(needed, worker, instruction);
    // Whoever writes these bytes again need not wait for the same reads again:
    // this write is ordered after them.
    llvm::erase_if(reads[w], [&](const RemoteReads &other) {
      return bytes.contains(other.bytes);
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
        auto &all = reads[piece.worker];
        auto entry = llvm::find_if(
            all, [&](const RemoteReads &r) { return r.bytes == bytes; });
        if (entry == all.end())
          entry = all.insert(all.end(), RemoteReads{bytes, {}});
        raise(entry->lastRead, reader, i);
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
  std::vector<std::vector<RemoteReads>> reads; // per worker that is read from
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
