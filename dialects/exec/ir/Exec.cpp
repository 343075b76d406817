#include "dialects/exec/ir/Exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::exec;

#include "dialects/exec/ir/ExecDialect.cpp.inc"
#include "dialects/exec/ir/ExecEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ir/ExecTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/exec/ir/ExecOps.cpp.inc"

void ExecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ir/ExecOps.cpp.inc"
      >();
  addOurAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/exec/ir/ExecTypes.cpp.inc"
      >();
}

int64_t ProgramOp::getWorkers() { return workersOf(getWays().vec()); }

std::vector<Operation *> smex::exec::instructions(ProgramOp program) {
  std::vector<Operation *> list;
  for (Operation &op : *program.getBody().begin())
    if (isa<FetchOp, ComputeOp, ReduceOp, ToHostOp, FromHostOp>(op))
      list.push_back(&op);
  return list;
}

BufferOp smex::exec::written(Operation *instruction) {
  return TypeSwitch<Operation *, BufferOp>(instruction)
      .Case<FetchOp, ComputeOp, ReduceOp, ToHostOp, FromHostOp>(
          [](auto op) { return bufferOf(op.getTo()); })
      .Default([](Operation *) { return BufferOp(); });
}

std::vector<std::vector<int64_t>> smex::exec::operandShapes(ComputeOp compute) {
  std::vector<std::vector<int64_t>> shapes;
  for (BufferOp buffer : read(compute))
    shapes.push_back(
        cast<RankedTensorType>(buffer.getTensorType()).getShape().vec());
  return shapes;
}

ComputeOp smex::exec::makerOf(BufferOp buffer) {
  ComputeOp maker;
  for (Operation *user : buffer->getUsers()) {
    if (isa<OutputOp, UpdateOp>(user) || written(user) != buffer)
      continue;
    auto compute = dyn_cast<ComputeOp>(user);
    if (maker || !compute)
      return {};
    maker = compute;
  }
  return maker;
}

std::vector<BufferOp> smex::exec::read(Operation *instruction) {
  std::vector<BufferOp> buffers;
  TypeSwitch<Operation *>(instruction)
      .Case([&](ComputeOp compute) {
        for (Value operand : compute.getInputs())
          buffers.push_back(bufferOf(operand));
      })
      .Case<FetchOp, ReduceOp, ToHostOp, FromHostOp>(
          [&](auto op) { buffers.push_back(bufferOf(op.getFrom())); });
  return buffers;
}

bool smex::exec::isKept(BufferOp buffer, int64_t worker) {
  const auto on = buffer.getKeptOn();
  return on && std::binary_search(on->begin(), on->end(), worker);
}

BufferOp smex::exec::keptAs(BufferOp buffer) {
  return buffer.getKeptAs() ? bufferOf(buffer.getKeptAs()) : BufferOp();
}

BufferOp smex::exec::storageOf(BufferOp buffer, int64_t worker) {
  while (isKept(buffer, worker) && buffer.getKeptAs())
    buffer = keptAs(buffer);
  return buffer;
}

bool smex::exec::isOnHostOf(BufferOp buffer, int64_t worker) {
  const BufferOp storage = storageOf(buffer, worker);
  return isOnHost(storage) && !isKept(storage, worker);
}

Queue smex::exec::queueOf(Operation *instruction) {
  return TypeSwitch<Operation *, Queue>(instruction)
      .Case([](ComputeOp) { return Queue::Computing; })
      .Case<FetchOp, ReduceOp>([](auto) { return Queue::Transfers; })
      .Case([](ToHostOp) { return Queue::ToHost; })
      .Case([](FromHostOp) { return Queue::FromHost; });
}

bool smex::exec::isMove(Operation *instruction) {
  return isa<ToHostOp, FromHostOp>(instruction);
}

exec::Reducer smex::exec::toReducer(tdl::Reducer reducer) {
  return *symbolizeReducer(tdl::name(reducer));
}

tdl::Reducer smex::exec::toReducer(Reducer reducer) {
  return *tdl::parseReducer(stringifyReducer(reducer).str());
}
