// Random index expressions and conditions, and their values, for property tests
// from fixed seeds.
#ifndef SMEX_TEST_COMPILER_ANALYSIS_RANDOMEXPR_H
#define SMEX_TEST_COMPILER_ANALYSIS_RANDOMEXPR_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <functional>
#include <random>
#include <set>

namespace smex::analysis {

class RandomExpr {
public:
  RandomExpr(uint64_t seed, int indexCount)
      : engine(seed), indexCount(indexCount) {}

  int64_t number(int64_t least, int64_t most) {
    // Not std::uniform_int_distribution: its values differ between libraries.
    return least + int64_t(engine() % uint64_t(most - least + 1));
  }

  tdl::ExprRef affine() {
    tdl::ExprRef sum = tdl::constant(number(-3, 6));
    for (int v = 0; v < indexCount; ++v)
      if (number(0, 1))
        sum = tdl::binary(tdl::BinaryOp::Add, sum,
                          tdl::binary(tdl::BinaryOp::Mul, tdl::indexVar(v),
                                      tdl::constant(number(-3, 3))));
    return sum;
  }

  tdl::ExprRef index(int depth) {
    using tdl::BinaryOp;
    if (depth == 0)
      return affine();
    const tdl::ExprRef a = index(depth - 1);
    switch (number(0, 10)) {
    case 0:
      return tdl::binary(BinaryOp::Add, a, index(depth - 1));
    case 1:
      return tdl::binary(BinaryOp::Sub, a, index(depth - 1));
    case 2:
      return tdl::binary(BinaryOp::Mul, a, tdl::constant(number(-3, 4)));
    case 3:
    case 4:
      return tdl::binary(BinaryOp::FloorDiv, a, divisor());
    case 5:
    case 6:
      return tdl::binary(BinaryOp::Mod, a, divisor());
    case 7:
      return tdl::binary(number(0, 1) ? BinaryOp::Min : BinaryOp::Max, a,
                         index(depth - 1));
    case 8:
      return tdl::binary(number(0, 1) ? BinaryOp::Mul : BinaryOp::Div, a,
                         divisor());
    case 9:
      return tdl::unary(tdl::UnaryOp::Abs, a);
    default:
      return tdl::select(condition(depth - 1), a, index(depth - 1));
    }
  }

  tdl::ExprRef condition(int depth) {
    using tdl::BinaryOp;
    if (depth > 0 && number(0, 1)) {
      const tdl::ExprRef a = condition(depth - 1);
      if (number(0, 3) == 0)
        return tdl::unary(tdl::UnaryOp::Not, a);
      return tdl::binary(number(0, 1) ? BinaryOp::And : BinaryOp::Or, a,
                         condition(depth - 1));
    }
    const BinaryOp ops[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt,
                            BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
    return tdl::binary(ops[number(0, 5)], index(depth > 0 ? number(0, 1) : 0),
                       index(0));
  }

  /// A box within [0, most) per index variable; may be empty.
  Box box(int64_t most) {
    Box result;
    for (int v = 0; v < indexCount; ++v) {
      const int64_t lo = number(0, most - 1);
      result.push_back({lo, number(lo, most)});
    }
    return result;
  }

private:
  tdl::ExprRef divisor() {
    const int64_t value = number(-1, 5);
    return tdl::constant(value <= 0 ? value - 2 : value);
  }

  std::mt19937_64 engine;
  int indexCount;
};

/// Evaluates, lazily as the interpreter does, an expression without opaque
/// functions, and calls `onRead` for each read that is within the shape,
/// `onStray` for each without `else` that is not.
struct Enumerator {
  const std::vector<std::vector<int64_t>> &shapes;
  std::function<void(int operand, const std::vector<int64_t> &)> onRead;
  std::function<void()> onStray = nullptr;

  int64_t value(const tdl::ExprRef &e, const std::vector<int64_t> &at) const {
    using tdl::ExprKind;
    switch (e->kind) {
    case ExprKind::Index:
      return at[e->index];
    case ExprKind::Extent:
      return shapes[e->operand][e->dim];
    case ExprKind::Int:
      return e->integer;
    case ExprKind::Select:
      return value(e->children[value(e->children[0], at) ? 1 : 2], at);
    case ExprKind::Read: {
      std::vector<int64_t> index;
      bool inside = true;
      for (size_t d = 0; d < e->children.size(); ++d) {
        index.push_back(value(e->children[d], at));
        inside &= 0 <= index[d] && index[d] < shapes[e->operand][d];
      }
      if (!inside && !e->otherwise) {
        onStray();
        return 0;
      }
      if (!inside)
        return value(e->otherwise, at);
      onRead(e->operand, index);
      return 1;
    }
    case ExprKind::Unary:
      return tdl::evaluate(e->unary, e->type,
                           tdl::scalarOf(value(e->children[0], at)))
          .integer;
    case ExprKind::Binary: {
      tdl::Scalar result{};
      tdl::evaluate(e->binary, e->children[0]->type,
                    tdl::scalarOf(value(e->children[0], at)),
                    tdl::scalarOf(value(e->children[1], at)), result);
      return result.integer;
    }
    default:
      return 0;
    }
  }
};

/// Calls `visit` for every point of a box.
template <typename F> void forEachPoint(const Box &box, F &&visit) {
  if (isEmpty(box))
    return;
  std::vector<int64_t> at;
  for (Interval side : box)
    at.push_back(side.lo);
  for (;;) {
    visit(at);
    size_t d = box.size();
    while (d > 0 && ++at[d - 1] == box[d - 1].hi) {
      at[d - 1] = box[d - 1].lo;
      --d;
    }
    if (d == 0)
      return;
  }
}

} // namespace smex::analysis

#endif
