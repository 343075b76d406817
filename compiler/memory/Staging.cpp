#include "compiler/memory/Staging.h"

#include "compiler/memory/Scratch.h"

using namespace mlir;
using namespace smex;

namespace {

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

SmallVector<int64_t> memory::takeStaging(exec::ProgramOp program,
                                         exec::Regions &regions, Arena &arena) {
  if (llvm::none_of(exec::instructions(program),
                    [&](Operation *op) { return needsStaging(op, regions); }))
    return {};
  SmallVector<int64_t> staging;
  for (int64_t &bytes : arena.bytes) {
    staging.push_back(stagingFor(bytes, program.getWorkers()));
    bytes = withStaging(bytes, program.getWorkers());
  }
  return staging;
}
