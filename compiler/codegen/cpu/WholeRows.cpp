#include "compiler/codegen/cpu/WholeRows.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

/// x[.., before, along], and neither anywhere else.
static bool isRow(const tdl::Expr &read, int before, int along) {
  const size_t rank = read.children.size();
  const auto is = [&](size_t d, int variable) {
    return read.children[d]->kind == ExprKind::Index &&
           read.children[d]->index == variable;
  };
  if (rank < 2 || !is(rank - 2, before) || !is(rank - 1, along))
    return false;
  return std::none_of(
      read.children.begin(), read.children.end() - 2,
      [&](const ExprRef &e) { return uses(e, before) || uses(e, along); });
}

Value codegen::haveFixedDistance(CpuKernel &kernel, const ExprRef &term,
                                 int before, int along) {
  if (before < 0)
    return nullptr;
  Value vector = kernel.constant(kernel.vector());
  Value together = kernel.equal(kernel.size(along), vector);
  bool whole = true;
  walk(term, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read || !uses(e, along))
      return;
    if (!isRow(*e, before, along)) {
      whole = false;
      return;
    }
    auto strides = memref::ExtractStridedMetadataOp::create(
        kernel.b, kernel.operands[size_t(e->operand)]);
    Value stride = strides.getStrides()[e->children.size() - 2];
    together = kernel.both(together, kernel.equal(stride, vector));
  });
  return whole ? together : nullptr;
}

ExprRef codegen::countedFrom(int origin, const ExprRef &term, int along) {
  return transform(term, [&](const ExprRef &e) -> ExprRef {
    if (e->kind != ExprKind::Read || !uses(e, along))
      return nullptr;
    std::vector<ExprRef> index = e->children;
    index[index.size() - 2] = tdl::indexVar(origin);
    return tdl::read(e->operand, e->type, std::move(index));
  });
}
