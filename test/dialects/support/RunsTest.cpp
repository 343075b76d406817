#include "dialects/support/Runs.h"

#include <catch2/catch.hpp>

using namespace smex;

TEST_CASE("runs of rows, in whatever order they come") {
  CHECK(runsOf(std::vector<int64_t>{7, 2, 3, 2, 5, 4}) == Runs{{2, 6}, {7, 8}});
  CHECK(runsOf(std::vector<int64_t>()).empty());
  CHECK(runsOf(std::vector<Interval>{{5, 8}, {3, 3}, {0, 2}, {2, 3}, {6, 7}}) ==
        Runs{{0, 3}, {5, 8}});
}

TEST_CASE("what is a list of runs") {
  CHECK(isRuns({}));
  CHECK(isRuns({{0, 2}, {3, 4}}));
  CHECK_FALSE(isRuns({{0, 2}, {2, 4}})); // one run
  CHECK_FALSE(isRuns({{3, 4}, {0, 2}}));
  CHECK_FALSE(isRuns({{1, 1}}));
}

TEST_CASE("counting and comparing rows") {
  const Runs runs = {{0, 3}, {5, 8}, {20, 21}};
  CHECK(sizeOf(runs) == 7);
  CHECK(sizeWithin(runs, {2, 6}) == 2);
  CHECK(sizeWithin(runs, {3, 5}) == 0);
  CHECK(sizeWithin(runs, {0, 100}) == 7);
  CHECK(sizeWithin(runs, {8, 8}) == 0);
  CHECK(contains(runs, Runs{{1, 3}, {20, 21}}));
  CHECK(contains(runs, Runs()));
  CHECK_FALSE(contains(runs, Runs{{2, 6}}));
  CHECK_FALSE(contains(Runs(), Runs{{2, 6}}));
}

TEST_CASE("what lies in an interval") {
  const Runs runs = {{0, 3}, {5, 8}};
  CHECK(intersect(runs, {2, 6}) == Runs{{2, 3}, {5, 6}});
  CHECK(intersect(runs, {0, 9}) == runs);
  CHECK(intersect(runs, {3, 5}).empty());
  CHECK(intersect(runs, {6, 6}).empty());
  CHECK(intersect(Runs(), Interval{0, 9}).empty());
}

TEST_CASE("of pieces, what lies in the rows") {
  const Runs rows = {{0, 3}, {5, 8}};
  const std::vector<Piece> pieces = {
      {1, {{4, 10}, {0, 16}}}, {0, {{0, 4}, {0, 16}}}, {2, {{8, 12}, {0, 16}}}};
  CHECK(piecesWithin(rows, pieces) ==
        std::vector<Piece>{{1, {{5, 8}, {0, 16}}}, {0, {{0, 3}, {0, 16}}}});
  CHECK(piecesWithin({{1, 2}, {3, 6}}, pieces) ==
        std::vector<Piece>{{1, {{4, 6}, {0, 16}}},
                           {0, {{1, 2}, {0, 16}}},
                           {0, {{3, 4}, {0, 16}}}});
  CHECK(piecesWithin({}, pieces).empty());
  CHECK(piecesWithin(rows, {{3, Box::absent(2)}}).empty());
}
