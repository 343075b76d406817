#include "compiler/memory/Staging.h"

#include "runtime/plan/Plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace smex;

namespace {

/// What begins in an arena is aligned to.
constexpr int64_t line = 64;
/// More lets no exchange go faster: there are enough bytes in each round to
/// hide what a round takes by itself.
constexpr int64_t most = int64_t(64) << 20;

/// Whether the fetch or the reduction has something to pack, to unpack, or to
/// bring together.
bool needsStaging(Operation *op, exec::Regions &regions) {
  if (!isa<exec::FetchOp, exec::ReduceOp>(op) ||
      llvm::all_of(regions.received(op), [](int64_t all) { return all == 0; }))
    return false;
  if (isa<exec::ReduceOp>(op))
    return true;
  const std::vector<Box> &from = regions.of(exec::read(op).front()),
                         &to = regions.of(exec::written(op));
  for (size_t w = 0; w < to.size(); ++w)
    for (const Piece &piece : regions.pieces(op, int64_t(w)))
      if (piece.worker != int(w) && !isEmpty(piece.box) &&
          (!runIn(to[w], piece.box) ||
           !runIn(from[size_t(piece.worker)], piece.box)))
        return true;
  return false;
}

} // namespace

/// A thirty-second of what the arena holds, and at least what a reduction of
/// one element needs, of which every other worker has a term.
SmallVector<int64_t> memory::takeStaging(exec::ProgramOp program,
                                         exec::Regions &regions, Arena &arena) {
  if (llvm::none_of(exec::instructions(program),
                    [&](Operation *op) { return needsStaging(op, regions); }))
    return {};
  const int64_t least = plan::stagingAlignment * (program.getWorkers() - 1);
  SmallVector<int64_t> staging;
  for (int64_t &bytes : arena.bytes) {
    const int64_t wanted = std::max(std::min(bytes / 32, most), least);
    staging.push_back(bytes > 0 ? llvm::alignTo(wanted, line) : 0);
    if (bytes > 0)
      bytes = llvm::alignTo(bytes, line) + staging.back();
  }
  return staging;
}
