#include "compiler/codegen/Entry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

/// Reads the arrays of the ABI in order.
class Unpacker {
public:
  Unpacker(LocBuilder &b, Value pointers, Value numbers)
      : b(b), pointers(pointers), numbers(numbers) {}

  Value pointer() {
    return load(pointers, nextPointer++, LLVM::LLVMPointerType::get(b.getContext()));
  }
  Value number() { return load(numbers, nextNumber++, b.getI64Type()); }

private:
  Value load(Value array, int32_t i, Type type) {
    Value at = LLVM::GEPOp::create(b, array.getType(), type, array,
                                   ArrayRef<LLVM::GEPArg>{i});
    return LLVM::LoadOp::create(b, type, at);
  }

  LocBuilder &b;
  Value pointers, numbers;
  int32_t nextPointer = 0, nextNumber = 0;
};

/// The memref descriptor of a tensor, as LLVM lays it out.
Value describe(LocBuilder &b, Value pointer, ArrayRef<Value> strides,
               MemRefType type) {
  MLIRContext *context = b.getContext();
  const auto rank = int64_t(strides.size());
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  SmallVector<Type> fields = {ptr, ptr, i64};
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(i64, unsigned(rank)));
  Type structure = LLVM::LLVMStructType::getLiteral(context, fields);
  Value descriptor = LLVM::UndefOp::create(b, structure);
  const auto insert = [&](Value value, ArrayRef<int64_t> at) {
    descriptor = LLVM::InsertValueOp::create(b, descriptor, value, at);
  };
  const auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  for (int64_t d = 0; d < rank; ++d) {
    // The ABI does not tell sizes, and nothing asks for them.
    insert(constant(INT32_MAX), {3, d});
    insert(d + 1 == rank ? constant(1) : strides[size_t(d)], {4, d});
  }
  return UnrealizedConversionCastOp::create(b, TypeRange{type}, descriptor)
      .getResult(0);
}

} // namespace

void codegen::buildEntry(LocBuilder &b, const std::string &symbol,
                         const tdl::Lambda &lambda, func::FuncOp kernel) {
  OpBuilder::InsertionGuard guard(b);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto entry = func::FuncOp::create(b, symbol, b.getFunctionType({ptr, ptr}, {}));
  Block *block = entry.addEntryBlock();
  b.setInsertionPointToStart(block);
  Unpacker unpack(b, block->getArgument(0), block->getArgument(1));
  const auto number = [&]() -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), unpack.number());
  };

  // Numbers come in the ABI's order, arguments in that of Kernel.h.
  SmallVector<Value> ranges, others, views;
  for (int i = 0; i < 2 * lambda.indexCount(); ++i)
    ranges.push_back(number());
  unsigned next = 0;
  const auto view = [&](ArrayRef<Value> strides) {
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[next++]);
    views.push_back(describe(b, unpack.pointer(), strides, type));
  };
  SmallVector<Value> strides;
  for (int d = 0; d < lambda.rank(); ++d) {
    others.push_back(number());
    strides.push_back(unpack.number());
  }
  view(strides);
  for (const tdl::Operand &operand : lambda.operands) {
    strides.clear();
    for (int d = 0; d < operand.rank; ++d) {
      others.push_back(number());
      strides.push_back(unpack.number());
      others.push_back(number());
    }
    view(strides);
  }
  SmallVector<Value> arguments(views);
  arguments.append(ranges);
  arguments.append(others);
  func::CallOp::create(b, kernel, arguments);
  func::ReturnOp::create(b);
}
