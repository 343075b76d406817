#include "compiler/codegen/expression/Conditions.h"

#include "dialects/tdl/lambda/IndexSum.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using namespace smex::tdl;

namespace {

bool isBinary(const ExprRef &e, BinaryOp op) {
  return e->kind == ExprKind::Binary && e->binary == op;
}

bool isIndexComparison(const ExprRef &e) {
  return e->kind == ExprKind::Binary && isComparison(e->binary) &&
         e->children[0]->type == DType::I64;
}

bool isDivision(const ExprRef &e, BinaryOp op) {
  return isBinary(e, op) && e->type == DType::I64 &&
         e->children[1]->kind == ExprKind::Int && e->children[1]->integer > 0;
}

/// `e // c < k` says `e < k * c`, which is linear in more variables.
ExprRef withoutQuotient(const Expr &comparison) {
  const ExprRef &quotient = comparison.children[0];
  const ExprRef &limit = comparison.children[1];
  constexpr int64_t most = int64_t(1) << 30;
  if (!isDivision(quotient, BinaryOp::FloorDiv) ||
      limit->kind != ExprKind::Int || std::abs(limit->integer) > most ||
      quotient->children[1]->integer > most)
    return nullptr;
  const ExprRef &whole = quotient->children[0], &c = quotient->children[1];
  const auto times = [&](int64_t number) {
    return constant(number * c->integer);
  };
  switch (comparison.binary) {
  case BinaryOp::Lt:
  case BinaryOp::Ge:
    return binary(comparison.binary, whole, times(limit->integer));
  case BinaryOp::Le:
    return binary(BinaryOp::Lt, whole, times(limit->integer + 1));
  case BinaryOp::Gt:
    return binary(BinaryOp::Ge, whole, times(limit->integer + 1));
  default:
    return nullptr;
  }
}

bool isCongruence(const ExprRef &e) {
  return isBinary(e, BinaryOp::Eq) &&
         isDivision(e->children[0], BinaryOp::Mod) &&
         e->children[1]->kind == ExprKind::Int;
}

ExprRef inRange(const Expr &read) {
  ExprRef condition = constant(1, DType::Bool);
  for (size_t d = 0; d < read.children.size(); ++d) {
    const ExprRef &index = read.children[d];
    if (!isNonNegative(index))
      condition = binary(BinaryOp::And, condition,
                         binary(BinaryOp::Ge, index, constant(0)));
    ExprRef extent = extentOf(read.operand, int(d));
    condition =
        binary(BinaryOp::And, condition, binary(BinaryOp::Lt, index, extent));
  }
  return condition;
}

/// Every variable that occurs, but `variable`, has a value.
bool isKnown(const ExprRef &e, int variable, const std::vector<bool> &bound) {
  bool known = true;
  walk(e, [&](const ExprRef &node) {
    if (node->kind == ExprKind::Index && node->index != variable)
      known &= bool(bound[size_t(node->index)]);
  });
  return known;
}

} // namespace

bool codegen::isNonNegative(const ExprRef &e) {
  switch (e->kind) {
  case ExprKind::Index:
  case ExprKind::Extent:
    return true;
  case ExprKind::Int:
    return isUnsigned(e->type) || e->integer >= 0;
  case ExprKind::Cast:
    return isUnsigned(e->children[0]->type);
  case ExprKind::Binary: {
    const bool a = isNonNegative(e->children[0]),
               b = isNonNegative(e->children[1]);
    switch (e->binary) {
    case BinaryOp::Add:
    case BinaryOp::Mul:
    case BinaryOp::Min:
    case BinaryOp::Div:
    case BinaryOp::FloorDiv:
      return a && b;
    case BinaryOp::Max:
      return a || b;
    case BinaryOp::Mod:
      return b;
    default:
      return false;
    }
  }
  default:
    return false;
  }
}

ExprRef codegen::makeConditionsExplicit(const ExprRef &e) {
  return transform(e, [](const ExprRef &node) -> ExprRef {
    if (node->kind == ExprKind::Read && node->otherwise)
      return select(inRange(*node),
                    read(node->operand, node->type, node->children),
                    node->otherwise);
    if (!isIndexComparison(node) || readsData(node) || isCongruence(node))
      return nullptr;
    if (ExprRef simpler = withoutQuotient(*node))
      return simpler;
    if (isBinary(node, BinaryOp::Eq))
      return binary(BinaryOp::And,
                    binary(BinaryOp::Ge, node->children[0], node->children[1]),
                    binary(BinaryOp::Le, node->children[0], node->children[1]));
    return nullptr;
  });
}

ExprRef codegen::termOf(const Lambda &lambda) {
  ExprRef term = makeConditionsExplicit(lambda.body);
  if (!lambda.guard)
    return term;
  return select(makeConditionsExplicit(lambda.guard), term,
                identity(lambda.reducer, lambda.result));
}

bool codegen::isGuarded(const ExprRef &term, const ExprRef &nothing) {
  return term->kind == ExprKind::Select && equal(term->children[2], nothing);
}

std::optional<Linear> codegen::linearIn(const ExprRef &e, int variable) {
  IndexSum sum = indexSum(e);
  int64_t factor = 0;
  for (auto term = sum.terms.begin(); term != sum.terms.end(); ++term)
    if (term->atom->kind == ExprKind::Index && term->atom->index == variable) {
      factor = term->factor;
      sum.terms.erase(term);
      break;
    }
  for (const IndexSum::Term &term : sum.terms)
    if (uses(term.atom, variable))
      return std::nullopt;
  // Numbers near the ends of i64 would overflow in the arithmetic on them.
  constexpr int64_t limit = int64_t(1) << 31;
  if (factor == 0 || factor > limit || factor < -limit)
    return std::nullopt;
  return Linear{factor, sum.build()};
}

std::optional<Cut> codegen::cutOf(const ExprRef &comparison, int variable) {
  if (!isIndexComparison(comparison))
    return std::nullopt;
  const auto linear = linearIn(
      binary(BinaryOp::Sub, comparison->children[0], comparison->children[1]),
      variable);
  if (!linear)
    return std::nullopt;
  // factor * v + rest (op) 0: a * v (op) t, with the sides changed where the
  // factor is negative.
  const bool flip = linear->factor < 0;
  Cut cut{comparison, flip ? linear->rest : unary(UnaryOp::Neg, linear->rest),
          flip ? -linear->factor : linear->factor, false, false};
  switch (comparison->binary) {
  case BinaryOp::Lt:
    cut.below = !flip;
    cut.next = flip;
    break;
  case BinaryOp::Le:
    cut.below = !flip;
    cut.next = !flip;
    break;
  case BinaryOp::Gt:
    cut.below = flip;
    cut.next = !flip;
    break;
  case BinaryOp::Ge:
    cut.below = flip;
    cut.next = flip;
    break;
  default:
    return std::nullopt;
  }
  return cut;
}

void codegen::walkEvaluated(const ExprRef &e,
                            const std::function<void(const ExprRef &)> &visit) {
  visit(e);
  const bool lazy = e->kind == ExprKind::Select ||
                    (e->kind == ExprKind::Binary && e->type == DType::Bool &&
                     !isComparison(e->binary));
  for (const ExprRef &child : e->children) {
    walkEvaluated(child, visit);
    if (lazy)
      break;
  }
}

std::optional<Cut> codegen::findCut(const ExprRef &term, int variable,
                                    const std::vector<bool> &bound) {
  std::optional<Cut> found;
  walkEvaluated(term, [&](const ExprRef &node) {
    if (found || node->kind != ExprKind::Select)
      return;
    for (const ExprRef &part : conjuncts(node->children[0])) {
      if (isKnown(part, variable, bound))
        if ((found = cutOf(part, variable)))
          return;
      // A later part may read what only this one makes safe to read; not if it
      // tests data itself.
      if (!readsData(part))
        return;
    }
  });
  if (found)
    return found;
  walk(term, [&](const ExprRef &node) {
    if (!found && isIndexComparison(node) && !readsData(node) &&
        isKnown(node, variable, bound))
      found = cutOf(node, variable);
  });
  return found;
}

std::optional<Congruence>
codegen::findCongruence(const ExprRef &term, int variable,
                        const std::vector<bool> &bound) {
  if (term->kind != ExprKind::Select)
    return std::nullopt;
  for (const ExprRef &part : conjuncts(term->children[0])) {
    if (!isCongruence(part) || readsData(part) ||
        !isKnown(part, variable, bound))
      continue;
    const ExprRef &rest = part->children[0];
    const auto linear = linearIn(rest->children[0], variable);
    if (!linear || std::abs(linear->factor) != 1)
      continue;
    ExprRef remainder =
        linear->factor > 0
            ? binary(BinaryOp::Sub, part->children[1], linear->rest)
            : binary(BinaryOp::Sub, linear->rest, part->children[1]);
    return Congruence{part, remainder, rest->children[1]->integer};
  }
  return std::nullopt;
}

bool codegen::isBoundsCheck(const ExprRef &comparison) {
  // `label[i] - j >= 0` cuts a row anywhere.
  if (readsData(comparison))
    return false;
  const ExprRef &limit = comparison->children[1];
  return (comparison->binary == BinaryOp::Ge && limit->kind == ExprKind::Int &&
          limit->integer == 0) ||
         (comparison->binary == BinaryOp::Lt &&
          limit->kind == ExprKind::Extent);
}

ExprRef codegen::assume(const ExprRef &term, const ExprRef &comparison,
                        bool value) {
  return transform(term, [&](const ExprRef &node) -> ExprRef {
    return equal(node, comparison) ? constant(int64_t(value), DType::Bool)
                                   : nullptr;
  });
}

ExprRef codegen::mapTerm(const tdl::Lambda &lambda) {
  const ExprRef term = termOf(lambda);
  if (lambda.rank() == 0)
    return term;
  const int last = lambda.rank() - 1;
  // The equality as two inequalities, at which rows are cut.
  std::vector<ExprRef> equalities;
  walkEvaluated(term, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Select ||
        !(readsData(e->children[1]) || readsData(e->children[2])))
      return;
    const ExprRef &condition = e->children[0];
    if (condition->kind == ExprKind::Binary &&
        condition->binary == tdl::BinaryOp::Eq && readsData(condition) &&
        condition->children[0]->type == DType::I64 &&
        linearIn(tdl::binary(tdl::BinaryOp::Sub, condition->children[0],
                             condition->children[1]),
                 last))
      equalities.push_back(condition);
  });
  return transform(term, [&](const ExprRef &e) -> ExprRef {
    for (const ExprRef &equality : equalities)
      if (equal(e, equality))
        return tdl::binary(
            tdl::BinaryOp::And,
            tdl::binary(tdl::BinaryOp::Ge, e->children[0], e->children[1]),
            tdl::binary(tdl::BinaryOp::Le, e->children[0], e->children[1]));
    return nullptr;
  });
}
