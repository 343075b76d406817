#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/Conditions.h"

#include "test/dialects/tdl/analysis/Lambdas.h"
#include "test/dialects/tdl/analysis/RandomExpr.h"

using namespace smex;
using namespace smex::analysis;

namespace {

const std::vector<std::vector<int64_t>> kShapes = {{5, 7}, {9}};

/// The hull of the elements that are really read, per operand.
std::vector<Box> enumerated(const tdl::Lambda &lambda, const Box &indices) {
  std::vector<Box> hulls;
  for (const auto &shape : kShapes)
    hulls.push_back(Box(shape.size()));
  const Enumerator enumerator{
      kShapes, [&](int operand, const std::vector<int64_t> &index) {
        for (size_t d = 0; d < index.size(); ++d)
          hulls[operand][d] =
              hull(hulls[operand][d], Interval{index[d], index[d] + 1});
      }};
  forEachPoint(indices, [&](const std::vector<int64_t> &at) {
    if (!lambda.guard || enumerator.value(lambda.guard, at))
      enumerator.value(lambda.body, at);
  });
  for (Box &box : hulls)
    if (isEmpty(box)) // both operands have dimensions
      box = Box::absent(box.size());
  return hulls;
}

tdl::Lambda emptyLambda() {
  tdl::Lambda lambda;
  lambda.operands = {{"x", DType::I64, 2}, {"y", DType::I64, 1}};
  lambda.result = DType::I64;
  lambda.outputs = {"i", "j"};
  lambda.reductions = {"k"};
  lambda.reducer = tdl::Reducer::Sum;
  return lambda;
}

} // namespace

TEST_CASE("regions of random lambdas hold every element read") {
  int64_t read = 0, held = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    RandomExpr random(seed, 3);
    tdl::Lambda lambda = emptyLambda();
    const int depth = int(random.number(0, 2));
    const auto x = [&] {
      return tdl::read(0, DType::I64,
                       {random.index(depth), random.index(depth)},
                       tdl::constant(0));
    };
    const auto y = [&](tdl::ExprRef otherwise) {
      return tdl::read(1, DType::I64, {random.index(depth)}, otherwise);
    };
    switch (random.number(0, 4)) {
    case 0:
      lambda.body = x();
      break;
    case 1:
      lambda.body = tdl::select(random.condition(2), x(), y(x()));
      break;
    case 2:
      lambda.body = y(tdl::binary(tdl::BinaryOp::Mul, x(), x()));
      break;
    case 3: // nested: the inner read decides where x is read
      lambda.body =
          tdl::read(0, DType::I64, {y(tdl::constant(2)), random.index(depth)},
                    tdl::constant(0));
      break;
    default:
      lambda.body = tdl::binary(
          tdl::BinaryOp::Add, tdl::select(random.condition(1), x(), x()),
          tdl::select(random.condition(1), y(tdl::constant(0)), x()));
    }
    if (random.number(0, 1))
      lambda.guard = random.condition(2);
    REQUIRE(tdl::verify(lambda));
    const std::vector<Access> access = accesses(lambda, kShapes);
    for (int trial = 0; trial < 6; ++trial) {
      const Box indices = random.box(7);
      const std::vector<Box> needed = enumerated(lambda, indices);
      for (size_t operand = 0; operand < kShapes.size(); ++operand) {
        const Box region = access[operand].region(indices, kShapes[operand]);
        if (!contains(region, needed[operand]) ||
            !contains(wholeBox(kShapes[operand]), region))
          FAIL("seed " << seed << ": " << toString(lambda) << " at "
                       << toString(indices) << " reads "
                       << toString(needed[operand]) << " of operand " << operand
                       << ", region " << toString(region));
        read += volume(needed[operand]);
        held += volume(region);
      }
    }
  }
  // Sound is easy, so watch how much more than the hull is asked for.
  CHECK(double(held) / double(read) < 2);
}

TEST_CASE("affine reads of distinct variables are exact") {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomExpr random(seed, 3);
    tdl::Lambda lambda = emptyLambda();
    // In range throughout, so that the ends of the interval are attained.
    const auto inRange = [&](int64_t extent, const Box &indices) {
      for (;;) {
        const tdl::ExprRef e = random.affine();
        bool inside = true;
        const Enumerator values{kShapes, nullptr};
        forEachPoint(indices, [&](const std::vector<int64_t> &at) {
          const int64_t value = values.value(e, at);
          inside &= 0 <= value && value < extent;
        });
        if (inside)
          return e;
      }
    };
    const Box indices = random.box(4);
    lambda.body = tdl::binary(
        tdl::BinaryOp::Add,
        tdl::read(0, DType::I64, {inRange(5, indices), inRange(7, indices)}),
        tdl::read(1, DType::I64, {inRange(9, indices)}));
    const std::vector<Access> access = accesses(lambda, kShapes);
    const std::vector<Box> needed = enumerated(lambda, indices);
    for (size_t operand = 0; operand < kShapes.size(); ++operand) {
      INFO(toString(lambda) << " at " << toString(indices));
      REQUIRE(access[operand].region(indices, kShapes[operand]) ==
              needed[operand]);
    }
  }
}

TEST_CASE("comparisons of one variable with constants are exact") {
  using tdl::BinaryOp;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomExpr random(seed, 3);
    tdl::Lambda lambda = emptyLambda();
    const BinaryOp ops[] = {BinaryOp::Eq, BinaryOp::Lt, BinaryOp::Le,
                            BinaryOp::Gt, BinaryOp::Ge};
    const auto comparison = [&] {
      return tdl::binary(
          ops[random.number(0, 4)],
          tdl::binary(BinaryOp::Mul, tdl::indexVar(2),
                      tdl::constant(random.number(0, 1) ? 1 : -1)),
          tdl::constant(random.number(-6, 6)));
    };
    lambda.guard = tdl::binary(BinaryOp::And, comparison(), comparison());
    lambda.body = tdl::binary(
        BinaryOp::Add, tdl::read(1, DType::I64, {tdl::indexVar(2)}),
        tdl::read(0, DType::I64, {tdl::constant(3), tdl::constant(4)}));
    const std::vector<Access> access = accesses(lambda, kShapes);
    const Box indices = random.box(7);
    const std::vector<Box> needed = enumerated(lambda, indices);
    for (size_t operand = 0; operand < kShapes.size(); ++operand) {
      INFO(toString(lambda) << " at " << toString(indices));
      REQUIRE(access[operand].region(indices, kShapes[operand]) ==
              needed[operand]);
    }
  }
}

TEST_CASE("the affine form has the expression's value") {
  const Enumerator values{kShapes, nullptr};
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    RandomExpr random(seed, 3);
    const tdl::ExprRef e = random.index(3);
    const auto normal = affine(e, &kShapes);
    REQUIRE(normal);
    const tdl::ExprRef back = toExpr(*normal);
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<int64_t> at = {
          random.number(-20, 40), random.number(0, 9), random.number(-3, 100)};
      if (values.value(e, at) != values.value(back, at)) {
        FAIL("seed " << seed << ": " << toString(e, emptyLambda()) << " became "
                     << toString(back, emptyLambda()));
      }
    }
  }
}

TEST_CASE("what a condition implies holds wherever it does") {
  const Enumerator values{kShapes, nullptr};
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    RandomExpr random(seed, 3);
    const tdl::ExprRef condition = random.condition(3);
    for (bool wanted : {true, false}) {
      const Conditions alternatives = conditions(condition, wanted, kShapes);
      for (int trial = 0; trial < 40; ++trial) {
        const std::vector<int64_t> at = {
            random.number(0, 9), random.number(0, 9), random.number(0, 9)};
        if ((values.value(condition, at) != 0) != wanted)
          continue;
        const bool held = std::any_of(
            alternatives.begin(), alternatives.end(),
            [&](const Conjunction &all) {
              return std::all_of(all.begin(), all.end(), [&](const Affine &a) {
                return values.value(toExpr(a), at) >= 0;
              });
            });
        if (!held)
          FAIL("seed " << seed << ": " << toString(condition, emptyLambda()));
      }
    }
  }
}
