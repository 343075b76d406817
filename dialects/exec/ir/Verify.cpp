// What makes the attributes of a program safe to evaluate: their lengths, and
// every number's range. Whether the program is right is for `smexc check`.
#include "dialects/exec/ir/Verify.h"
#include "dialects/support/Tensor.h"

#include <limits>

using namespace mlir;
using namespace smex;
using namespace smex::exec;

LogicalResult exec::verifyWays(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> ways) {
  // As many as a plan may have; products with it do not overflow.
  constexpr int64_t mostWorkers = int64_t(1) << 16;
  if (ways.size() > stepLimit)
    return emitError() << "has " << ways.size() << " steps; at most "
                       << stepLimit << " are possible";
  int64_t workers = 1;
  for (int64_t step : ways) {
    if (step < 1 || step > mostWorkers / workers)
      return emitError() << "has a step of " << step
                         << " ways after which there are " << workers
                         << " workers; 1 to " << mostWorkers
                         << " are possible in all";
    workers *= step;
  }
  return success();
}

bool exec::within(const Box &box, ArrayRef<int64_t> shape) {
  if (box.size() != shape.size())
    return false;
  for (size_t d = 0; d < box.size(); ++d)
    if (box[d].lo < 0 || box[d].hi > shape[d] || box[d].hi < box[d].lo)
      return false;
  return true;
}

LogicalResult exec::verifyInProgram(Operation *op) {
  if (isa_and_nonnull<ProgramOp>(op->getParentOp()))
    return success();
  return op->emitOpError("stands outside a program");
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyWays([&] { return emitOpError(); }, getWays())))
    return failure();
  if (const auto recomputing = getRecomputing();
      recomputing &&
      (recomputing->size() != 2 ||
       llvm::any_of(*recomputing, [](int64_t number) { return number < 0; })))
    return emitOpError("takes bytes and nanoseconds for recomputing: two "
                       "numbers, not negative");
  const int64_t workers = getWorkers();
  const auto arena = getArena(), workspace = getWorkspace(),
             hostArena = getHostArena();
  if (arena.has_value() != workspace.has_value())
    return emitOpError("has one of arena and workspace; planning memory gives "
                       "both");
  if (hostArena && !arena)
    return emitOpError("has a host arena, but no arena; planning memory gives "
                       "both");
  if (!arena)
    return success();
  if (int64_t(arena->size()) != workers)
    return emitOpError("has ")
           << arena->size() << " arenas for " << workers << " workers";
  if (int64_t(workspace->size()) != workers + 1)
    return emitOpError("has ")
           << workspace->size() << " numbers for workspace; " << workers
           << " workers need " << workers + 1;
  if (hostArena && int64_t(hostArena->size()) != workers)
    return emitOpError("has ")
           << hostArena->size() << " host arenas for " << workers << " workers";
  const ArrayRef<int64_t> onHost = hostArena.value_or(ArrayRef<int64_t>());
  for (int64_t bytes : llvm::concat<const int64_t>(*arena, *workspace, onHost))
    if (bytes < 0)
      return emitOpError("has a negative arena or workspace");
  const auto staging = getStaging();
  if (!staging)
    return success();
  if (int64_t(staging->size()) != workers)
    return emitOpError("has ") << staging->size() << " numbers for staging of "
                               << workers << " workers";
  for (const auto [all, kept] : llvm::zip(*arena, *staging))
    if (kept < 0 || kept > all)
      return emitOpError("has staging of ")
             << kept << " bytes in an arena of " << all;
  return success();
}

/// What only an input has. Whether a recipe's lists go with it is for the
/// plan's reader.
static LogicalResult verifyInput(BufferOp buffer, DType element,
                                 ArrayRef<int64_t> shape) {
  const auto ranges = buffer.getPartRangesAttr();
  if (!buffer.getRangeAttr() && !ranges && !buffer.getRecipeAttr())
    return success();
  if (buffer.getRole() != Role::Input || !isInteger(element))
    return buffer.emitOpError(
        "has a range or a recipe; only an input of integers may have one");
  if (ranges)
    for (const PartRange &range : ranges.getValue())
      if (const std::string why = notPartOf(range.part, shape.vec());
          !why.empty())
        return buffer.emitOpError("has a range of a part that ") << why;
  return success();
}

LogicalResult exec::verifyExtents(Operation *op, ArrayRef<int64_t> extents) {
  for (int64_t extent : extents)
    if (extent < 0)
      return op->emitOpError("has a negative extent");
  return success();
}

static LogicalResult
verifyDivision(Operation *op, semantic::DivisionAttr division, size_t rank) {
  const Status fits =
      validate(division.getValue(), rank, programOf(op).getWays().vec());
  return fits ? success()
              : op->emitOpError("has a division that is none: ")
                    << fits.error().message;
}

LogicalResult exec::verifyRegions(Operation *op, Attribute regions,
                                  ArrayRef<int64_t> shape) {
  if (auto division = dyn_cast<semantic::DivisionAttr>(regions))
    return verifyDivision(op, division, shape.size());
  if (auto read = dyn_cast<ReadAttr>(regions))
    return failure(failed(verifyExtents(op, read.getExtents())) ||
                   failed(verifyDivision(op, read.getDivision(),
                                         size_t(read.getExtents().size()))));
  if (auto result = dyn_cast<ResultAttr>(regions)) {
    const auto extents = result.getExtents().asArrayRef();
    if (extents.size() < shape.size() ||
        extents.take_front(shape.size()) != shape)
      return op->emitOpError("is of a result whose extents are not its own");
    return failure(
        failed(verifyExtents(op, extents)) ||
        failed(verifyDivision(op, result.getDivision(), extents.size())));
  }
  const std::vector<Box> &boxes = cast<BoxesAttr>(regions).getValue();
  const int64_t workers = programOf(op).getWorkers();
  if (int64_t(boxes.size()) != workers)
    return op->emitOpError("has ")
           << boxes.size() << " boxes for " << workers << " workers";
  for (const Box &box : boxes)
    if (!box.isAbsent() && !within(box, shape))
      return op->emitOpError("has a box outside its whole: ") << toString(box);
  return success();
}

LogicalResult BufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto read = dyn_cast<ReadAttr>(getRegions());
  if (!read)
    return success();
  const auto shapes = read.getShapes();
  const tdl::LambdaAttr use = tdl::verifyLambdaUse(
      *this, "is what is read by", read.getLambda(), shapes.size(),
      size_t(read.getExtents().size()), symbols);
  if (!use)
    return failure();
  const auto own = cast<RankedTensorType>(getTensorType()).getShape();
  for (auto [i, each] : llvm::enumerate(shapes)) {
    auto shape = dyn_cast<DenseI64ArrayAttr>(each);
    if (!shape || shape.size() != use.getValue().operands[i].rank ||
        llvm::any_of(shape.asArrayRef(), [](int64_t size) { return size < 0; }))
      return emitOpError("has shapes that are not those of the operands of ")
             << read.getLambda();
  }
  if (read.getOperand() < 0 || size_t(read.getOperand()) >= shapes.size() ||
      cast<DenseI64ArrayAttr>(shapes[size_t(read.getOperand())]).asArrayRef() !=
          own)
    return emitOpError("is read as an operand that has another shape");
  return success();
}

/// What some workers keep, instead of filling this buffer.
static LogicalResult verifyKept(BufferOp buffer, int64_t workers) {
  const auto on = buffer.getKeptOn();
  if (!on) {
    if (buffer.getKeptAs())
      return buffer.emitOpError("is kept as another buffer, but on no worker");
    return success();
  }
  for (const auto [at, worker] : llvm::enumerate(*on))
    if (worker < 0 || worker >= workers || (at > 0 && (*on)[at - 1] >= worker))
      return buffer.emitOpError("is kept on workers that are not in ascending "
                                "order, or not there: ")
             << worker;
  if (on->empty() || buffer.getPartial())
    return buffer.emitOpError("is kept on no worker, or a partial result");
  const bool isTemporary = buffer.getRole() == Role::Temporary;
  if (isTemporary != bool(buffer.getKeptAs()))
    return buffer.emitOpError(
        isTemporary ? "is kept, but not said as what"
                    : "is an input or a parameter, which is kept as itself");
  if (!isTemporary)
    return isOnHost(buffer)
               ? success()
               : buffer.emitOpError("is kept on the device, where it is on "
                                    "all workers");
  auto as = buffer.getKeptAs().getDefiningOp<BufferOp>();
  if (!as)
    return buffer.emitOpError("has an operand that is no exec.buffer");
  if (as.getTensor() != buffer.getTensor() ||
      as.getTensorType() != buffer.getTensorType() ||
      as.getRegions() != buffer.getRegions() || as.getPartial())
    return buffer.emitOpError("is kept as what is not the same of \"")
           << buffer.getTensor() << "\"";
  return success();
}

LogicalResult BufferOp::verify() {
  if (failed(verifyInProgram(*this)))
    return failure();
  const int64_t workers = programOf(*this).getWorkers();
  if (failed(verifyKept(*this, workers)))
    return failure();
  auto type = dyn_cast<RankedTensorType>(getTensorType());
  const auto element =
      type ? tdl::toDType(type.getElementType()) : std::nullopt;
  if (!element)
    return emitOpError("has elements of a type that lambdas do not know: ")
           << getTensorType();
  const auto shape = type.getShape();
  const auto bytes = byteCount({*element, shape.vec()});
  if (!bytes)
    return emitOpError("has a tensor of more bytes than 63 bits can count");
  if (failed(exec::verifyRegions(*this, getRegions(), shape)))
    return failure();
  if (failed(verifyInput(*this, *element, shape)))
    return failure();
  const auto offsets = getOffsets();
  if (!offsets)
    return success();
  if (int64_t(offsets->size()) != workers)
    return emitOpError("needs one offset per worker");
  for (int64_t offset : *offsets) {
    if (offset < 0)
      return emitOpError("has a negative offset");
    if (offset > std::numeric_limits<int64_t>::max() - *bytes)
      return emitOpError("has an offset from which 63 bits cannot count its "
                         "bytes: ")
             << offset;
  }
  return success();
}
