#include "dialects/tdl/analysis/Linear.h"

#include "dialects/tdl/analysis/Properties.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

bool isZero(const ExprRef &e) {
  return (e->kind == ExprKind::Int && e->integer == 0) ||
         (e->kind == ExprKind::Float && e->real == 0);
}

bool isAtResult(const Lambda &lambda, const ExprRef &read) {
  if (int(read->children.size()) != lambda.rank())
    return false;
  for (size_t d = 0; d < read->children.size(); ++d)
    if (read->children[d]->kind != ExprKind::Index ||
        read->children[d]->index != int(d))
      return false;
  return true;
}

/// Zero is linear; any other constant is not.
bool isLinear(const Lambda &lambda, const ExprRef &e) {
  const auto linear = [&](size_t child) {
    return isLinear(lambda, e->children[child]);
  };
  const auto known = [&](size_t child) {
    return !readsData(e->children[child]);
  };
  switch (e->kind) {
  case ExprKind::Int:
  case ExprKind::Float:
    return isZero(e);
  case ExprKind::Read:
    return !e->otherwise && e->type == lambda.result && isAtResult(lambda, e);
  case ExprKind::Unary:
    return e->unary == UnaryOp::Neg && linear(0);
  case ExprKind::Binary:
    switch (e->binary) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return linear(0) && linear(1);
    case BinaryOp::Mul:
      return (linear(0) && known(1)) || (known(0) && linear(1));
    case BinaryOp::Div: // of integers, it rounds
      return isFloat(e->type) && linear(0) && known(1);
    default:
      return false;
    }
  case ExprKind::Select:
    return known(0) && linear(1) && linear(2);
  default:
    return false;
  }
}

} // namespace

bool analysis::isLinearMap(const Lambda &lambda) {
  return isMap(lambda) && !lambda.operands.empty() &&
         (isFloat(lambda.result) || isInteger(lambda.result)) &&
         isLinear(lambda, lambda.body);
}
