#include "dialects/tdl/lambda/Simplify.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

using Wide = __int128; // holds every product of two ends

std::optional<Range> narrow(Wide lo, Wide hi) {
  if (lo < INT64_MIN || hi > INT64_MAX)
    return std::nullopt;
  return Range{int64_t(lo), int64_t(hi)};
}

int64_t floorDivide(int64_t a, int64_t positive) {
  return a / positive - (a % positive < 0);
}

std::optional<Range> ofType(DType type) {
  const int bits = int(byteSize(type)) * 8;
  if (type == DType::Bool)
    return Range{0, 1};
  if (!isInteger(type) || bits == 64)
    return std::nullopt;
  const int64_t top = (int64_t(1) << (isSigned(type) ? bits - 1 : bits)) - 1;
  return Range{isSigned(type) ? -top - 1 : 0, top};
}

std::optional<Range> ofBinary(const Expr &e, Range a, Range b) {
  switch (e.binary) {
  case BinaryOp::Add:
    return narrow(Wide(a.lo) + b.lo, Wide(a.hi) + b.hi);
  case BinaryOp::Sub:
    return narrow(Wide(a.lo) - b.hi, Wide(a.hi) - b.lo);
  case BinaryOp::Mul: {
    const Wide corners[] = {Wide(a.lo) * b.lo, Wide(a.lo) * b.hi,
                            Wide(a.hi) * b.lo, Wide(a.hi) * b.hi};
    return narrow(*std::min_element(corners, corners + 4),
                  *std::max_element(corners, corners + 4));
  }
  case BinaryOp::FloorDiv:
    if (b.lo != b.hi || b.lo <= 0)
      return std::nullopt;
    return Range{floorDivide(a.lo, b.lo), floorDivide(a.hi, b.lo)};
  case BinaryOp::Mod:
    if (b.lo <= 0)
      return std::nullopt;
    if (a.lo >= 0 && a.hi < b.lo)
      return a;
    return Range{0, b.hi - 1};
  case BinaryOp::Min:
    return Range{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  case BinaryOp::Max:
    return Range{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<Range> tdl::rangeOf(const ExprRef &e,
                                  const std::vector<Interval> &indices) {
  const auto child = [&](size_t i) { return rangeOf(e->children[i], indices); };
  switch (e->kind) {
  case ExprKind::Int:
    return Range{e->integer, e->integer};
  case ExprKind::Index: {
    const Interval range = indices[size_t(e->index)];
    // Nothing is ever evaluated for an empty one.
    return Range{range.lo, std::max(range.lo, range.hi - 1)};
  }
  case ExprKind::Extent:
    return Range{0, INT64_MAX};
  case ExprKind::Unary:
    if (auto a = child(0); a && e->unary == UnaryOp::Neg)
      return narrow(-Wide(a->hi), -Wide(a->lo));
    return std::nullopt;
  case ExprKind::Binary: {
    if (e->type != DType::I64)
      return std::nullopt;
    const auto a = child(0), b = child(1);
    if (e->binary == BinaryOp::Mod && b && !a && b->lo > 0)
      return Range{0, b->hi - 1}; // whatever it is the rest of
    return a && b ? ofBinary(*e, *a, *b) : std::nullopt;
  }
  case ExprKind::Select: {
    const auto a = child(1), b = child(2);
    if (!a || !b)
      return std::nullopt;
    return Range{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
  }
  case ExprKind::Cast:
    return e->type == DType::I64 ? ofType(e->children[0]->type) : std::nullopt;
  default:
    return std::nullopt;
  }
}
