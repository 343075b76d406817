#include "compiler/codegen/cpu/Prefetch.h"

#include "compiler/codegen/expression/Conditions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

std::vector<ExprRef> codegen::gathers(const ExprRef &term, int variable) {
  std::vector<ExprRef> reads;
  walkEvaluated(term, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read)
      return;
    const bool moves = std::any_of(
        e->children.begin(), e->children.end(), [&](const ExprRef &index) {
          return readsData(index) && uses(index, variable);
        });
    const auto same = [&](const ExprRef &read) { return equal(read, e); };
    if (moves && std::none_of(reads.begin(), reads.end(), same))
      reads.push_back(e);
  });
  return reads;
}

void codegen::ahead(CpuKernel &kernel, int variable, Value at, Value end,
                    llvm::function_ref<void()> body) {
  Value &now = kernel.at[size_t(variable)];
  const Value before = now;
  now =
      kernel.min(kernel.add(at, kernel.constant(kernel.schedule.ahead.passes)),
                 kernel.sub(end, kernel.constant(1)));
  body();
  kernel.at[size_t(variable)] = before;
}

void codegen::prefetch(CpuKernel &kernel, const ExprRef &read) {
  memref::PrefetchOp::create(kernel.b, kernel.operands[size_t(read->operand)],
                             kernel.readIndices(*read), /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}
