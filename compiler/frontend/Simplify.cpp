#include "compiler/frontend/Simplify.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <cstring>

using namespace smex;
using namespace smex::tdl;

ExprRef smex::frontend::uniformValue(const Tensor &tensor) {
  const DType type = tensor.type.dtype;
  const size_t size = size_t(byteSize(type));
  if (tensor.bytes.empty())
    return nullptr;
  for (size_t at = size; at < tensor.bytes.size(); at += size)
    if (std::memcmp(&tensor.bytes[at], &tensor.bytes[0], size) != 0)
      return nullptr;
  const Scalar value = load(type, tensor.bytes.data());
  return isFloat(type) ? constant(value.real, type)
                       : constant(value.integer, type);
}

static bool isNumber(const ExprRef &e, double value) {
  return (e->kind == ExprKind::Float && e->real == value) ||
         (e->kind == ExprKind::Int && e->integer == int64_t(value));
}

/// x + 0, x * 1, x ** 2: what exporters spell with constants. The sign of a
/// zero is not kept.
static ExprRef withoutNeutral(const ExprRef &e) {
  if (e->kind != ExprKind::Binary || !isFloat(e->type))
    return nullptr;
  const ExprRef &a = e->children[0], &b = e->children[1];
  const bool read = a->kind == ExprKind::Read;
  switch (e->binary) {
  case BinaryOp::Add:
    return isNumber(b, 0) ? a : isNumber(a, 0) ? b : nullptr;
  case BinaryOp::Sub:
    return isNumber(b, 0) ? a : nullptr;
  case BinaryOp::Mul:
    return isNumber(b, 1) ? a : isNumber(a, 1) ? b : nullptr;
  case BinaryOp::Div:
    return isNumber(b, 1) ? a : nullptr;
  case BinaryOp::Pow:
    return isNumber(b, 1)           ? a
           : isNumber(b, 2) && read ? binary(BinaryOp::Mul, a, a)
           : isNumber(b, 0.5)       ? unary(UnaryOp::Sqrt, a)
                                    : nullptr;
  default:
    return nullptr;
  }
}

Lambda smex::frontend::substitute(const Lambda &lambda,
                                  const std::vector<ExprRef> &numbers,
                                  std::vector<int> &kept) {
  Lambda result = lambda;
  const auto replace = [&](const ExprRef &e) -> ExprRef {
    // A read that may be out of range is not the number there.
    if (e->kind == ExprKind::Read && !e->otherwise)
      return numbers[e->operand];
    return withoutNeutral(e);
  };
  result.body = transform(lambda.body, replace);
  result.guard = transform(lambda.guard, replace);

  std::vector<bool> used(lambda.operands.size());
  const auto mark = [&](const ExprRef &e) {
    if (e->operand >= 0)
      used[e->operand] = true;
    for (const auto &slice : e->slices)
      used[slice.operand] = true;
  };
  walk(result.body, mark);
  walk(result.guard, mark);
  std::vector<int> number(used.size(), -1);
  kept.clear();
  result.operands.clear();
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) {
      number[i] = int(kept.size());
      kept.push_back(int(i));
      result.operands.push_back(lambda.operands[i]);
    }
  const auto renumber = [&](const ExprRef &e) -> ExprRef {
    if (e->kind == ExprKind::Extent)
      return extentOf(number[e->operand], e->dim);
    if (e->kind == ExprKind::Read)
      return read(number[e->operand], e->type, e->children, e->otherwise);
    if (e->kind != ExprKind::Opaque)
      return nullptr;
    auto slices = e->slices;
    for (auto &slice : slices)
      slice.operand = number[slice.operand];
    return opaque(e->function, e->type, e->arguments, std::move(slices),
                  e->children);
  };
  result.body = transform(result.body, renumber);
  result.guard = transform(result.guard, renumber);
  return canonicalize(std::move(result));
}

std::optional<std::vector<int>>
smex::frontend::plainRead(const Lambda &lambda) {
  const Expr &e = *lambda.body;
  if (lambda.reducer != Reducer::None || e.kind != ExprKind::Read ||
      e.otherwise)
    return std::nullopt;
  std::vector<int> at;
  for (const ExprRef &index : e.children) {
    if (index->kind == ExprKind::Index)
      at.push_back(index->index);
    else if (index->kind == ExprKind::Int && index->integer == 0)
      at.push_back(-1);
    else
      return std::nullopt;
  }
  return at;
}
