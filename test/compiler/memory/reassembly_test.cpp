#include "compiler/memory/Gaps.h"
#include "compiler/memory/Reassembly.h"
#include "test/compiler/memory/Cut.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace smex::memory;
using test::Cutting;

namespace {
/// Packs the boxes, and checks what that makes of the buffers.
size_t countSoundly(const std::vector<Allocation> &buffers, int64_t steps,
                    const std::vector<Allocation> &missing = {}) {
  Reassembly boxes(buffers, 64, missing);
  boxes.build(steps);
  boxes.mend(steps);
  const std::vector<Allocation> outer = boxes.outer();
  CHECK(outer.size() == boxes.outerCount());
  const Placement placement = packGreedily(outer);
  const auto offsets = boxes.offsets(placement.offsets);
  REQUIRE(offsets.size() == buffers.size());
  CHECK(test::isPacking(buffers, offsets, placement.peak));
  // Free space in boxes is none that is needed where most are alive.
  CHECK(mostAlive(outer) <= mostAlive(buffers));
  return outer.size();
}

constexpr int64_t kSteps = 100000;
} // namespace

TEST_CASE("what lives together, or one after the other, is one box") {
  CHECK(countSoundly({{0, 4, 640}, {0, 4, 64}, {4, 7, 704}}, kSteps) == 1);
  CHECK(countSoundly({}, kSteps) == 0);
  CHECK(countSoundly({{0, 4, 0}, {3, 3, 64}, {0, 4, 100}}, kSteps) == 1);
}

TEST_CASE("five around each other are one box, in any order") {
  const auto wheel = test::pinwheel();
  CHECK(countSoundly(wheel, kSteps) == 1);
  CHECK(countSoundly({wheel[4], wheel[3], wheel[2], wheel[1], wheel[0]},
                     kSteps) == 1);
}

TEST_CASE("five around each other, one of which is free space, are one box") {
  for (size_t missing = 0; missing < 5; ++missing) {
    CAPTURE(missing);
    auto wheel = test::pinwheel();
    // Beside them is what lives as long as all of them, so that what is free
    // is known: no other place has room for it.
    wheel.push_back({0, 9, 64});
    wheel.erase(wheel.begin() + int64_t(missing));
    CHECK(countSoundly(wheel, 0) == 1);
  }
}

TEST_CASE("free space fills what is smaller, shorter, or comes again") {
  // Of three together at the peak, what follows is smaller than the first,
  // shorter than the second, and the third comes again later.
  CHECK(countSoundly({{0, 4, 640}, {4, 7, 448}}, kSteps) == 1);
  CHECK(countSoundly({{0, 4, 640}, {0, 3, 448}, {3, 4, 448}, {4, 8, 1088}},
                     kSteps) == 1);
  CHECK(countSoundly({{0, 4, 640}, {0, 3, 448}, {4, 8, 1088}}, kSteps) == 1);
  CHECK(countSoundly({{0, 9, 64}, {0, 4, 640}, {6, 9, 640}}, kSteps) == 1);
  // Where the peak has no room for free space, two rows are put together
  // without any.
  const std::vector<Allocation> full = {
      {0, 4, 640}, {0, 3, 448}, {3, 5, 448}, {4, 8, 640}, {5, 8, 448}};
  CHECK(mostAlive(full) == 1088);
  CHECK(countSoundly(full, kSteps) == 1);
}

TEST_CASE("what is missing from a full arena is found, and put together, too") {
  // The second of two that were there one after the other.
  const std::vector<Allocation> some = {
      {0, 9, 640}, {0, 4, 128}, {6, 9, 128}, {0, 9, 64}};
  CHECK(countSoundly(some, kSteps, gaps(some, 64)) == 1);
  CHECK(countSoundly(some, kSteps) == 1);
}

TEST_CASE("boxes hold buffers soundly, whatever was put together by chance") {
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    std::vector<Allocation> buffers;
    for (int i = 0; i < 80; ++i) {
      const int64_t lower = random() % 30;
      buffers.push_back({lower, lower + 1 + int64_t(random() % 6),
                         1 + int64_t(random() % 640)});
    }
    CHECK(countSoundly(buffers, 0, gaps(buffers, 64)) < 80);
    CHECK(countSoundly(buffers, kSteps, gaps(buffers, 64)) < 80);
  }
}

TEST_CASE("room is where a walk over all times finds it") {
  std::mt19937 random(29);
  for (int count : {1, 2, 7, 64, 100}) {
    std::vector<int64_t> free;
    for (int t = 0; t < count; ++t)
      free.push_back(int64_t(random() % 100));
    Room room(free);
    for (int round = 0; round < 300; ++round) {
      CAPTURE(count, round);
      const int lower = int(random() % unsigned(count)),
                upper = lower + 1 + int(random() % unsigned(count - lower));
      const auto from = free.begin() + lower, to = free.begin() + upper;
      REQUIRE(room.least(lower, upper) == *std::min_element(from, to));
      const int64_t size = int64_t(random() % 21) - 10;
      room.take(lower, upper, size);
      std::for_each(from, to, [&](int64_t &bytes) { bytes -= size; });
    }
  }
}

TEST_CASE("a rectangle cut into thousands is one box again") {
  const Cutting kind = GENERATE(test::ofMebibyte(3000, 64, 0, 20, 0),
                                test::ofMebibyte(3000, 4096, 0, 50, 0),
                                test::ofMebibyte(3000, 64, 0, 80, 0),
                                test::ofMebibyte(1000, 64, 5, 50, 0),
                                test::ofMebibyte(1000, 4096, 5, 80, 0));
  CAPTURE(kind.pieces, kind.unit, kind.gaps, kind.inTime, kind.pinwheels);
  const auto buffers = test::cut(kind, 1);
  CHECK(countSoundly(buffers, int64_t(1) << 25, gaps(buffers, 64)) == 1);
}

TEST_CASE("ten thousand pieces fill the capacity exactly") {
  const Cutting kind = GENERATE(Cutting{10000, 10000, 256, 4096, 0, 80},
                                test::ofMebibyte(10000, 64, 0, 80, 50),
                                test::ofMebibyte(10000, 64, 0, 50, 50));
  CAPTURE(kind.unit, kind.inTime, kind.pinwheels);
  const auto buffers = test::cut(kind, 1);
  const Placement placement = pack(buffers);
  CHECK(placement.peak <= kind.capacity());
  CHECK(test::isPacking(buffers, placement.offsets, kind.capacity()));
}
