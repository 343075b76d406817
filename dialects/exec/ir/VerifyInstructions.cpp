// What is checked of instructions, and of what names their buffers: outputs and
// updates.
#include "dialects/exec/ir/Verify.h"
#include "dialects/tdl/lambda/Accumulated.h"

using namespace mlir;
using namespace smex;
using namespace smex::exec;

/// Values of the buffer type need not come from a buffer.
static LogicalResult verifyBuffers(Operation *op) {
  for (Value operand : op->getOperands())
    if (!bufferOf(operand))
      return op->emitOpError("has an operand that is no exec.buffer");
  return success();
}

/// Of all operations but moves and updates.
static LogicalResult verifyOnDevice(Operation *op) {
  if (failed(verifyInProgram(op)) || failed(verifyBuffers(op)))
    return failure();
  for (Value operand : op->getOperands())
    if (isOnHost(bufferOf(operand)))
      return op->emitOpError("uses \"")
             << bufferOf(operand).getTensor()
             << "\" on the host; only to_host and from_host may";
  return success();
}

/// Of a fetch or a reduction.
static LogicalResult verifyPieces(Operation *op) {
  BufferOp from = read(op).front(), to = written(op);
  auto pieces = op->getAttrOfType<PiecesAttr>("pieces");
  if (!pieces && !isa<semantic::DivisionAttr, ResultAttr>(from.getRegions()))
    return op->emitOpError("needs pieces: no division says who has what of ")
           << "\"" << from.getTensor() << "\"";
  if (!pieces)
    return success();
  const int64_t workers = programOf(op).getWorkers();
  const auto shape = cast<ShapedType>(to.getTensorType()).getShape();
  if (int64_t(pieces.getValue().size()) != workers)
    return op->emitOpError("has pieces of ")
           << pieces.getValue().size() << " workers; there are " << workers;
  for (const std::vector<Piece> &ofWorker : pieces.getValue())
    for (const Piece &piece : ofWorker) {
      if (piece.worker < 0 || piece.worker >= workers)
        return op->emitOpError("has a piece from worker ")
               << piece.worker << "; there are " << workers;
      if (piece.box.isAbsent() || !within(piece.box, shape))
        return op->emitOpError("has a piece outside its tensor: ")
               << toString(piece.box);
    }
  return success();
}

static LogicalResult verifyRows(FetchOp fetch) {
  const RowsAttr rows = fetch.getRowsAttr();
  if (!rows)
    return success();
  const int64_t workers = programOf(fetch).getWorkers();
  const auto shape =
      cast<ShapedType>(bufferOf(fetch.getTo()).getTensorType()).getShape();
  if (fetch.getPiecesAttr())
    return fetch.emitOpError("has rows, and lists its pieces too");
  if (shape.empty())
    return fetch.emitOpError("has rows of a scalar");
  if (int64_t(rows.getValue().size()) != workers)
    return fetch.emitOpError("has rows of ")
           << rows.getValue().size() << " workers; there are " << workers;
  for (const Runs &runs : rows.getValue())
    if (!isRuns(runs))
      return fetch.emitOpError("has rows that are not in order");
    else if (!runs.empty() &&
             !Interval{0, shape[0]}.contains({runs.front().lo, runs.back().hi}))
      return fetch.emitOpError("has rows ")
             << runs.front().lo << ':' << runs.back().hi << " of " << shape[0];
  return success();
}

static LogicalResult refuseTypes(Operation *op, BufferOp from, BufferOp to) {
  return op->emitOpError("moves ")
         << from.getTensorType() << " to " << to.getTensorType();
}

LogicalResult FetchOp::verify() {
  if (failed(verifyOnDevice(*this)))
    return failure();
  BufferOp from = bufferOf(getFrom()), to = bufferOf(getTo());
  if (from.getTensorType() != to.getTensorType())
    return refuseTypes(*this, from, to);
  return failure(failed(verifyPieces(*this)) || failed(verifyRows(*this)));
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyOnDevice(*this)))
    return failure();
  BufferOp from = bufferOf(getFrom()), to = bufferOf(getTo());
  auto whole = cast<RankedTensorType>(to.getTensorType());
  const auto type = tdl::toDType(whole.getElementType());
  const auto partial = whole.clone(tdl::toMlirType(
      tdl::partialType(toReducer(getReducer()), *type), getContext()));
  if (from.getTensorType() != to.getTensorType() &&
      from.getTensorType() != partial)
    return refuseTypes(*this, from, to);
  return verifyPieces(*this);
}

static LogicalResult verifyMove(Operation *op, Space source) {
  if (failed(verifyInProgram(op)) || failed(verifyBuffers(op)))
    return failure();
  BufferOp from = read(op).front(), to = written(op);
  const bool toHost = source == Space::Device;
  if (isOnHost(from) == toHost)
    return op->emitOpError("reads \"")
           << from.getTensor()
           << (toHost ? "\" on the host, not on the device"
                      : "\" on the device, not on the host");
  if (isOnHost(to) != toHost)
    return op->emitOpError("writes \"")
           << to.getTensor()
           << (toHost ? "\" on the device, not on the host"
                      : "\" on the host, not on the device");
  if (from.getTensorType() != to.getTensorType())
    return refuseTypes(op, from, to);
  if (from.getTensor() != to.getTensor())
    return op->emitOpError("moves \"")
           << from.getTensor() << "\" to \"" << to.getTensor()
           << "\", another tensor";
  if (from.getRegions() != to.getRegions())
    return op->emitOpError("moves \"")
           << from.getTensor() << "\" to other regions of it";
  if (from.getPartial() || to.getPartial())
    return op->emitOpError("moves \"")
           << from.getTensor()
           << "\" from or to a partial result, which only a reduce may read, "
              "and only a compute write";
  return success();
}

LogicalResult ToHostOp::verify() { return verifyMove(*this, Space::Device); }

LogicalResult FromHostOp::verify() { return verifyMove(*this, Space::Host); }

LogicalResult ComputeOp::verify() {
  if (failed(verifyOnDevice(*this)) ||
      failed(verifyExtents(*this, getExtents())))
    return failure();
  if (!isa<semantic::DivisionAttr, BoxesAttr>(getIndices()))
    return emitOpError("has indices that are neither divided nor listed");
  return exec::verifyRegions(*this, getIndices(), getExtents());
}

/// Does a tensor of this type fit an operand, or a result?
static bool fits(BufferOp buffer, int64_t rank, DType type) {
  auto tensor = cast<RankedTensorType>(buffer.getTensorType());
  return tensor.getRank() == rank &&
         tdl::toDType(tensor.getElementType()) == type;
}

LogicalResult ComputeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  const tdl::LambdaAttr use =
      tdl::verifyLambdaUse(*this, "computes", getLambdaAttr(),
                           getInputs().size(), getExtents().size(), symbols);
  if (!use)
    return failure();
  const tdl::Lambda &lambda = use.getValue();
  for (auto [input, operand] : llvm::zip(getInputs(), lambda.operands))
    if (!fits(bufferOf(input), operand.rank, operand.type))
      return emitOpError("passes ")
             << bufferOf(input).getTensorType() << " for operand "
             << operand.name << " of " << getLambdaAttr();
  BufferOp to = bufferOf(getTo());
  if (!fits(to, lambda.rank(), lambda.result) ||
      cast<RankedTensorType>(to.getTensorType()).getShape() !=
          getExtents().take_front(lambda.rank()))
    return emitOpError("writes ")
           << to.getTensorType() << ", which is not what its extents say";
  return success();
}

LogicalResult OutputOp::verify() {
  if (failed(verifyOnDevice(*this)))
    return failure();
  const auto type = cast<ShapedType>(bufferOf(getBuffer()).getTensorType());
  const auto element = tdl::toDType(type.getElementType());
  if (getLoss() && (!isFloat(*element) || type.getNumElements() != 1))
    return emitOpError("is no loss: that is one float");
  if (const auto range = getRangeAttr())
    if (range.getIgnore() || !isInteger(*element))
      return emitOpError("has a range that is none: an output of integers may "
                         "have the least and the largest");
  return success();
}

LogicalResult UpdateOp::verify() {
  if (failed(verifyInProgram(*this)) || failed(verifyBuffers(*this)))
    return failure();
  BufferOp parameter = bufferOf(getParameter()), value = bufferOf(getValue());
  if (!isParameter(parameter))
    return emitOpError("changes what is no parameter");
  if (parameter.getTensorType() != value.getTensorType() ||
      parameter.getRegions() != value.getRegions())
    return emitOpError("gives a parameter the value of another region");
  for (int64_t w = 0; w < programOf(*this).getWorkers(); ++w)
    if (isOnHostOf(parameter, w) != isOnHostOf(value, w))
      return emitOpError("gives a parameter a value that is not in its space: ")
             << "one is on the host, the other on the device";
  return success();
}
