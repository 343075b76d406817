#include "compiler/training/Factors.h"

using namespace smex;
using namespace smex::tdl;
using namespace smex::training;

namespace {

bool isCommon(const ExprRef &e, int rank) {
  bool common = true;
  walk(e, [&](const ExprRef &node) {
    common &= node->kind != ExprKind::Index || node->index < rank;
  });
  return common;
}

ExprRef times(const ExprRef &a, const ExprRef &b) {
  return !a ? b : !b ? a : binary(BinaryOp::Mul, a, b);
}

ExprRef over(const ExprRef &a, const ExprRef &b) {
  if (!b)
    return a;
  return binary(BinaryOp::Div, a ? a : constant(1.0, b->type), b);
}

} // namespace

Factors training::factors(const ExprRef &term, int rank) {
  if (isCommon(term, rank))
    return {term, nullptr};
  if (term->kind == ExprKind::Unary && term->unary == UnaryOp::Neg) {
    const Factors inner = factors(term->children[0], rank);
    return {times(constant(-1.0, term->type), inner.common), inner.rest};
  }
  if (term->kind != ExprKind::Binary)
    return {nullptr, term};
  const ExprRef &a = term->children[0], &b = term->children[1];
  switch (term->binary) {
  case BinaryOp::Mul: {
    const Factors left = factors(a, rank), right = factors(b, rank);
    return {times(left.common, right.common), times(left.rest, right.rest)};
  }
  case BinaryOp::Div: {
    const Factors above = factors(a, rank), below = factors(b, rank);
    return {over(above.common, below.common), over(above.rest, below.rest)};
  }
  case BinaryOp::Add:
    if (equal(a, b)) {
      const Factors one = factors(a, rank);
      return {times(constant(2.0, term->type), one.common), one.rest};
    }
    break;
  default:
    break;
  }
  return {nullptr, term};
}
