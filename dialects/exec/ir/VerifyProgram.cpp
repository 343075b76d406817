// What is checked of a program as a whole, once all that is in it is right by
// itself: what comes before what, and what is there once.
#include "dialects/exec/ir/Verify.h"
#include "dialects/support/Tensor.h"

#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;
using namespace smex;
using namespace smex::exec;

namespace {

LogicalResult verifyOnlyOurs(ProgramOp program) {
  for (Operation &op : *program.getBody().begin())
    if (!isa_and_nonnull<ExecDialect>(op.getDialect()))
      return op.emitOpError("stands in a program, but is not of exec");
  return success();
}

/// All sums of bytes that anybody makes are then free of overflow.
LogicalResult verifyBytes(ProgramOp program) {
  constexpr int64_t alignment = 64;
  int64_t left = std::numeric_limits<int64_t>::max();
  for (auto buffer : program.getOps<BufferOp>()) {
    const auto type = cast<RankedTensorType>(buffer.getTensorType());
    const int64_t bytes = *byteCount(
        {*tdl::toDType(type.getElementType()), type.getShape().vec()});
    if (bytes > left - alignment)
      return program.emitOpError(
          "has buffers of more bytes than 63 bits can count");
    left -= bytes + alignment;
  }
  return success();
}

LogicalResult verifyWaits(Operation *op, size_t number, size_t steps) {
  auto waits = op->getAttrOfType<WaitsAttr>("waits");
  if (!waits)
    return success();
  for (const Wait &wait : waits.getValue()) {
    if (wait.instruction < 0 || size_t(wait.instruction) >= number)
      return op->emitOpError("waits for instruction ")
             << wait.instruction << ", which does not come before";
    if (wait.steps >> steps)
      return op->emitOpError("waits over a step that is not there; there are ")
             << steps;
  }
  return success();
}

LogicalResult verifyBeside(Operation *op, size_t instructions) {
  const auto beside = op->getAttrOfType<IntegerAttr>("beside");
  if (beside && (beside.getInt() < 0 ||
                 uint64_t(beside.getInt()) >= uint64_t(instructions)))
    return op->emitOpError("lasts beside ")
           << beside.getInt() << " instructions; there are " << instructions;
  return success();
}

LogicalResult verifyEpilogue(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  const auto number = compute ? compute.getEpilogue() : std::nullopt;
  if (!number)
    return success();
  if (*number < 0 || uint64_t(*number) >= compute.getInputs().size())
    return op->emitOpError("is the epilogue of input ")
           << *number << "; there are " << compute.getInputs().size();
  BufferOp product = bufferOf(compute.getInputs()[unsigned(*number)]);
  if (!makerOf(product))
    return op->emitOpError("is the epilogue of \"")
           << product.getTensor() << "\", which no single compute makes";
  return success();
}

using Written = llvm::DenseSet<Operation *>;

bool isThere(BufferOp buffer, const Written &written) {
  return buffer.getRole() != Role::Temporary || written.contains(buffer);
}

/// Computes make terms, of terms too, fetches bring a group its own, and
/// reduces add them up. In which steps something is in terms, the lowering and
/// plan::check make sure of.
LogicalResult verifyPartial(Operation *op) {
  BufferOp to = exec::written(op);
  auto read = exec::read(op);
  const auto isPartial = [](BufferOp buffer) { return buffer.getPartial(); };
  if (isa<ReduceOp>(op)) {
    if (!isPartial(read.front()))
      return op->emitOpError("reads \"")
             << read.front().getTensor() << "\", which is no partial result";
    if (to.getPartial())
      return op->emitOpError("writes the partial result of \"")
             << to.getTensor() << "\", which a reduce may not";
    return success();
  }
  if (llvm::any_of(read, isPartial) && !to.getPartial())
    return op->emitOpError("reads the partial result of \"")
           << llvm::find_if(read, isPartial)->getTensor()
           << "\", and does not write one";
  if (to.getPartial() && isa<FetchOp>(op) && !isPartial(read.front()))
    return op->emitOpError("writes the partial result of \"")
           << to.getTensor() << "\", and does not read one";
  if (llvm::any_of(read, isPartial) && !llvm::all_of(read, isPartial))
    return op->emitOpError("reads \"")
           << llvm::find_if_not(read, isPartial)->getTensor()
           << "\", which is whole, and partial results";
  return success();
}

/// `written`: by the instructions before.
LogicalResult verifyUse(Operation *op, Written &written) {
  BufferOp to = exec::written(op);
  if (to.getKeptOn() && !isa<ComputeOp, ToHostOp, FromHostOp>(op))
    return op->emitOpError("fills \"")
           << to.getTensor()
           << "\", which some workers keep; only a compute or a move may";
  if (to.getRole() != Role::Temporary)
    return op->emitOpError("writes \"")
           << to.getTensor() << "\", but instructions write temporaries only";
  for (BufferOp from : read(op)) {
    if (from == to)
      return op->emitOpError("reads the buffer of \"")
             << from.getTensor() << "\" that it writes";
    if (!isThere(from, written))
      return op->emitOpError("reads \"")
             << from.getTensor() << "\", which nothing before it writes";
  }
  written.insert(to);
  return success();
}

/// What an instruction uses is where it looks for it, on each worker that does
/// it: what is kept is where it was.
LogicalResult verifySpaces(ProgramOp program) {
  const auto refuse = [](Operation *op, BufferOp buffer, int64_t worker) {
    return op->emitOpError("uses \"")
           << buffer.getTensor() << "\", which worker " << worker
           << " keeps in another memory";
  };
  const bool isKept =
      llvm::any_of(program.getOps<BufferOp>(), [](BufferOp buffer) {
        return buffer.getKeptOn().has_value();
      });
  for (int64_t w = 0; isKept && w < program.getWorkers(); ++w) {
    for (Operation *op : instructions(program)) {
      if (exec::isKept(written(op), w))
        continue;
      for (BufferOp from : read(op))
        if (isOnHostOf(from, w) != isa<FromHostOp>(op))
          return refuse(op, from, w);
    }
    for (auto output : program.getOps<OutputOp>())
      if (isOnHostOf(bufferOf(output.getBuffer()), w))
        return refuse(output, bufferOf(output.getBuffer()), w);
  }
  return success();
}

LogicalResult verifyOutputs(ProgramOp program, const Written &written) {
  llvm::StringSet<> names;
  for (auto output : program.getOps<OutputOp>()) {
    if (!names.insert(output.getName()).second)
      return output.emitOpError("is not the only output \"")
             << output.getName() << "\"";
    if (!isThere(bufferOf(output.getBuffer()), written))
      return output.emitOpError("names a buffer that nothing writes");
    if (bufferOf(output.getBuffer()).getPartial())
      return output.emitOpError("names a partial result");
  }
  return success();
}

LogicalResult verifyUpdates(ProgramOp program, const Written &written) {
  llvm::DenseSet<Value> parameters, values;
  for (auto update : program.getOps<UpdateOp>()) {
    BufferOp parameter = bufferOf(update.getParameter());
    BufferOp value = bufferOf(update.getValue());
    if (!written.contains(value))
      return update.emitOpError("gives a parameter a value that nothing "
                                "writes");
    if (value.getPartial())
      return update.emitOpError("gives a parameter a partial result");
    if (!parameters.insert(update.getParameter()).second)
      return update.emitOpError("is not the only update of parameter \"")
             << parameter.getTensor() << "\"";
    if (!values.insert(update.getValue()).second)
      return update.emitOpError("gives two parameters one value");
  }
  return success();
}

} // namespace

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifyOnlyOurs(*this)) || failed(verifyBytes(*this)))
    return failure();
  if (getArena() && !getHostArena() &&
      llvm::any_of(getOps<BufferOp>(), isOnHost))
    return emitOpError("has a buffer on the host, but no host arena");
  const auto list = instructions(*this);
  Written written;
  for (const auto &[number, op] : llvm::enumerate(list))
    if (failed(verifyWaits(op, number, getWays().size())) ||
        failed(verifyBeside(op, list.size())) ||
        failed(verifyUse(op, written)) || failed(verifyPartial(op)) ||
        failed(verifyEpilogue(op)))
      return failure();
  return failure(failed(verifySpaces(*this)) ||
                 failed(verifyOutputs(*this, written)) ||
                 failed(verifyUpdates(*this, written)));
}
