#include "compiler/codegen/gpu/Entry.h"

#include "compiler/codegen/expression/Arguments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

bool codegen::takesMemory(const tdl::Lambda &lambda,
                          const plan::Launch &launch) {
  return countPointers(lambda) + countNumbers(lambda) + hasScratch(launch) >
         plan::mostParameters;
}

void codegen::buildGpuEntry(LocBuilder &b, const std::string &symbol,
                            const tdl::Lambda &lambda,
                            const plan::Launch &launch, func::FuncOp kernel) {
  OpBuilder::InsertionGuard guard(b);
  const bool inMemory = launch.inMemory;
  const auto operands = int32_t(countPointers(lambda));
  const bool scratch = hasScratch(launch);
  const int32_t pointers = operands + scratch;
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types(inMemory ? 1 : size_t(pointers), pointer);
  if (!inMemory)
    types.append(size_t(countNumbers(lambda)), b.getI64Type());
  auto entry = gpu::GPUFuncOp::create(b, symbol, b.getFunctionType(types, {}));
  entry->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(&entry.getBody().front());

  int32_t nextPointer = 0, nextNumber = pointers;
  const auto argument = [&](int32_t i, Type type) -> Value {
    if (!inMemory)
      return entry.getArgument(unsigned(i));
    Value at =
        LLVM::GEPOp::create(b, pointer, b.getI64Type(), entry.getArgument(0),
                            ArrayRef<LLVM::GEPArg>{i});
    return LLVM::LoadOp::create(b, type, at);
  };
  const Arguments arguments = takeArguments(
      b, lambda, [&] { return argument(nextPointer++, pointer); },
      [&] { return argument(nextNumber++, b.getI64Type()); });
  callKernel(b, lambda, arguments, kernel,
             scratch ? argument(operands, pointer) : Value());
  gpu::ReturnOp::create(b);
}
