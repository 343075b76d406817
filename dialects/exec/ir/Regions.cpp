#include "dialects/exec/ir/Regions.h"

#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace smex;
using namespace smex::exec;

Regions::Regions(ProgramOp program)
    : lambdas(program->getParentOp()), ways(program.getWays().vec()) {}

const std::vector<Box> &Regions::of(BufferOp buffer) {
  return of(buffer.getRegions(),
            cast<RankedTensorType>(buffer.getTensorType()).getShape());
}

const std::vector<Box> &Regions::indices(ComputeOp compute) {
  return of(compute.getIndices(), compute.getExtents());
}

const std::vector<Box> &Regions::of(Attribute regions,
                                    ArrayRef<int64_t> shape) {
  const auto [entry, isNew] =
      known.try_emplace({regions.getAsOpaquePointer(), shape.vec()});
  if (isNew)
    entry->second = evaluate(regions, shape);
  return entry->second;
}

std::vector<Box> Regions::evaluate(Attribute regions, ArrayRef<int64_t> shape) {
  if (auto listed = dyn_cast<BoxesAttr>(regions))
    return listed.getValue();
  if (auto divided = dyn_cast<semantic::DivisionAttr>(regions))
    return sharesOf(shape.vec(), divided.getValue(), ways);
  if (auto result = dyn_cast<ResultAttr>(regions)) {
    std::vector<Box> boxes = sharesOf(result.getExtents().asArrayRef().vec(),
                                      result.getDivision().getValue(), ways);
    for (Box &box : boxes) {
      const bool hasTerm =
          std::none_of(box.begin() + int64_t(shape.size()), box.end(),
                       [](Interval side) { return side.empty(); });
      box = hasTerm ? front(box, shape.size()) : Box::absent(shape.size());
    }
    return boxes;
  }
  auto read = cast<ReadAttr>(regions);
  const analysis::Access &access = accessOf(read);
  std::vector<Box> boxes = sharesOf(read.getExtents().asArrayRef().vec(),
                                    read.getDivision().getValue(), ways);
  for (Box &box : boxes)
    box = access.region(box, shape.vec());
  return boxes;
}

const analysis::Access &Regions::accessOf(ReadAttr read) {
  std::vector<std::vector<int64_t>> shapes;
  for (auto shape : read.getShapes().getAsRange<DenseI64ArrayAttr>())
    shapes.push_back(shape.asArrayRef().vec());
  return accesses.of(lambdas[read.getLambda().getAttr()],
                     shapes)[size_t(read.getOperand())];
}

int64_t Regions::received(Operation *op, int64_t worker) {
  BufferOp from = read(op).front();
  const auto division = dyn_cast<semantic::DivisionAttr>(from.getRegions());
  const auto isTerm = [](const Division &each) { return each.isTerm(); };
  if (!op->hasAttr("pieces") && division &&
      llvm::none_of(division.getValue(), isTerm)) {
    const Box &wanted = of(written(op))[size_t(worker)];
    const Box &own = of(from)[size_t(worker)];
    return volume(wanted) - volume(intersect(wanted, own));
  }
  int64_t elements = 0;
  for (const Piece &piece : pieces(op, worker))
    elements += piece.worker == worker ? 0 : volume(piece.box);
  return elements;
}

std::vector<Piece> Regions::pieces(Operation *op, int64_t worker) {
  if (auto listed = op->getAttrOfType<PiecesAttr>("pieces"))
    return listed.getValue()[size_t(worker)];
  BufferOp from = read(op).front();
  Box wanted = of(written(op))[size_t(worker)];
  const auto shape =
      cast<RankedTensorType>(from.getTensorType()).getShape().vec();
  if (auto divided = dyn_cast<semantic::DivisionAttr>(from.getRegions()))
    return piecesOf(wanted, shape, divided.getValue(), ways, worker);
  // In the space of the indices, where a term has a place of its own.
  auto result = cast<ResultAttr>(from.getRegions());
  const auto extents = result.getExtents().asArrayRef();
  for (int64_t extent : extents.drop_front(shape.size()))
    wanted.push_back({0, extent});
  std::vector<Piece> pieces = piecesOf(
      wanted, extents.vec(), result.getDivision().getValue(), ways, worker);
  const auto isTermBefore = [&](const Piece &a, const Piece &b) {
    const auto rank = int64_t(shape.size());
    return std::lexicographical_compare(
        a.box.begin() + rank, a.box.end(), b.box.begin() + rank, b.box.end(),
        [](Interval x, Interval y) {
          return std::tie(x.lo, x.hi) < std::tie(y.lo, y.hi);
        });
  };
  std::stable_sort(pieces.begin(), pieces.end(), isTermBefore);
  for (Piece &piece : pieces)
    piece.box = front(piece.box, shape.size());
  return pieces;
}
