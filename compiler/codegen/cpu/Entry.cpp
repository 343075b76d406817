#include "compiler/codegen/cpu/Entry.h"

#include "compiler/codegen/expression/Arguments.h"

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
    return load(pointers, nextPointer++,
                LLVM::LLVMPointerType::get(b.getContext()));
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

} // namespace

void codegen::buildEntry(LocBuilder &b, const std::string &symbol,
                         const tdl::Lambda &lambda, func::FuncOp kernel) {
  OpBuilder::InsertionGuard guard(b);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto entry =
      func::FuncOp::create(b, symbol, b.getFunctionType({ptr, ptr}, {}));
  Block *block = entry.addEntryBlock();
  b.setInsertionPointToStart(block);
  Unpacker unpack(b, block->getArgument(0), block->getArgument(1));
  callKernel(b, lambda,
             takeArguments(
                 b, lambda, [&] { return unpack.pointer(); },
                 [&] { return unpack.number(); }),
             kernel);
  func::ReturnOp::create(b);
}
