#include "dialects/exec/ir/Regions.h"

#include <algorithm>

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

/// Whether each worker gets terms of its own groups.
static bool keepsTerms(Operation *op) {
  return isa<FetchOp>(op) && read(op).front().getPartial();
}

/// What a fetch or a reduction takes its parts of, and how that is divided.
static std::pair<std::vector<int64_t>, Divisions> dividedBy(Operation *op) {
  BufferOp from = read(op).front();
  if (auto result = dyn_cast<ResultAttr>(from.getRegions()))
    return {result.getExtents().asArrayRef().vec(),
            result.getDivision().getValue()};
  const Divisions &divisions =
      cast<semantic::DivisionAttr>(from.getRegions()).getValue();
  return {cast<RankedTensorType>(from.getTensorType()).getShape().vec(),
          keepsTerms(op) ? ofOwnTerms(divisions) : divisions};
}

std::vector<int64_t> Regions::received(Operation *op) {
  BufferOp from = read(op).front(), to = written(op);
  if (isMove(op))
    return std::vector<int64_t>(of(to).size());
  if (op->hasAttr("pieces") || op->hasAttr("rows"))
    return crossing(op, ways.size());
  const auto [extents, divisions] = dividedBy(op);
  return receivedOf(of(to), of(from), extents, divisions, ways);
}

std::vector<int64_t> Regions::crossing(Operation *op, size_t steps) {
  BufferOp to = written(op);
  if (isMove(op))
    return std::vector<int64_t>(of(to).size());
  if (!op->hasAttr("pieces") && !op->hasAttr("rows")) {
    const auto [extents, divisions] = dividedBy(op);
    return crossingOf(of(to), extents, divisions, ways, steps);
  }
  const int64_t size = workersOf({ways.begin() + int64_t(steps), ways.end()});
  std::vector<int64_t> crossing(of(to).size());
  for (size_t w = 0; w < crossing.size(); ++w)
    for (const Piece &piece : pieces(op, int64_t(w)))
      crossing[w] +=
          piece.worker / size == int64_t(w) / size ? 0 : volume(piece.box);
  return crossing;
}

std::vector<Piece> Regions::pieces(Operation *op, int64_t worker) {
  if (auto listed = op->getAttrOfType<PiecesAttr>("pieces"))
    return listed.getValue()[size_t(worker)];
  const auto [extents, divisions] = dividedBy(op);
  std::vector<Piece> pieces = termsOf(of(written(op))[size_t(worker)], extents,
                                      divisions, ways, worker);
  const auto rows = op->getAttrOfType<RowsAttr>("rows");
  return rows ? piecesWithin(rows.getValue()[size_t(worker)], pieces) : pieces;
}

StepSet Regions::crossed(Operation *op) {
  if (isMove(op))
    return 0;
  BufferOp from = read(op).front(), to = written(op);
  auto listed = op->getAttrOfType<PiecesAttr>("pieces");
  if (!listed) {
    // Boxes of equal shapes that are said alike are the same object.
    const auto [entry, isNew] = crossings.try_emplace(
        {from.getRegions().getAsOpaquePointer(), &of(to), keepsTerms(op)});
    if (isNew) {
      const auto [extents, divisions] = dividedBy(op);
      entry->second = crossedSteps(of(to), extents, divisions, ways);
    }
    return entry->second;
  }
  StepSet steps = 0;
  for (const auto &[worker, pieces] : llvm::enumerate(listed.getValue()))
    for (const Piece &piece : pieces)
      steps |= differences(ways, int64_t(worker), piece.worker);
  return steps;
}

std::vector<bool> Regions::doers(Operation *op) {
  BufferOp to = written(op);
  std::vector<bool> flags = withShares(op);
  for (int64_t worker : to.getKeptOn().value_or(ArrayRef<int64_t>()))
    flags[size_t(worker)] = false;
  return flags;
}

std::vector<bool> Regions::withShares(Operation *op) {
  std::vector<bool> flags;
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute) {
    for (const Box &box : of(written(op)))
      flags.push_back(!isEmpty(box));
    return flags;
  }
  const auto type = cast<RankedTensorType>(written(op).getTensorType());
  const size_t rank = size_t(type.getRank());
  // A reduction of nothing at all has a result: the identity.
  const bool ofNothing =
      llvm::is_contained(compute.getExtents().drop_front(rank), 0);
  for (const Box &box : indices(compute))
    flags.push_back(ofNothing ? !isEmpty(front(box, rank)) : !isEmpty(box));
  return flags;
}
