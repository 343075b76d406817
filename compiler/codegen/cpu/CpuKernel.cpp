#include "compiler/codegen/cpu/CpuKernel.h"

#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

/// Tells LLVM to make vectors of this many elements, one at a time.
void setVectorLength(Operation *loop, int64_t length) {
  MLIRContext *context = loop->getContext();
  const auto number = [&](int64_t value) {
    return IntegerAttr::get(IntegerType::get(context, 32), value);
  };
  const auto vectorize =
      LLVM::LoopVectorizeAttr::get(context, BoolAttr::get(context, false), {},
                                   {}, number(length), {}, {}, {});
  const auto interleave = LLVM::LoopInterleaveAttr::get(context, number(1));
  loop->setDiscardableAttr(
      "loop_annotation",
      LLVM::LoopAnnotationAttr::get(context, {}, vectorize, interleave, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

} // namespace

Value CpuKernel::whole(int variable) {
  return arith::AndIOp::create(b, size(variable), constant(-vector()));
}

void CpuKernel::vectorLoop(int64_t length,
                           llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, constant(0), constant(length), constant(1));
  setVectorLength(loop, length);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

func::FuncOp codegen::buildKernel(LocBuilder &b, const std::string &symbol,
                                  const tdl::Lambda &lambda) {
  OpBuilder::InsertionGuard guard(b);
  const Schedule schedule = chooseSchedule(lambda);
  const tdl::Lambda terms = accumulated(lambda);
  CpuKernel kernel(b, symbol, terms, lambda.result, schedule);
  if (lambda.reducer == tdl::Reducer::None)
    buildMap(kernel);
  else
    buildReduction(kernel);
  func::ReturnOp::create(b);
  return kernel.function;
}
