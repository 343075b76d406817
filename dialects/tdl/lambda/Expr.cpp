#include "dialects/tdl/lambda/Expr.h"

#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/IndexSum.h"
#include "dialects/tdl/lambda/RawExpr.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace smex;
using namespace smex::tdl;

namespace {

std::shared_ptr<Expr> makeNode(ExprKind kind, DType type) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->type = type;
  return e;
}

/// Sets depth and size once the children are in place.
ExprRef finish(std::shared_ptr<Expr> e) {
  constexpr int64_t sizeLimit = int64_t(1) << 40;
  const auto count = [&](const ExprRef &child) {
    if (!child)
      return;
    e->depth = std::max(e->depth, child->depth + 1);
    e->size = std::min(sizeLimit, e->size + child->size);
  };
  for (const ExprRef &child : e->children)
    count(child);
  count(e->otherwise);
  for (const Expr::Slice &slice : e->slices)
    for (const ExprRef &child : slice.index)
      count(child);
  return e;
}

Scalar valueOf(const ExprRef &e) {
  return e->kind == ExprKind::Int ? scalarOf(e->integer) : scalarOf(e->real);
}

ExprRef constantOf(DType type, Scalar value) {
  auto e = makeNode(isFloat(type) ? ExprKind::Float : ExprKind::Int, type);
  if (isFloat(type)) // one NaN, whatever bits it was computed with
    e->real = std::isnan(value.real) ? std::numeric_limits<double>::quiet_NaN()
                                     : value.real;
  else
    e->integer = value.integer;
  return e;
}

bool isInt(const ExprRef &e, int64_t value) {
  return e->kind == ExprKind::Int && e->integer == value;
}
bool isNumber(const ExprRef &e, int64_t value) {
  return isInt(e, value) ||
         (e->kind == ExprKind::Float && e->real == double(value));
}

/// One operand leaves the other as it is, whatever its value. x + 0.0 is not
/// among these: it turns -0.0 into 0.0.
ExprRef neutral(BinaryOp op, const ExprRef &a, const ExprRef &b) {
  switch (op) {
  case BinaryOp::Add:
    return isInt(b, 0) ? a : isInt(a, 0) ? b : nullptr;
  case BinaryOp::Sub:
    return isInt(b, 0) ? a : nullptr;
  case BinaryOp::Mul:
    return isNumber(b, 1) ? a : isNumber(a, 1) ? b : nullptr;
  case BinaryOp::Div:
    return isNumber(b, 1) ? a : nullptr;
  case BinaryOp::FloorDiv:
    return isInt(b, 1) ? a : nullptr;
  case BinaryOp::Mod:
  case BinaryOp::Rem:
    return isInt(b, 1) ? constant(0, b->type) : nullptr;
  case BinaryOp::Pow:
    return isNumber(b, 1) ? a : nullptr;
  case BinaryOp::And: // bool only: the constants of integers are not all ones
    if (a->type != DType::Bool)
      return nullptr;
    return isInt(a, 1) || isInt(b, 0)   ? b
           : isInt(b, 1) || isInt(a, 0) ? a
                                        : nullptr;
  case BinaryOp::Or:
    if (a->type != DType::Bool)
      return nullptr;
    return isInt(a, 0) || isInt(b, 1)   ? b
           : isInt(b, 0) || isInt(a, 1) ? a
                                        : nullptr;
  default:
    return nullptr;
  }
}

/// Sums and multiples of i64 go through IndexSum.
ExprRef indexArithmetic(BinaryOp op, const ExprRef &a, const ExprRef &b) {
  if (op == BinaryOp::Add || op == BinaryOp::Sub) {
    IndexSum sum = indexSum(a);
    sum.add(b, op == BinaryOp::Add ? 1 : -1);
    return sum.build();
  }
  if (op != BinaryOp::Mul)
    return nullptr;
  IndexSum sum;
  if (isConstant(a) || isConstant(b)) {
    const bool left = isConstant(a);
    sum.add(left ? b : a, (left ? a : b)->integer);
    return sum.build();
  }
  // Constant factors of both sides come out: (x * 2) * y is (x * y) * 2.
  int64_t factor = 1;
  const auto strip = [&](const ExprRef &e) {
    if (e->kind != ExprKind::Binary || e->binary != BinaryOp::Mul ||
        !isConstant(e->children[1]))
      return e;
    factor = int64_t(uint64_t(factor) * uint64_t(e->children[1]->integer));
    return e->children[0];
  };
  const ExprRef x = strip(a), y = strip(b);
  sum.add(rawBinary(BinaryOp::Mul, DType::I64, x, y), factor);
  return sum.build();
}

bool sameIndex(const std::vector<ExprRef> &a, const std::vector<ExprRef> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

} // namespace

ExprRef tdl::rawUnary(UnaryOp op, DType type, ExprRef a) {
  auto e = makeNode(ExprKind::Unary, type);
  e->unary = op;
  e->children = {std::move(a)};
  return finish(std::move(e));
}

ExprRef tdl::rawBinary(BinaryOp op, DType type, ExprRef a, ExprRef b) {
  auto e = makeNode(ExprKind::Binary, type);
  e->binary = op;
  e->children = {std::move(a), std::move(b)};
  return finish(std::move(e));
}

ExprRef tdl::indexVar(int index) {
  auto e = makeNode(ExprKind::Index, DType::I64);
  e->index = index;
  return e;
}

ExprRef tdl::extentOf(int operand, int dim) {
  auto e = makeNode(ExprKind::Extent, DType::I64);
  e->operand = operand;
  e->dim = dim;
  return e;
}

ExprRef tdl::constant(int64_t value, DType type) {
  return constantOf(type, convert(DType::I64, type, scalarOf(value)));
}

ExprRef tdl::constant(double value, DType type) {
  return constantOf(type, convert(DType::F64, type, scalarOf(value)));
}

ExprRef tdl::read(int operand, DType type, std::vector<ExprRef> index,
                  ExprRef otherwise) {
  auto e = makeNode(ExprKind::Read, type);
  e->operand = operand;
  e->children = std::move(index);
  e->otherwise = std::move(otherwise);
  return finish(std::move(e));
}

ExprRef tdl::unary(UnaryOp op, ExprRef a) {
  const bool tests = op == UnaryOp::IsNan || op == UnaryOp::IsInf;
  const DType type = tests ? DType::Bool : a->type;
  if (!isFloat(a->type)) {
    // An integer is its own floor, and neither infinite nor NaN.
    if (tests)
      return constant(0, DType::Bool);
    if (op >= UnaryOp::Floor && op <= UnaryOp::Trunc)
      return a;
  }
  if (isConstant(a) && accepts(op, a->type))
    return constantOf(type, evaluate(op, a->type, valueOf(a)));
  if (op == UnaryOp::Neg && type == DType::I64) {
    IndexSum sum;
    sum.add(a, -1);
    return sum.build();
  }
  if (op == UnaryOp::Not && a->kind == ExprKind::Unary && a->unary == op)
    return a->children[0];
  return rawUnary(op, type, std::move(a));
}

ExprRef tdl::binary(BinaryOp op, ExprRef a, ExprRef b) {
  const DType type = isComparison(op) ? DType::Bool : a->type;
  if (isConstant(a) && isConstant(b) && a->type == b->type &&
      accepts(op, a->type)) {
    Scalar value;
    if (evaluate(op, a->type, valueOf(a), valueOf(b), value))
      return constantOf(type, value);
  }
  if (ExprRef same = neutral(op, a, b))
    return same;
  if (type == DType::I64 && b->type == DType::I64)
    if (ExprRef sum = indexArithmetic(op, a, b))
      return sum;
  return rawBinary(op, type, std::move(a), std::move(b));
}

ExprRef tdl::select(ExprRef condition, ExprRef a, ExprRef b) {
  if (isConstant(condition))
    return condition->integer ? a : b;
  if (equal(a, b))
    return a;
  auto e = makeNode(ExprKind::Select, a->type);
  e->children = {std::move(condition), std::move(a), std::move(b)};
  return finish(std::move(e));
}

ExprRef tdl::cast(DType type, ExprRef a) {
  if (a->type == type)
    return a;
  if (isConstant(a))
    return constantOf(type, convert(a->type, type, valueOf(a)));
  auto e = makeNode(ExprKind::Cast, type);
  e->children = {std::move(a)};
  return finish(std::move(e));
}

ExprRef tdl::opaque(std::string function, DType type,
                    std::vector<double> arguments,
                    std::vector<Expr::Slice> slices,
                    std::vector<ExprRef> index) {
  auto e = makeNode(ExprKind::Opaque, type);
  e->function = std::move(function);
  e->arguments = std::move(arguments);
  e->slices = std::move(slices);
  e->children = std::move(index);
  return finish(std::move(e));
}

ExprRef tdl::substitute(const ExprRef &e, const std::vector<ExprRef> &values) {
  return rebuild(e, [&](const Expr &node, std::vector<ExprRef> children,
                        ExprRef otherwise, std::vector<Expr::Slice> slices) {
    if (node.kind == ExprKind::Index)
      return values[size_t(node.index)] ? values[size_t(node.index)]
                                        : indexVar(node.index);
    return withChildren(node, std::move(children), std::move(otherwise),
                        std::move(slices));
  });
}

ExprRef tdl::withChildren(const Expr &e, std::vector<ExprRef> children,
                          ExprRef otherwise, std::vector<Expr::Slice> slices) {
  switch (e.kind) {
  case ExprKind::Index:
    return indexVar(e.index);
  case ExprKind::Extent:
    return extentOf(e.operand, e.dim);
  case ExprKind::Int:
    return constantOf(e.type, scalarOf(e.integer));
  case ExprKind::Float:
    return constantOf(e.type, scalarOf(e.real));
  case ExprKind::Read:
    return read(e.operand, e.type, std::move(children), std::move(otherwise));
  case ExprKind::Unary:
    return unary(e.unary, std::move(children[0]));
  case ExprKind::Binary:
    return binary(e.binary, std::move(children[0]), std::move(children[1]));
  case ExprKind::Select:
    return select(std::move(children[0]), std::move(children[1]),
                  std::move(children[2]));
  case ExprKind::Cast:
    return cast(e.type, std::move(children[0]));
  case ExprKind::Opaque:
    break;
  }
  return opaque(e.function, e.type, e.arguments, std::move(slices),
                std::move(children));
}

bool tdl::equal(const ExprRef &a, const ExprRef &b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->type != b->type ||
      a->size != b->size || a->index != b->index || a->operand != b->operand ||
      a->dim != b->dim || a->integer != b->integer ||
      !sameBits(a->real, b->real) || a->unary != b->unary ||
      a->binary != b->binary || a->function != b->function ||
      a->arguments.size() != b->arguments.size() ||
      a->slices.size() != b->slices.size())
    return false;
  for (size_t i = 0; i < a->arguments.size(); ++i)
    if (!sameBits(a->arguments[i], b->arguments[i]))
      return false;
  for (size_t i = 0; i < a->slices.size(); ++i)
    if (a->slices[i].operand != b->slices[i].operand ||
        !sameIndex(a->slices[i].index, b->slices[i].index))
      return false;
  return sameIndex(a->children, b->children) &&
         equal(a->otherwise, b->otherwise);
}

bool tdl::readsData(const ExprRef &e) {
  bool found = false;
  walk(e, [&](const ExprRef &node) {
    found |= node->kind == ExprKind::Read || node->kind == ExprKind::Opaque;
  });
  return found;
}

bool tdl::uses(const ExprRef &e, int index) {
  bool found = false;
  walk(e, [&](const ExprRef &node) {
    found |= node->kind == ExprKind::Index && node->index == index;
  });
  return found;
}
