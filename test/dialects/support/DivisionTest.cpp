#include "dialects/support/Division.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex;

static Box share(const Division &division, int64_t ways, int64_t group,
                 int64_t before = 0) {
  Box box = wholeBox({6, 4});
  division.take(box, ways, group, before);
  return box;
}

TEST_CASE("a division leaves parts, all, or nothing") {
  CHECK(share(Division::part(0), 3, 1) == Box{{2, 4}, {0, 4}});
  CHECK(share(Division::part(1), 8, 7) == Box{{0, 6}, {3, 4}});
  CHECK(isEmpty(share(Division::part(1), 8, 0)));
  CHECK(share(Division::whole(), 3, 2) == wholeBox({6, 4}));
  CHECK(share(Division::term(Reducer::Sum), 3, 2) == wholeBox({6, 4}));
  for (int64_t group = 0; group < 3; ++group)
    CHECK(share(Division::placed(1), 3, group) ==
          (group == 1 ? wholeBox({6, 4}) : Box::absent(2)));
}

TEST_CASE("a scalar is absent where another group has it") {
  Box box;
  Division::placed(1).take(box, 2, 1, 0);
  CHECK(volume(box) == 1);
  Division::placed(1).take(box, 2, 0, 0);
  CHECK(box.isAbsent());
  CHECK(volume(box) == 0);
  CHECK(isEmpty(box));
  CHECK_FALSE(contains(box, Box()));
  CHECK(contains(Box(), box));
  CHECK(isEmpty(intersect(Box(), box)));
}

TEST_CASE("weights round once they are added up") {
  // A third, a third and a third of 10: 3.33, 6.67 and 10, rounded down.
  const Division thirds = Division::weighted(0, {5, 5, 5});
  CHECK(thirds.partOf({0, 10}, 3, 0, 0) == Interval{0, 3});
  CHECK(thirds.partOf({0, 10}, 3, 1, 0) == Interval{3, 6});
  CHECK(thirds.partOf({0, 10}, 3, 2, 0) == Interval{6, 10});
  const Division uneven = Division::weighted(0, {3, 0, 1});
  CHECK(uneven.partOf({4, 12}, 3, 0, 0) == Interval{4, 10});
  CHECK(uneven.partOf({4, 12}, 3, 1, 0).empty());
  CHECK(uneven.partOf({4, 12}, 3, 2, 0) == Interval{10, 12});
}

TEST_CASE("equal weights give even parts, and all parts tile") {
  std::mt19937_64 random(20261123);
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    const int64_t ways = int64_t(1 + random() % 6);
    const int64_t lo = int64_t(random() % 5);
    // Near 2^63 now and then, where products leave 64 bits.
    const int64_t size = round % 10
                             ? int64_t(random() % 20)
                             : (int64_t(1) << 62) + int64_t(random() % 99);
    const Interval side{lo, lo + size};
    std::vector<int64_t> weights(size_t(ways), 0), bounds;
    for (int64_t &weight : weights)
      weight = int64_t(random() % (round % 7 ? 4 : uint64_t(1) << 62));
    weights[random() % size_t(ways)] += 1;
    for (int64_t g = 1; g < ways; ++g) // some outside
      bounds.push_back(int64_t(random() % uint64_t(lo + size + 3)));
    std::sort(bounds.begin(), bounds.end());
    const std::vector<int64_t> equal(size_t(ways), int64_t(1 + random() % 9));
    for (const Division &division :
         {Division::part(0), Division::weighted(0, weights),
          Division::bounded(0, {bounds})}) {
      int64_t at = side.lo;
      for (int64_t g = 0; g < ways; ++g) {
        const Interval part = division.partOf(side, ways, g, 0);
        REQUIRE(part.lo == at);
        REQUIRE(part.hi >= part.lo);
        at = part.hi;
      }
      REQUIRE(at == side.hi);
    }
    for (int64_t g = 0; g < ways; ++g)
      REQUIRE(Division::weighted(0, equal).partOf(side, ways, g, 0) ==
              cut(side, ways, g));
  }
}

TEST_CASE("bounds are those of the group that is divided") {
  const Division division = Division::bounded(0, {{1}, {5}});
  CHECK(share(division, 2, 0, 0) == Box{{0, 1}, {0, 4}});
  CHECK(share(division, 2, 0, 1) == Box{{0, 5}, {0, 4}});
  CHECK(share(division, 2, 1, 1) == Box{{5, 6}, {0, 4}});
}

TEST_CASE("divisions are compared and named by value") {
  const std::vector<Division> all = {Division::whole(),
                                     Division::part(0),
                                     Division::part(1),
                                     Division::weighted(0, {1, 2}),
                                     Division::weighted(0, {2, 1}),
                                     Division::bounded(0, {{1, 2}}),
                                     Division::bounded(0, {{1}, {2}}),
                                     Division::term(Reducer::Sum),
                                     Division::term(Reducer::Max),
                                     Division::placed(0),
                                     Division::placed(1)};
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = 0; b < all.size(); ++b) {
      std::vector<int64_t> left, right;
      all[a].appendTo(left);
      all[b].appendTo(right);
      CHECK((all[a] == all[b]) == (a == b));
      CHECK((left == right) == (a == b));
      CHECK((all[a] < all[b]) + (all[b] < all[a]) == int(a != b));
    }
  CHECK(Division::weighted(0, {1, 2}) == Division::weighted(0, {1, 2}));
  CHECK(toString(all[0]) == "whole");
  CHECK(toString(all[2]) == "part 1");
  CHECK(toString(all[3]) == "part 0 by weights [1, 2]");
  CHECK(toString(all[6]) == "part 0 at bounds [[1], [2]]");
  CHECK(toString(all[7]) == "term Sum");
  CHECK(toString(all[10]) == "placed 1");
}
