#include "dialects/tdl/analysis/ValueRange.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

using Wide = __int128; // holds sums and products of two i64

ValueRange narrow(Wide first, Wide last) {
  if (first < INT64_MIN || last > INT64_MAX)
    return {}; // may have wrapped around
  return {int64_t(first), int64_t(last)};
}

ValueRange ofType(DType type) {
  if (type == DType::Bool)
    return {0, 1};
  const int bits = int(byteSize(type)) * 8;
  if (!isInteger(type) || bits == 64)
    return {};
  const int64_t top = (int64_t(1) << (isSigned(type) ? bits - 1 : bits)) - 1;
  return {isSigned(type) ? -top - 1 : 0, top};
}

Wide floorDivide(Wide a, Wide b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Of an operation that is monotone in each operand.
template <typename F> ValueRange corners(ValueRange a, ValueRange b, F &&f) {
  const Wide all[] = {f(a.first, b.first), f(a.first, b.last),
                      f(a.last, b.first), f(a.last, b.last)};
  return narrow(*std::min_element(all, all + 4),
                *std::max_element(all, all + 4));
}

/// The divisor is not 0. Signs as of a floor's rest.
ValueRange modulo(ValueRange a, ValueRange b) {
  if (b.isPoint()) {
    const Wide quotient = floorDivide(a.first, b.first);
    if (quotient == floorDivide(a.last, b.first))
      return narrow(a.first - quotient * b.first, a.last - quotient * b.first);
  }
  return b.first > 0 ? ValueRange{0, b.last - 1} : ValueRange{b.first + 1, 0};
}

/// The divisor is not 0. Signs as of the dividend.
ValueRange remainder(ValueRange a, ValueRange b) {
  const Wide least = b.first > 0 ? Wide(b.first) : -Wide(b.last);
  const Wide most = b.first > 0 ? Wide(b.last) : -Wide(b.first);
  if (a.isPoint() && b.isPoint()) {
    const Wide rest = Wide(a.first) % b.first;
    return narrow(rest, rest);
  }
  if (a.first > -least && a.last < least)
    return a;
  return narrow(a.first < 0 ? 1 - most : Wide(0),
                a.last > 0 ? most - 1 : Wide(0));
}

ValueRange binary(BinaryOp op, ValueRange a, ValueRange b) {
  switch (op) {
  case BinaryOp::Add:
    return narrow(Wide(a.first) + b.first, Wide(a.last) + b.last);
  case BinaryOp::Sub:
    return narrow(Wide(a.first) - b.last, Wide(a.last) - b.first);
  case BinaryOp::Mul:
    return corners(a, b, [](Wide x, Wide y) { return x * y; });
  case BinaryOp::Min:
    return {std::min(a.first, b.first), std::min(a.last, b.last)};
  case BinaryOp::Max:
    return {std::max(a.first, b.first), std::max(a.last, b.last)};
  default:
    break;
  }
  if (b.contains(0))
    return {};
  switch (op) {
  case BinaryOp::FloorDiv:
    return corners(a, b, floorDivide);
  case BinaryOp::Div:
    return corners(a, b, [](Wide x, Wide y) { return x / y; });
  case BinaryOp::Mod:
    return modulo(a, b);
  case BinaryOp::Rem:
    return remainder(a, b);
  default:
    return {};
  }
}

Truth negated(Truth truth) { return Truth(int(Truth::Always) - int(truth)); }

/// Of a difference, against 0.
Truth compared(BinaryOp op, ValueRange d) {
  const auto less = [](ValueRange r, int64_t than) { // r < than
    return r.last < than    ? Truth::Always
           : r.first < than ? Truth::Perhaps
                            : Truth::Never;
  };
  switch (op) {
  case BinaryOp::Lt:
    return less(d, 0);
  case BinaryOp::Le:
    return less(d, 1);
  case BinaryOp::Gt:
    return negated(less(d, 1));
  case BinaryOp::Ge:
    return negated(less(d, 0));
  case BinaryOp::Eq:
  case BinaryOp::Ne: {
    const Truth equal = !d.contains(0) ? Truth::Never
                        : d.isPoint()  ? Truth::Always
                                       : Truth::Perhaps;
    return op == BinaryOp::Eq ? equal : negated(equal);
  }
  default:
    return Truth::Perhaps;
  }
}

} // namespace

const std::optional<Affine> &RangeEvaluator::normal(const ExprRef &e) {
  const auto [entry, isNew] = known.try_emplace(e.get());
  if (isNew)
    entry->second = {e, affine(e, &shapes)};
  return entry->second.affine;
}

ValueRange RangeEvaluator::sum(const Affine &a, const Box &box) {
  constexpr Wide farthest = Wide(1) << 100; // many of these still fit
  Wide first = a.constant, last = a.constant;
  for (const Affine::Term &term : a.terms) {
    const ValueRange of = plain(term.atom, box);
    Wide p = Wide(of.first) * term.factor, q = Wide(of.last) * term.factor;
    if (p > q)
      std::swap(p, q);
    if (p < -farthest || q > farthest)
      return {};
    first += p;
    last += q;
  }
  return narrow(first, last);
}

ValueRange RangeEvaluator::range(const ExprRef &e, const Box &box) {
  if (e->type == DType::I64 && e->kind == ExprKind::Binary)
    if (const auto &a = normal(e))
      return sum(*a, box);
  return plain(e, box);
}

ValueRange RangeEvaluator::plain(const ExprRef &e, const Box &box) {
  if (e->kind == ExprKind::Int)
    return {e->integer, e->integer};
  // Other integers wrap around elsewhere.
  if (e->type != DType::I64 && e->kind != ExprKind::Select)
    return ofType(e->type);
  const auto child = [&](size_t i) { return range(e->children[i], box); };
  switch (e->kind) {
  case ExprKind::Index: {
    const Interval of = box[size_t(e->index)];
    return {of.lo, of.hi - 1};
  }
  case ExprKind::Extent: {
    const int64_t extent = shapes[size_t(e->operand)][size_t(e->dim)];
    return {extent, extent};
  }
  case ExprKind::Unary: {
    const ValueRange a = child(0);
    const ValueRange minus = narrow(-Wide(a.last), -Wide(a.first));
    if (e->unary == tdl::UnaryOp::Neg)
      return minus;
    if (e->unary != tdl::UnaryOp::Abs)
      return {};
    if (a.first >= 0)
      return a;
    if (a.last <= 0 || a.first == INT64_MIN)
      return minus;
    return {0, std::max(minus.last, a.last)};
  }
  case ExprKind::Binary:
    return binary(e->binary, child(0), child(1));
  case ExprKind::Select: {
    const Truth which = truth(e->children[0], box);
    if (which != Truth::Perhaps)
      return child(which == Truth::Always ? 1 : 2);
    const ValueRange a = child(1), b = child(2);
    return {std::min(a.first, b.first), std::max(a.last, b.last)};
  }
  case ExprKind::Cast: {
    const ExprRef &from = e->children[0];
    if (from->type == DType::Bool)
      switch (truth(from, box)) {
      case Truth::Always:
        return {1, 1};
      case Truth::Never:
        return {0, 0};
      case Truth::Perhaps:
        return {0, 1};
      }
    if (!isInteger(from->type))
      return {};
    return from->type == DType::I64 ? range(from, box) : plain(from, box);
  }
  default:
    return {};
  }
}

Truth RangeEvaluator::compare(const ExprRef &e, const Box &box) {
  const ExprRef &a = e->children[0], &b = e->children[1];
  if (a->type != DType::I64)
    return Truth::Perhaps;
  const auto &left = normal(a);
  const auto &right = normal(b);
  if (left && right)
    if (const auto difference = subtract(*left, *right))
      return compared(e->binary, sum(*difference, box));
  return compared(e->binary,
                  binary(BinaryOp::Sub, range(a, box), range(b, box)));
}

Truth RangeEvaluator::truth(const ExprRef &condition, const Box &box) {
  if (condition->kind == ExprKind::Int)
    return condition->integer ? Truth::Always : Truth::Never;
  if (condition->kind == ExprKind::Unary &&
      condition->unary == tdl::UnaryOp::Not)
    return negated(truth(condition->children[0], box));
  if (condition->kind != ExprKind::Binary)
    return Truth::Perhaps;
  const bool isAnd = condition->binary == BinaryOp::And;
  if (isAnd || condition->binary == BinaryOp::Or) {
    const Truth a = truth(condition->children[0], box);
    const Truth b = truth(condition->children[1], box);
    return isAnd ? std::min(a, b) : std::max(a, b);
  }
  return tdl::isComparison(condition->binary) ? compare(condition, box)
                                              : Truth::Perhaps;
}

Truth RangeEvaluator::inside(const ExprRef &read, const Box &box) {
  Truth all = Truth::Always;
  for (size_t d = 0; d < read->children.size(); ++d) {
    const ValueRange at = range(read->children[d], box);
    const int64_t extent = shapes[size_t(read->operand)][d];
    if (at.last < 0 || at.first >= extent)
      return Truth::Never;
    if (at.first < 0 || at.last >= extent)
      all = Truth::Perhaps;
  }
  return all;
}
