#include "dialects/support/Box.h"

#include <catch2/catch.hpp>
#include <climits>

using namespace smex;

namespace {
/// Every interval with bounds in [0, 3], empty ones too.
std::vector<Interval> intervals() {
  std::vector<Interval> all;
  for (int64_t lo = 0; lo <= 3; ++lo)
    for (int64_t hi = 0; hi <= 3; ++hi)
      all.push_back({lo, hi});
  return all;
}

std::vector<Box> boxes() {
  std::vector<Box> all;
  for (Interval a : intervals())
    for (Interval b : intervals())
      all.push_back({a, b});
  return all;
}

bool holds(const Box &box, int64_t i, int64_t j) {
  return box[0].lo <= i && i < box[0].hi && box[1].lo <= j && j < box[1].hi;
}

/// Bit 3 * i + j is set where the box holds (i, j).
unsigned points(const Box &box) {
  unsigned set = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (holds(box, i, j))
        set |= 1u << (3 * i + j);
  return set;
}
} // namespace

TEST_CASE("boxes are sets of points") {
  for (const Box &box : boxes()) {
    CHECK(volume(box) == __builtin_popcount(points(box)));
    CHECK(isEmpty(box) == (points(box) == 0));
  }
  bool right = true;
  for (const Box &a : boxes())
    for (const Box &b : boxes()) {
      const unsigned inA = points(a), inB = points(b);
      right &= points(intersect(a, b)) == (inA & inB);
      right &= contains(a, b) == ((inB & ~inA) == 0);
    }
  CHECK(right);
}

TEST_CASE("the hull is the smallest box around both") {
  CHECK(hull(Box{{0, 2}, {5, 6}}, Box{{1, 4}, {2, 3}}) == Box{{0, 4}, {2, 6}});
  const Box some{{1, 2}, {3, 4}}, none{{9, 9}, {0, 1}};
  CHECK(hull(some, none) == some);
  CHECK(hull(none, some) == some);
  CHECK(hull(Interval{5, 3}, Interval{1, 2}) == Interval{1, 2});
}

TEST_CASE("a difference is disjoint boxes, two per dimension at most") {
  bool exact = true, few = true, disjoint = true;
  for (const Box &outer : boxes())
    for (const Box &inner : boxes()) {
      unsigned seen = 0;
      const std::vector<Box> pieces = subtract(outer, inner);
      few &= pieces.size() <= 4;
      for (const Box &piece : pieces) {
        disjoint &= (seen & points(piece)) == 0 && !isEmpty(piece);
        seen |= points(piece);
      }
      exact &= seen == (points(outer) & ~points(inner));
    }
  CHECK(exact);
  CHECK(few);
  CHECK(disjoint);
}

TEST_CASE("a run is where elements are neighbours") {
  int runs = 0, others = 0;
  for (const Box &whole : boxes())
    for (const Box &part : boxes()) {
      if (isEmpty(part) || !contains(whole, part))
        continue;
      // Where each element of the part is among those of the whole.
      std::vector<int64_t> places;
      int64_t place = 0;
      for (int64_t i = whole[0].lo; i < whole[0].hi; ++i)
        for (int64_t j = whole[1].lo; j < whole[1].hi; ++j, ++place)
          if (holds(part, i, j))
            places.push_back(place);
      const bool isRun =
          places.back() - places.front() + 1 == int64_t(places.size());
      const auto found = runIn(whole, part);
      CHECK(bool(found) == isRun);
      if (found)
        CHECK(*found == places.front());
      ++(isRun ? runs : others);
    }
  CHECK(runs > 50);
  CHECK(others > 20);
  CHECK(runIn({}, {}) == 0);
}

TEST_CASE("a scalar is one point") {
  CHECK(volume({}) == 1);
  CHECK_FALSE(isEmpty(Box{}));
  CHECK(contains({}, {}));
  CHECK(subtract({}, {}).empty());
  CHECK(toString(Box{}) == "[]");
}

TEST_CASE("parts of a cut are nearly equal and leave nothing out") {
  for (int64_t size = 0; size <= 12; ++size)
    for (int64_t ways = 1; ways <= 7; ++ways) {
      int64_t at = 5;
      for (int64_t part = 0; part < ways; ++part) {
        const Interval piece = cut({5, 5 + size}, ways, part);
        CHECK(piece.lo == at);
        CHECK((piece.size() == size / ways ||
               piece.size() == (size + ways - 1) / ways));
        at = piece.hi;
      }
      CHECK(at == 5 + size);
    }
  // size * part does not fit in 64 bits.
  const Interval last = cut({0, LLONG_MAX}, 1000, 999);
  CHECK(last.hi == LLONG_MAX);
  CHECK(last.size() == LLONG_MAX / 1000 + 1);
}

TEST_CASE("shapes and text of boxes") {
  CHECK(wholeBox({4, 0, 2}) == Box{{0, 4}, {0, 0}, {0, 2}});
  CHECK(extents({{2, 5}, {7, 7}, {4, 1}}) == std::vector<int64_t>{3, 0, 0});
  CHECK(toString(Box{{0, 4}, {8, 16}}) == "[0:4, 8:16]");
}
