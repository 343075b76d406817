#include "compiler/memory/Boxes.h"
#include "compiler/memory/Descent.h"
#include "compiler/memory/Gaps.h"
#include "test/compiler/memory/Cut.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex::memory;
using test::Cutting;

namespace {
constexpr double kAll = 1000; // any risk

/// Packs the boxes, and checks what that makes of the buffers.
size_t countSoundly(const std::vector<Allocation> &buffers, double risk) {
  Boxes boxes(buffers, 64);
  boxes.build(risk);
  const std::vector<Allocation> outer = boxes.outer();
  const Placement placement = packGreedily(outer);
  const auto offsets = boxes.offsets(placement.offsets);
  REQUIRE(offsets.size() == buffers.size());
  CHECK(test::isPacking(buffers, offsets, placement.peak));
  CHECK(mostAlive(outer) == mostAlive(buffers));
  return outer.size();
}
} // namespace

TEST_CASE("what lives together, or one after the other, is one box") {
  CHECK(countSoundly({{0, 4, 640}, {0, 4, 64}, {4, 7, 704}}, kAll) == 1);
  // Neither sizes nor lives are alike.
  CHECK(countSoundly({{0, 4, 640}, {4, 7, 704}, {1, 5, 64}}, kAll) == 3);
  // Nothing is between them, but time.
  CHECK(countSoundly({{0, 4, 640}, {5, 7, 640}}, kAll) == 2);
  CHECK(countSoundly({}, kAll) == 0);
  CHECK(countSoundly({{0, 4, 0}, {3, 3, 64}, {0, 4, 100}}, kAll) == 1);
}

TEST_CASE("five around each other are one box, in any order") {
  const auto wheel = test::pinwheel();
  CHECK(countSoundly(wheel, kAll) == 1);
  CHECK(countSoundly({wheel[4], wheel[3], wheel[2], wheel[1], wheel[0]},
                     kAll) == 1);
  // Not where one of them is a little smaller.
  auto other = wheel;
  other[2].size -= 64;
  CHECK(countSoundly(other, kAll) == 5);
}

TEST_CASE("what is missing from a full arena is found, and put together, too") {
  // The second of two that were there one after the other.
  const std::vector<Allocation> some = {
      {0, 9, 640}, {0, 4, 128}, {6, 9, 128}, {0, 9, 64}};
  const auto missing = gaps(some, 64);
  CHECK(missing == std::vector<Allocation>{{4, 6, 128}});
  Boxes without(some, 64), with(some, 64, missing);
  without.build(kAll);
  with.build(kAll);
  CHECK(without.outer().size() == 3);
  CHECK(with.outer() == std::vector<Allocation>{{0, 9, 832}});
  CHECK(test::isPacking(some, with.offsets({0}), 832));
  // A gap that is left over is in no box.
  CHECK(Boxes(some, 64, missing).outer() == some);
  // Either of two may end first: neither is sure.
  CHECK(gaps({{0, 9, 64}, {0, 2, 64}, {0, 4, 64}, {6, 9, 64}, {8, 9, 64}}, 64)
            .empty());
  CHECK(gaps({}, 64).empty());
  // No gap makes more bytes alive at once.
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    auto buffers = test::cut({300, 300, 16384, 64, 5}, seed);
    const int64_t most = mostAlive(buffers);
    const auto found = gaps(buffers, 64);
    CHECK(!found.empty());
    buffers.insert(buffers.end(), found.begin(), found.end());
    CHECK(mostAlive(buffers) == most);
  }
}

TEST_CASE("boxes hold buffers soundly, whatever was put together by chance") {
  std::mt19937 random(17);
  size_t fewer = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::vector<Allocation> buffers;
    for (int i = 0; i < 80; ++i) {
      const int64_t lower = random() % 30;
      buffers.push_back({lower, lower + 1 + int64_t(random() % 6),
                         1 + int64_t(random() % 640)});
    }
    const size_t few = countSoundly(buffers, 0.01),
                 fewest = countSoundly(buffers, kAll);
    CHECK(fewest <= few);
    fewer += fewest < 80;
  }
  CHECK(fewer == 200);
}

TEST_CASE("a cut rectangle becomes a few boxes again") {
  const int inTime = GENERATE(20, 50, 80);
  const unsigned seed = GENERATE(1u, 2u, 3u);
  CAPTURE(inTime, seed);
  Cutting kind{3000, 3000, 16384, 64};
  kind.inTime = inTime;
  CHECK(countSoundly(test::cut(kind, seed), 1) <= 500);
}

TEST_CASE("hundreds and thousands of pieces fill the capacity exactly") {
  struct Case {
    size_t pieces;
    int64_t unit;
    int gaps, inTime, pinwheels;
  };
  const Case each =
      GENERATE(Case{300, 4096, 0, 50, 50}, Case{300, 4096, 5, 50, 0},
               Case{300, 64, 5, 20, 50}, Case{300, 4096, 5, 80, 50},
               Case{1000, 4096, 0, 50, 0}, Case{1000, 64, 0, 20, 0},
               Case{1000, 64, 5, 20, 0}, Case{1000, 64, 0, 80, 50},
               Case{3000, 64, 0, 50, 0}, Case{3000, 64, 5, 80, 0});
  CAPTURE(each.pieces, each.unit, each.gaps, each.inTime, each.pinwheels);
  const Cutting kind{each.pieces,
                     int64_t(each.pieces),
                     (int64_t(1) << 20) / each.unit,
                     each.unit,
                     each.gaps,
                     each.inTime,
                     each.pinwheels};
  const auto buffers = test::cut(kind, 1);
  CHECK(packGreedily(buffers).peak > kind.capacity());
  const Placement placement = pack(buffers);
  CHECK(placement.peak <= kind.capacity());
  CHECK(test::isPacking(buffers, placement.offsets, kind.capacity()));
  if (each.pieces <= 300)
    CHECK(pack(buffers).offsets == placement.offsets);
}

TEST_CASE("hundreds of pieces fill the capacity, of all kinds, or nearly all") {
  struct Case {
    size_t pieces;
    int gaps, least; // of a hundred, that reach it
  };
  const Case each = GENERATE(Case{300, 0, 100}, Case{300, 5, 100},
                             Case{600, 0, 100}, Case{600, 5, 80});
  int reached = 0, all = 0;
  for (const int inTime : {20, 50, 80})
    for (const int pinwheels : {0, 50})
      for (const int64_t unit : {4096, 64}) {
        const auto kind =
            test::ofMebibyte(each.pieces, unit, each.gaps, inTime, pinwheels);
        const auto buffers = test::cut(kind, 2);
        const Placement placement = pack(buffers);
        CHECK(test::isPacking(buffers, placement.offsets, placement.peak));
        CHECK(placement.peak <= kind.capacity() + kind.capacity() / 100);
        reached += placement.peak <= kind.capacity();
        ++all;
      }
  CAPTURE(each.pieces, each.gaps, reached);
  CHECK(reached * 100 >= each.least * all);
}

TEST_CASE("a descent ends below greedy orders, and never below the bound") {
  std::mt19937 random(23);
  int improved = 0;
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    std::vector<Allocation> buffers;
    for (int i = 0; i < 120; ++i) {
      const int64_t lower = random() % 60;
      buffers.push_back({lower, lower + 1 + int64_t(random() % 25),
                         64 * int64_t(1 + random() % 60)});
    }
    const Placement greedy = packGreedily(buffers);
    Placement best = greedy;
    Descent descent(buffers, 64);
    descent.go(int64_t(1) << 25, best);
    CHECK(best.peak <= greedy.peak);
    CHECK(best.peak >= best.lowerBound);
    CHECK(test::isPacking(buffers, best.offsets, best.peak));
    improved += best.peak < greedy.peak;
  }
  CHECK(improved > 10);
}
