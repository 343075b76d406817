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

bool codegen::seesPastSegments(const ExprRef &term, int variable) {
  bool sees = true;
  walk(term, [&](const ExprRef &e) {
    // What holds in a part of the range only may be what keeps a list's element
    // in range there.
    if (e->kind == ExprKind::Binary && tdl::isComparison(e->binary) &&
        uses(e, variable) && !readsData(e))
      sees = false;
    if (e->kind != ExprKind::Read)
      return;
    for (const ExprRef &index : e->children)
      walk(index, [&](const ExprRef &list) {
        if (list->kind == ExprKind::Read && uses(list, variable))
          for (const ExprRef &place : list->children)
            sees &= !readsData(place);
      });
  });
  return sees;
}

void codegen::ahead(CpuKernel &kernel, int variable, Value at, Value passes,
                    Value end, llvm::function_ref<void()> body) {
  Value &now = kernel.at[size_t(variable)];
  const Value before = now;
  now = kernel.min(kernel.add(at, passes), kernel.sub(end, kernel.constant(1)));
  body();
  kernel.at[size_t(variable)] = before;
}

void codegen::prefetch(CpuKernel &kernel, const ExprRef &read, int64_t shift) {
  Values indices = kernel.readIndices(*read);
  if (shift != 0 && uses(read, kernel.schedule.along))
    indices.back() = kernel.add(indices.back(), kernel.constant(shift));
  memref::PrefetchOp::create(kernel.b, kernel.operands[size_t(read->operand)],
                             indices, /*isWrite=*/false,
                             /*localityHint=*/3, /*isDataCache=*/true);
}
