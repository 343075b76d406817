#include "dialects/tdl/analysis/ListValues.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;
using tdl::UnaryOp;

namespace {

void addConditions(const ExprRef &e, std::vector<ExprRef> &conditions) {
  if (e->kind == ExprKind::Binary && e->binary == BinaryOp::And) {
    addConditions(e->children[0], conditions);
    addConditions(e->children[1], conditions);
  } else {
    conditions.push_back(e);
  }
}

ExprRef plusOne(const ExprRef &e) {
  return tdl::binary(BinaryOp::Add, e, tdl::constant(int64_t(1), e->type));
}

DType typeOfOperand(const ExprRef &e) { return e->children[0]->type; }

} // namespace

bool analysis::isKnown(const ExprRef &e, const KnownLists &lists) {
  const auto areKnown = [&](const std::vector<ExprRef> &all) {
    return std::all_of(all.begin(), all.end(), [&](const ExprRef &each) {
      return isKnown(each, lists);
    });
  };
  switch (e->kind) {
  case ExprKind::Index:
  case ExprKind::Extent:
  case ExprKind::Int:
    return true;
  case ExprKind::Read:
    return lists[size_t(e->operand)] && !e->otherwise && areKnown(e->children);
  case ExprKind::Unary:
    return (e->unary == UnaryOp::Neg || e->unary == UnaryOp::Not) &&
           areKnown(e->children);
  case ExprKind::Cast:
    return isInteger(e->type) && isInteger(e->children[0]->type) &&
           areKnown(e->children);
  case ExprKind::Select:
    return areKnown(e->children);
  case ExprKind::Binary:
    break;
  case ExprKind::Float:
  case ExprKind::Opaque:
    return false;
  }
  switch (e->binary) {
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return e->children[1]->kind == ExprKind::Int &&
           e->children[1]->integer != 0 && areKnown(e->children);
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul:
  case BinaryOp::Min:
  case BinaryOp::Max:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return std::none_of(
               e->children.begin(), e->children.end(),
               [](const ExprRef &each) { return isFloat(each->type); }) &&
           areKnown(e->children);
  default:
    return false;
  }
}

std::vector<int>
analysis::variablesOf(const std::vector<ExprRef> &expressions) {
  std::set<int> variables;
  for (const ExprRef &e : expressions)
    tdl::walk(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Index)
        variables.insert(node->index);
    });
  return {variables.begin(), variables.end()};
}

std::vector<bool> analysis::readByGuard(const tdl::Lambda &lambda) {
  std::vector<bool> isRead(lambda.operands.size());
  tdl::walk(lambda.guard, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      isRead[size_t(e->operand)] = true;
  });
  return isRead;
}

TermBounds analysis::boundsOf(const tdl::Lambda &lambda,
                              const KnownLists &lists) {
  TermBounds bounds;
  if (!lambda.guard)
    return bounds;
  std::vector<ExprRef> conditions;
  addConditions(lambda.guard, conditions);
  for (const ExprRef &condition : conditions) {
    if (condition->kind != ExprKind::Binary)
      continue;
    for (int side = 0; side < 2; ++side) {
      const ExprRef &variable = condition->children[size_t(side)],
                    &limit = condition->children[size_t(1 - side)];
      if (variable->kind != ExprKind::Index ||
          variable->index < lambda.rank() ||
          (bounds.variable >= 0 && bounds.variable != variable->index) ||
          tdl::uses(limit, variable->index) || !tdl::readsData(limit) ||
          !isKnown(limit, lists))
        continue;
      // As `variable OP limit`.
      BinaryOp op = condition->binary;
      if (side == 1)
        op = op == BinaryOp::Lt   ? BinaryOp::Gt
             : op == BinaryOp::Le ? BinaryOp::Ge
             : op == BinaryOp::Gt ? BinaryOp::Lt
             : op == BinaryOp::Ge ? BinaryOp::Le
                                  : op;
      if (op == BinaryOp::Lt)
        bounds.highs.push_back(limit);
      else if (op == BinaryOp::Le)
        bounds.highs.push_back(plusOne(limit));
      else if (op == BinaryOp::Ge)
        bounds.lows.push_back(limit);
      else if (op == BinaryOp::Gt)
        bounds.lows.push_back(plusOne(limit));
      else
        continue;
      bounds.variable = variable->index;
    }
  }
  std::vector<ExprRef> limits = bounds.lows;
  limits.insert(limits.end(), bounds.highs.begin(), bounds.highs.end());
  bounds.variables = variablesOf(limits);
  return bounds;
}

int64_t ListPoint::value(const ExprRef &e) const {
  const auto operand = [&] { return tdl::scalarOf(value(e->children[0])); };
  switch (e->kind) {
  case ExprKind::Index:
    return at[size_t(e->index)];
  case ExprKind::Extent:
    return shapes[size_t(e->operand)][size_t(e->dim)];
  case ExprKind::Int:
    return e->integer;
  case ExprKind::Read:
    return element(*e);
  case ExprKind::Unary:
    return tdl::evaluate(e->unary, typeOfOperand(e), operand()).integer;
  case ExprKind::Cast:
    return tdl::convert(typeOfOperand(e), e->type, operand()).integer;
  case ExprKind::Select:
    return value(e->children[value(e->children[0]) ? 1 : 2]);
  case ExprKind::Binary:
    return combined(e);
  case ExprKind::Float:
  case ExprKind::Opaque:
    break; // isKnown refuses them
  }
  return 0;
}

/// isKnown leaves no division by zero.
int64_t ListPoint::combined(const ExprRef &e) const {
  // The place of the next offset, of each vertex.
  if (e->binary == BinaryOp::Add && typeOfOperand(e) == DType::I64)
    return int64_t(uint64_t(value(e->children[0])) +
                   uint64_t(value(e->children[1])));
  tdl::Scalar result = tdl::scalarOf(int64_t(0));
  tdl::evaluate(e->binary, typeOfOperand(e),
                tdl::scalarOf(value(e->children[0])),
                tdl::scalarOf(value(e->children[1])), result);
  return result.integer;
}

/// An index that leads out of a list is kept within it, as kernels do.
int64_t ListPoint::element(const Expr &e) const {
  const KnownList &list = *lists[size_t(e.operand)];
  int64_t place = 0;
  for (size_t d = 0; d < list.shape.size(); ++d) {
    if (list.shape[d] == 0)
      return 0;
    place = place * list.shape[d] +
            std::clamp<int64_t>(value(e.children[d]), 0, list.shape[d] - 1);
  }
  return list.values[size_t(place)];
}

Interval ListPoint::within(const TermBounds &bounds, Interval terms) const {
  for (const ExprRef &low : bounds.lows)
    terms.lo = std::max(terms.lo, value(low));
  for (const ExprRef &high : bounds.highs)
    terms.hi = std::min(terms.hi, value(high));
  return terms;
}
