#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

OpaqueCall::OpaqueCall(GpuKernel &kernel)
    : kernel(kernel), b(kernel.b), call(*kernel.lambda.body),
      slices(sliceVariables(kernel.lambda)) {
  for (const tdl::Expr::Slice &slice : call.slices) {
    extents.emplace_back();
    for (size_t d = 0; d < slice.index.size(); ++d)
      if (!slice.index[d])
        extents.back().push_back(
            kernel.operandExtent[size_t(slice.operand)][d]);
  }
  const ExprRef &result = call.children.empty() ? nullptr : call.children[0];
  if (result && result->kind == ExprKind::Index) {
    place = result->index;
    first = kernel.lo[size_t(place)];
    end = kernel.hi[size_t(place)];
  } else {
    const int64_t number = result ? result->integer : 0;
    first = kernel.constant(number);
    end = kernel.constant(number + 1);
  }
}

DType OpaqueCall::elementType(size_t number) const {
  return kernel.lambda.operands[size_t(call.slices[number].operand)].type;
}

Value OpaqueCall::isLess(Value x, Value y) {
  Value less = emitBinary(b, tdl::BinaryOp::Lt, elementType(), x, y);
  if (!isFloat(elementType()))
    return less;
  Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
  Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, y, y);
  return arith::OrIOp::create(b, less, kernel.both(isNumber, isNan));
}

Value OpaqueCall::inMemory(ValueRange i, size_t number) {
  const tdl::Expr::Slice &slice = call.slices[number];
  const auto operand = size_t(slice.operand);
  Values at;
  size_t next = 0;
  for (size_t d = 0; d < slice.index.size(); ++d) {
    Value coordinate =
        slice.index[d] ? kernel.emitIndex(slice.index[d]) : i[next++];
    at.push_back(kernel.sub(coordinate, kernel.operandOrigin[operand][d]));
  }
  return memref::LoadOp::create(b, kernel.operands[operand], at);
}

Value OpaqueCall::element(ValueRange i, size_t slice) {
  return fromMemory(b, elementType(slice), inMemory(i, slice));
}

Value OpaqueCall::real(ValueRange i, size_t slice) {
  return emitCast(b, elementType(slice), DType::F64, element(i, slice));
}

void OpaqueCall::storeMemory(Value result, Value value) {
  if (place >= 0)
    kernel.at[size_t(place)] = result;
  memref::StoreOp::create(b, value, kernel.result, kernel.resultIndices());
  if (place >= 0)
    kernel.at[size_t(place)] = nullptr;
}

void OpaqueCall::store(Value result, Value value) {
  storeMemory(result, toMemory(b, kernel.stored, value));
}

void OpaqueCall::storeIf(Value condition, Value result, Value value) {
  Value isWanted =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, result, firstPlace());
  isWanted = kernel.both(isWanted, kernel.less(result, endPlace()));
  if (condition)
    isWanted = kernel.both(isWanted, condition);
  kernel.when(isWanted, [&] { store(result, value); });
}

void OpaqueCall::eachElement(llvm::function_ref<void(Value)> body) {
  const int64_t threads = kernel.schedule.threads;
  Value extent = size();
  Value all = kernel.mul(kernel.count(slices), extent);
  Value start = kernel.mul(kernel.block, kernel.constant(threads));
  Value step = kernel.mul(kernel.blocks, kernel.constant(threads));
  kernel.strided(kernel.add(start, kernel.thread), all, step, [&](Value i) {
    Value slice = kernel.divide(i, extent);
    Value inSlice = kernel.sub(i, kernel.mul(slice, extent));
    kernel.atTuple(slices, slice, [&] { body(inSlice); });
  });
}

void OpaqueCall::eachSlice(llvm::function_ref<void()> body) {
  kernel.eachTuple(slices, kernel.schedule.threads, [&] {
    body();
    kernel.barrier(); // the next slice uses the same memory
  });
}

/// The elements as they are, and of bool 0 or 1.
void codegen::buildGpuBits(OpaqueCall &call) {
  LocBuilder &b = call.b;
  call.eachElement([&](Value i) {
    const DType result = call.kernel.stored;
    Value bits = call.inMemory(i);
    Type word = b.getIntegerType(bits.getType().getIntOrFloatBitWidth());
    Type type = memoryType(b.getContext(), result);
    if (bits.getType() != word)
      bits = arith::BitcastOp::create(b, word, bits);
    if (result == DType::Bool) {
      Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(word, 0));
      bits = arith::ExtUIOp::create(
          b, type,
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, zero));
    } else if (type != word) {
      bits = arith::BitcastOp::create(b, type, bits);
    }
    Value isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, i,
                                           call.firstPlace());
    isWanted = call.kernel.both(isWanted, call.kernel.less(i, call.endPlace()));
    call.kernel.when(isWanted, [&] { call.storeMemory(i, bits); });
  });
}

void codegen::buildGpuOpaque(GpuKernel &kernel) {
  const std::string &function = kernel.lambda.body->function;
  OpaqueCall call(kernel);
  if (function == "topk_values" || function == "topk_indices")
    buildGpuOrder(call, /*values=*/function == "topk_values");
  else if (function == "nonzero_places")
    buildGpuPlaces(call);
  else if (function == "det")
    buildGpuDeterminant(call);
  else if (function == "unique_numbers")
    buildGpuUnique(call);
  else if (function == "unsuppressed_boxes")
    buildGpuBoxes(call);
  else
    buildGpuBits(call); // all others of plan::hasCode
}
