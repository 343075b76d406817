// Parts of a tensor, against the elements one by one.
#include "compiler/frontend/ReadPart.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace smex;
using namespace smex::frontend;
using tdl::BinaryOp;
using tdl::ExprRef;

namespace {

int64_t valueAt(const ExprRef &e, const std::vector<int64_t> &point) {
  if (e->kind == tdl::ExprKind::Index)
    return point[size_t(e->index)];
  if (e->kind == tdl::ExprKind::Int)
    return e->integer;
  if (e->kind == tdl::ExprKind::Unary && e->unary == tdl::UnaryOp::Neg)
    return -valueAt(e->children[0], point);
  REQUIRE(e->kind == tdl::ExprKind::Binary);
  const int64_t a = valueAt(e->children[0], point),
                b = valueAt(e->children[1], point);
  switch (e->binary) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::FloorDiv:
    return a >= 0 ? a / b : -((-a + b - 1) / b);
  case BinaryOp::Mod:
    return ((a % b) + b) % b;
  case BinaryOp::Lt:
    return a < b;
  default:
    FAIL("another operation");
    return 0;
  }
}

std::set<int64_t> elementsOf(const Part &part,
                             const std::vector<int64_t> &shape) {
  std::set<int64_t> elements;
  forEachElement(part, shape, [&](int64_t element) {
    elements.insert(element);
    return true;
  });
  return elements;
}

} // namespace

TEST_CASE("a part that a read takes is what is read, and nothing else") {
  const unsigned seed = 20261122;
  std::mt19937 random(seed);
  const auto die = [&](int low, int high) {
    return int(random() % unsigned(high - low + 1)) + low;
  };
  INFO("seed " << seed);
  int given = 0, refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<int64_t> extents, shape;
    for (int v = die(1, 3); v > 0; --v)
      extents.push_back(die(1, 4));
    const int rank = die(1, 3);
    const auto variable = [&] {
      return tdl::indexVar(die(0, int(extents.size()) - 1));
    };
    std::vector<ExprRef> indices;
    for (int d = 0; d < rank; ++d) {
      ExprRef e =
          tdl::binary(BinaryOp::Mul, variable(), tdl::constant(die(-2, 3)));
      if (die(0, 2) == 0)
        e = tdl::binary(BinaryOp::Add, e, variable());
      e = tdl::binary(BinaryOp::Add, e, tdl::constant(die(0, 4)));
      if (die(0, 2) == 0)
        e = tdl::binary(die(0, 1) ? BinaryOp::Mod : BinaryOp::FloorDiv, e,
                        tdl::constant(die(1, 4)));
      indices.push_back(e);
      shape.push_back(die(1, 12));
    }
    std::vector<Taken> conditions;
    if (die(0, 3) == 0)
      conditions.push_back(
          {tdl::binary(BinaryOp::Lt, variable(), tdl::constant(die(0, 4))),
           die(0, 1) == 0});
    // One by one.
    std::set<int64_t> expected;
    bool inside = true;
    std::vector<int64_t> point(extents.size(), 0);
    for (size_t v = 0; v < extents.size();) {
      bool taken = true;
      for (const Taken &t : conditions)
        taken &= (valueAt(t.condition, point) != 0) == t.holds;
      int64_t element = 0;
      for (int d = 0; taken && d < rank; ++d) {
        const int64_t at = valueAt(indices[size_t(d)], point);
        inside &= at >= 0 && at < shape[size_t(d)];
        element = element * shape[size_t(d)] + at;
      }
      if (taken)
        expected.insert(element);
      for (v = 0; v < extents.size() && ++point[v] == extents[v]; ++v)
        point[v] = 0;
    }
    const auto part = readPart(indices, conditions, extents, shape);
    INFO("trial " << trial);
    if (!part) {
      ++refused;
      continue;
    }
    ++given;
    REQUIRE(inside);
    REQUIRE(notPartOf(*part, shape).empty());
    REQUIRE(elementsOf(*part, shape) == expected);
  }
  // Both happen often: the test looks at something.
  CHECK(given > 400);
  CHECK(refused > 400);
}

TEST_CASE("parts that are joined are the same elements") {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  const std::vector<int64_t> shape = {5, 6};
  int fewer = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<PartRange> ranges;
    std::set<std::pair<int64_t, int64_t>> before, after;
    const auto collect = [&](const PartRange &range, auto &into) {
      for (int64_t e : elementsOf(range.part, shape))
        into.insert({e, range.high});
    };
    for (int n = 0; n < 8; ++n) {
      PartRange range{{}, 0, int64_t(random() % 2)};
      for (int64_t extent : shape) {
        const int64_t first = int64_t(random()) % extent;
        const int64_t step = 1 + int64_t(random() % 2);
        const int64_t most = (extent - 1 - first) / step + 1;
        range.part.push_back({first, 1 + int64_t(random()) % most, step});
      }
      collect(range, before);
      ranges.push_back(std::move(range));
    }
    const auto result = joined(ranges);
    for (const PartRange &range : result)
      collect(range, after);
    INFO("seed " << seed << ", trial " << trial);
    REQUIRE(before == after);
    fewer += result.size() < ranges.size();
  }
  CHECK(fewer > 20);
  // The rows of a matrix, in any order, are the matrix.
  std::vector<PartRange> rows;
  for (int64_t row : {3, 0, 4, 1, 2})
    rows.push_back({{{row, 1, 1}, {0, 6, 1}}, 0, 9});
  const auto whole = joined(rows);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].part == wholePart(shape));
}
