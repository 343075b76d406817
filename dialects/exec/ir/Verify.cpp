// What makes the flat lists of a program safe to unpack: their lengths, and
// every number's range. Whether the program is right is for `smexc check`.
#include "dialects/exec/ir/Exec.h"
#include "dialects/smex/ir/GraphLayout.h"
#include "dialects/smex/ir/PartRanges.h"
#include "dialects/smex/lists/Derived.h"
#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Accumulated.h"

using namespace mlir;
using namespace smex;
using namespace smex::exec;

/// As many as a plan may have; products with it do not overflow.
static constexpr int64_t mostWorkers = int64_t(1) << 16;

static bool within(const Box &box, ArrayRef<int64_t> shape) {
  for (size_t d = 0; d < box.size(); ++d)
    if (box[d].lo < 0 || box[d].hi > shape[d] || box[d].hi < box[d].lo)
      return false;
  return true;
}

static Box takeBox(ArrayRef<int64_t> &flat, size_t rank) {
  Box box;
  for (size_t d = 0; d < rank; ++d) {
    box.push_back({flat[0], flat[1]});
    flat = flat.drop_front(2);
  }
  return box;
}

static LogicalResult verifyInProgram(Operation *op) {
  if (isa_and_nonnull<ProgramOp>(op->getParentOp()))
    return success();
  return op->emitOpError("stands outside a program");
}

/// Values of the buffer type need not come from a buffer.
static LogicalResult verifyBuffers(Operation *op) {
  for (Value operand : op->getOperands())
    if (!bufferOf(operand))
      return op->emitOpError("has an operand that is no exec.buffer");
  return success();
}

static LogicalResult verifyGraph(ProgramOp op, Attribute attribute) {
  const auto graph = dyn_cast<DictionaryAttr>(attribute);
  if (!graph || !graph.getAs<StringAttr>("sources") ||
      !graph.getAs<StringAttr>("destinations") ||
      !graph.getAs<IntegerAttr>("nodes") ||
      !graph.getAs<BoolAttr>("self_loops"))
    return op.emitOpError("has a graph that is none: it has the names "
                          "`sources` and `destinations`, `nodes`, and "
                          "`self_loops`");
  if (!graph.get("layout"))
    return success();
  const auto layout = graph.getAs<DictionaryAttr>("layout");
  if (!layout ||
      !semantic::layoutOf(layout, graph.getAs<IntegerAttr>("nodes").getInt()))
    return op.emitOpError("has a graph with a `layout` that is none: it has "
                          "`edges`, rooms of `buckets` and `levels`, and their "
                          "`lists`");
  return success();
}

LogicalResult ProgramOp::verify() {
  if (const auto graphs = getGraph())
    for (Attribute graph : *graphs)
      if (failed(verifyGraph(*this, graph)))
        return failure();
  const int64_t workers = getWorkers();
  if (workers < 1 || workers > mostWorkers)
    return emitOpError("has ")
           << workers << " workers; 1 to " << mostWorkers << " are possible";
  const auto arena = getArena(), workspace = getWorkspace();
  if (arena.has_value() != workspace.has_value())
    return emitOpError("has one of arena and workspace; planning memory gives "
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
  for (int64_t bytes : llvm::concat<const int64_t>(*arena, *workspace))
    if (bytes < 0)
      return emitOpError("has a negative arena or workspace");
  return success();
}

static LogicalResult verifyWaits(Operation *op, int64_t workers,
                                 int64_t instructions) {
  auto waits = op->getAttrOfType<DenseI64ArrayAttr>("waits");
  if (!waits)
    return success();
  ArrayRef<int64_t> flat = waits;
  for (int64_t w = 0; w < workers; ++w) {
    if (flat.empty())
      return op->emitOpError("has waits of ")
             << w << " workers; there are " << workers;
    const int64_t count = flat.consume_front();
    if (count < 0 || count > int64_t(flat.size() / 2))
      return op->emitOpError("says that worker ")
             << w << " has " << count << " waits; " << flat.size()
             << " numbers are left";
    for (int64_t i = 0; i < count; ++i) {
      const int64_t worker = flat.consume_front();
      const int64_t instruction = flat.consume_front();
      if (worker < 0 || worker >= workers || instruction < 0 ||
          instruction >= instructions)
        return op->emitOpError("waits for instruction ")
               << instruction << " of worker " << worker << "; there are "
               << instructions << " of " << workers;
    }
  }
  if (!flat.empty())
    return op->emitOpError("has ") << flat.size() << " numbers after its waits";
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  const auto list = instructions(*this);
  for (Operation *op : list)
    if (failed(verifyWaits(op, getWorkers(), int64_t(list.size()))))
      return failure();
  return success();
}

/// Whether the lists go with it is for the plan's reader.
static LogicalResult verifyDerivation(BufferOp buffer) {
  const auto derivation = buffer.getDerivation();
  const auto of = buffer.getOf();
  const auto wraps = buffer.getWraps(), rows = buffer.getRows();
  if (!derivation && !of && !wraps && !rows)
    return success();
  if (!derivation || !of || !graph::parseDerivation(*derivation) ||
      buffer.getRole() != Role::Input ||
      (wraps && wraps->size() != of->size()) ||
      (rows && rows->size() != of->size()))
    return buffer.emitOpError(
        "has a derivation that is none: an input may have "
        "one, and `of` what; `wraps` and `rows` are as long");
  return success();
}

LogicalResult BufferOp::verify() {
  if (failed(verifyInProgram(*this)))
    return failure();
  const int64_t workers = cast<ProgramOp>((*this)->getParentOp()).getWorkers();
  auto type = dyn_cast<RankedTensorType>(getTensorType());
  const auto element =
      type ? tdl::toDType(type.getElementType()) : std::nullopt;
  if (!element)
    return emitOpError("has elements of a type that lambdas do not know: ")
           << getTensorType();
  const auto shape = type.getShape();
  if (!byteCount({*element, shape.vec()}))
    return emitOpError("has a tensor of more bytes than 63 bits can count");
  if (int64_t(getBoxes().size()) != workers * int64_t(shape.size()) * 2)
    return emitOpError("has ") << getBoxes().size() << " numbers for boxes; "
                               << workers << " workers of rank " << shape.size()
                               << " need " << workers * shape.size() * 2;
  for (const Box &box : unflatten(getBoxes(), workers))
    if (!within(box, shape))
      return emitOpError("has a box outside its tensor: ") << toString(box);
  if (const auto range = getRange())
    if (range->size() < 2 || range->size() > 3 || (*range)[0] > (*range)[1] ||
        getRole() != Role::Input || !isInteger(*element))
      return emitOpError("has a range that is none: an input of integers may "
                         "have the least, the largest, and one more");
  if (const auto parts = getPartRanges()) {
    const auto ranges = semantic::toPartRanges(*parts);
    const auto fits = [&](const PartRange &range) {
      return range.low <= range.high &&
             notPartOf(range.part, shape.vec()).empty();
    };
    if (!ranges || getRole() != Role::Input || !isInteger(*element) ||
        !llvm::all_of(*ranges, fits))
      return emitOpError("has a range of a part that is none: the least, the "
                         "largest, and per dimension a first coordinate, a "
                         "count and a step");
  }
  if (failed(verifyDerivation(*this)))
    return failure();
  const auto offsets = getOffsets();
  if (!offsets)
    return success();
  if (int64_t(offsets->size()) != workers)
    return emitOpError("needs one offset per worker");
  for (int64_t offset : *offsets)
    if (offset < 0)
      return emitOpError("has a negative offset");
  return success();
}

/// Of a fetch or a reduction: per worker their number, then worker and box.
static LogicalResult verifyPieces(Operation *op, BufferOp from, BufferOp to,
                                  ArrayRef<int64_t> flat) {
  const int64_t workers = cast<ProgramOp>(op->getParentOp()).getWorkers();
  const auto shape = cast<ShapedType>(to.getTensorType()).getShape();
  const size_t each = 1 + 2 * shape.size();
  for (int64_t w = 0; w < workers; ++w) {
    if (flat.empty())
      return op->emitOpError("has pieces of ")
             << w << " workers; there are " << workers;
    const int64_t count = flat.consume_front();
    if (count < 0 || count > int64_t(flat.size() / each))
      return op->emitOpError("says that worker ")
             << w << " has " << count << " pieces; " << flat.size()
             << " numbers are left";
    for (int64_t i = 0; i < count; ++i) {
      const int64_t worker = flat.consume_front();
      if (worker < 0 || worker >= workers)
        return op->emitOpError("has a piece from worker ")
               << worker << "; there are " << workers;
      if (const Box box = takeBox(flat, shape.size()); !within(box, shape))
        return op->emitOpError("has a piece outside its tensor: ")
               << toString(box);
    }
  }
  if (!flat.empty())
    return op->emitOpError("has ")
           << flat.size() << " numbers after its pieces";
  return success();
}

static LogicalResult refuseTypes(Operation *op, BufferOp from, BufferOp to) {
  return op->emitOpError("moves ")
         << from.getTensorType() << " to " << to.getTensorType();
}

LogicalResult FetchOp::verify() {
  if (failed(verifyInProgram(*this)) || failed(verifyBuffers(*this)))
    return failure();
  BufferOp from = bufferOf(getFrom()), to = bufferOf(getTo());
  if (from.getTensorType() != to.getTensorType())
    return refuseTypes(*this, from, to);
  return verifyPieces(*this, bufferOf(getFrom()), bufferOf(getTo()),
                      getPieces());
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyInProgram(*this)) || failed(verifyBuffers(*this)))
    return failure();
  BufferOp from = bufferOf(getFrom()), to = bufferOf(getTo());
  auto whole = cast<RankedTensorType>(to.getTensorType());
  const auto type = tdl::toDType(whole.getElementType());
  const auto partial = whole.clone(tdl::toMlirType(
      tdl::partialType(toReducer(getReducer()), *type), getContext()));
  if (from.getTensorType() != to.getTensorType() &&
      from.getTensorType() != partial)
    return refuseTypes(*this, from, to);
  return verifyPieces(*this, bufferOf(getFrom()), bufferOf(getTo()),
                      getPieces());
}

LogicalResult ComputeOp::verify() {
  if (failed(verifyInProgram(*this)) || failed(verifyBuffers(*this)))
    return failure();
  const int64_t workers = cast<ProgramOp>((*this)->getParentOp()).getWorkers();
  const size_t expected = size_t(workers) * getExtents().size() * 2;
  if (getIndices().size() != expected)
    return emitOpError("has ")
           << getIndices().size() << " numbers for indices; " << workers
           << " workers and " << getExtents().size() << " index variables need "
           << expected;
  for (int64_t extent : getExtents())
    if (extent < 0)
      return emitOpError("has a negative extent");
  for (const Box &box : unflatten(getIndices(), workers))
    if (!within(box, getExtents()))
      return emitOpError("has indices outside its extents: ") << toString(box);
  return success();
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
  if (failed(verifyInProgram(*this)) || failed(verifyBuffers(*this)))
    return failure();
  const auto type = cast<ShapedType>(bufferOf(getBuffer()).getTensorType());
  const auto element = tdl::toDType(type.getElementType());
  if (getLoss() && (!isFloat(*element) || type.getNumElements() != 1))
    return emitOpError("is no loss: that is one float");
  if (const auto range = getRange())
    if (range->size() != 2 || (*range)[0] > (*range)[1] || !isInteger(*element))
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
      parameter.getBoxes() != value.getBoxes())
    return emitOpError("gives a parameter the value of another region");
  return success();
}
