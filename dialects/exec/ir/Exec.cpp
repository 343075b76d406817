#include "dialects/exec/ir/Exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::exec;

#include "dialects/exec/ir/ExecDialect.cpp.inc"
#include "dialects/exec/ir/ExecEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ir/ExecAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/exec/ir/ExecTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/exec/ir/ExecOps.cpp.inc"

void ExecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ir/ExecOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/ir/ExecAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/exec/ir/ExecTypes.cpp.inc"
      >();
}

SmallVector<int64_t> smex::exec::flatten(ArrayRef<Box> boxes) {
  SmallVector<int64_t> flat;
  for (const Box &box : boxes)
    for (Interval side : box)
      flat.append({side.lo, side.hi});
  return flat;
}

std::vector<Box> smex::exec::unflatten(ArrayRef<int64_t> flat,
                                       int64_t workers) {
  const size_t rank = workers ? flat.size() / size_t(workers) / 2 : 0;
  std::vector<Box> boxes(workers, Box(rank));
  for (auto &box : boxes)
    for (Interval &side : box) {
      side = {flat[0], flat[1]};
      flat = flat.drop_front(2);
    }
  return boxes;
}

SmallVector<int64_t> smex::exec::flatten(ArrayRef<std::vector<Piece>> pieces) {
  SmallVector<int64_t> flat;
  for (const auto &ofWorker : pieces) {
    flat.push_back(ofWorker.size());
    for (const Piece &piece : ofWorker) {
      flat.push_back(piece.worker);
      for (Interval side : piece.box)
        flat.append({side.lo, side.hi});
    }
  }
  return flat;
}

std::vector<std::vector<Piece>>
smex::exec::unflattenPieces(ArrayRef<int64_t> flat, int64_t workers,
                            size_t rank) {
  std::vector<std::vector<Piece>> pieces(workers);
  for (auto &ofWorker : pieces) {
    ofWorker.resize(flat.consume_front());
    for (Piece &piece : ofWorker) {
      piece.worker = int(flat.consume_front());
      for (size_t d = 0; d < rank; ++d) {
        piece.box.push_back({flat[0], flat[1]});
        flat = flat.drop_front(2);
      }
    }
  }
  return pieces;
}

SmallVector<int64_t> smex::exec::flatten(ArrayRef<std::vector<Wait>> waits) {
  SmallVector<int64_t> flat;
  for (const auto &ofWorker : waits) {
    flat.push_back(ofWorker.size());
    for (const Wait &wait : ofWorker)
      flat.append({wait.worker, wait.instruction});
  }
  return flat;
}

std::vector<std::vector<Wait>>
smex::exec::unflattenWaits(ArrayRef<int64_t> flat, int64_t workers) {
  std::vector<std::vector<Wait>> waits(workers);
  for (auto &ofWorker : waits) {
    ofWorker.resize(flat.consume_front());
    for (Wait &wait : ofWorker) {
      wait.worker = int(flat.consume_front());
      wait.instruction = int(flat.consume_front());
    }
  }
  return waits;
}

std::vector<Operation *> smex::exec::instructions(ProgramOp program) {
  std::vector<Operation *> list;
  for (Operation &op : *program.getBody().begin())
    if (isa<FetchOp, ComputeOp, ReduceOp>(op))
      list.push_back(&op);
  return list;
}

BufferOp smex::exec::written(Operation *instruction) {
  return TypeSwitch<Operation *, BufferOp>(instruction)
      .Case<FetchOp, ComputeOp, ReduceOp>(
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

std::vector<BufferOp> smex::exec::read(Operation *instruction) {
  std::vector<BufferOp> buffers;
  if (auto compute = dyn_cast<ComputeOp>(instruction)) {
    for (Value operand : compute.getInputs())
      buffers.push_back(bufferOf(operand));
  } else if (auto fetch = dyn_cast<FetchOp>(instruction)) {
    buffers.push_back(bufferOf(fetch.getFrom()));
  } else if (auto reduce = dyn_cast<ReduceOp>(instruction)) {
    buffers.push_back(bufferOf(reduce.getFrom()));
  }
  return buffers;
}

exec::Reducer smex::exec::toReducer(tdl::Reducer reducer) {
  return *symbolizeReducer(tdl::name(reducer));
}

tdl::Reducer smex::exec::toReducer(Reducer reducer) {
  return *tdl::parseReducer(stringifyReducer(reducer).str());
}

int64_t smex::exec::communicationBytes(ProgramOp program) {
  const int64_t workers = program.getWorkers();
  int64_t bytes = 0;
  for (Operation *op : instructions(program)) {
    auto pieces = op->getAttrOfType<DenseI64ArrayAttr>("pieces");
    if (!pieces)
      continue;
    const auto tensor =
        cast<RankedTensorType>(read(op).front().getTensorType());
    const int64_t element =
        byteSize(tdl::toDType(tensor.getElementType()).value_or(DType::F32));
    const auto perWorker = unflattenPieces(pieces, workers, tensor.getRank());
    for (int64_t w = 0; w < workers; ++w)
      for (const Piece &piece : perWorker[w])
        if (piece.worker != w)
          bytes += volume(piece.box) * element;
  }
  return bytes;
}
