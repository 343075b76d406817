#include "compiler/memory/PackingSearch.h"
#include "test/compiler/memory/Cut.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex::memory;
using test::Cutting;

namespace {

constexpr int64_t kSteps = int64_t(1) << 28;

/// The least peak: of all orders, each buffer as low as it goes. One of them is
/// that of the offsets of a best packing. Ends at the most bytes alive at once.
class AllOrders {
public:
  explicit AllOrders(const std::vector<Allocation> &buffers)
      : buffers(buffers), offsets(buffers.size(), -1) {
    extend(0, 0);
  }

  int64_t least = INT64_MAX;

private:
  void extend(size_t placed, int64_t peak) {
    if (peak >= least || least == bound)
      return;
    if (placed == buffers.size())
      least = peak;
    for (size_t b = 0; b < buffers.size(); ++b)
      if (offsets[b] < 0) {
        const int64_t offset = lowest(b);
        offsets[b] = offset;
        extend(placed + 1, std::max(peak, offset + buffers[b].size));
        offsets[b] = -1;
      }
  }

  int64_t lowest(size_t b) const {
    int64_t offset = 0;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (offsets[i] >= 0 && buffers[i].lower < buffers[b].upper &&
          buffers[b].lower < buffers[i].upper &&
          offsets[i] < offset + buffers[b].size &&
          offset < offsets[i] + buffers[i].size) {
        offset = offsets[i] + buffers[i].size;
        i = size_t(-1); // all again
      }
    return offset;
  }

  const std::vector<Allocation> &buffers;
  const int64_t bound = mostAlive(buffers);
  std::vector<int64_t> offsets; // -1: not placed
};

} // namespace

/// At all times all units are taken: what ends makes place for others, whose
/// sizes have the same sum. Some have no packing without gaps.
static std::vector<Allocation> alwaysFull(unsigned seed, size_t count,
                                          int64_t units) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t end) {
    return int64_t(random() % uint64_t(end));
  };
  std::vector<Allocation> ended, alive;
  int64_t now = 0;
  for (int64_t unused = units; ended.size() + alive.size() < count; ++now) {
    for (; unused > 0; unused -= alive.back().size) {
      const bool isLast =
          ended.size() + alive.size() + 1 >= count || alive.size() >= 4;
      alive.push_back({now, 0, isLast ? unused : 1 + below(unused)});
    }
    if (ended.size() + alive.size() < count)
      for (int64_t k = 1 + below(2); k && !alive.empty(); --k) {
        const auto end = alive.begin() + below(int64_t(alive.size()));
        end->upper = now + 1;
        unused += end->size;
        ended.push_back(*end);
        alive.erase(end);
      }
  }
  for (Allocation &last : alive)
    last.upper = now + 1;
  ended.insert(ended.end(), alive.begin(), alive.end());
  for (Allocation &each : ended)
    each.size *= 64;
  return ended;
}

TEST_CASE("the search finds the least peak of all orders, and none below") {
  int aboveBound = 0;
  for (unsigned seed = 0; seed < 1200; ++seed) {
    CAPTURE(seed);
    const auto buffers = alwaysFull(
        seed, seed % 20 ? 9 + seed % 3 : 1 + seed / 20 % 8, seed % 2 ? 10 : 20);
    const int64_t bound = mostAlive(buffers), least = AllOrders(buffers).least;
    aboveBound += least > bound;
    PackingSearch search(buffers);
    REQUIRE(search.fit(least, kSteps) == Verdict::Fits);
    CHECK(test::isPacking(buffers, search.offsets(), least));
    if (least > bound)
      CHECK(search.fit(least - 64, kSteps) == Verdict::Impossible);
    CHECK(pack(buffers).peak == least);
  }
  CHECK(aboveBound > 3);
}

TEST_CASE("rectangles of memory and time that were cut are put together") {
  // Sizes with large common divisors, and with none but the alignment.
  const auto [units, unit] = GENERATE(std::pair<int64_t, int64_t>{256, 4096},
                                      std::pair<int64_t, int64_t>{97, 448},
                                      std::pair<int64_t, int64_t>{16384, 64});
  const int gaps = GENERATE(0, 5);
  const int inTime = GENERATE(20, 50, 80);
  const int pinwheels = GENERATE(0, 50);
  const size_t pieces = GENERATE(16, 40, 100);
  const unsigned seed = GENERATE(1u, 2u);
  CAPTURE(units, unit, gaps, inTime, pinwheels, pieces, seed);
  const Cutting kind{pieces,   int64_t(pieces) + 20, units, unit, gaps, inTime,
                     pinwheels};
  const auto buffers = test::cut(kind, seed);
  PackingSearch search(buffers);
  REQUIRE(search.fit(kind.capacity(), kSteps) == Verdict::Fits);
  CHECK(test::isPacking(buffers, search.offsets(), kind.capacity()));
}

TEST_CASE("hundreds of buffers that fill the capacity, where greedy misses") {
  const int gaps = GENERATE(0, 5);
  const int inTime = GENERATE(20, 80);
  const size_t pieces = GENERATE(200, 400);
  CAPTURE(gaps, inTime, pieces);
  const Cutting kind{pieces, int64_t(pieces), 256, 4096, gaps, inTime};
  const auto buffers = test::cut(kind, 3);
  CHECK(packGreedily(buffers).peak > kind.capacity());
  const Placement placement = pack(buffers);
  CHECK(placement.peak <= kind.capacity());
  CHECK(test::isPacking(buffers, placement.offsets, kind.capacity()));
}

TEST_CASE("a search out of steps says so, and finds the same every time") {
  const Cutting kind{100, 100, 16384, 64, 0, 50, 50};
  const auto buffers = test::cut(kind, 5);
  PackingSearch search(buffers), again(buffers);
  CHECK(search.fit(kind.capacity(), 1) == Verdict::OutOfSteps);
  CHECK(again.fit(kind.capacity(), 1) == Verdict::OutOfSteps);
  REQUIRE(search.fit(kind.capacity(), kSteps) == Verdict::Fits);
  REQUIRE(again.fit(kind.capacity(), kSteps) == Verdict::Fits);
  CHECK(search.steps() == again.steps());
  CHECK(search.offsets() == again.offsets());
}

TEST_CASE("buffers without size or life need no place") {
  const std::vector<Allocation> buffers = {
      {0, 2, 0}, {3, 3, 640}, {0, 4, 100}, {1, 2, 28}};
  PackingSearch search(buffers);
  REQUIRE(search.fit(192, kSteps) == Verdict::Fits);
  CHECK(search.offsets()[0] == 0);
  CHECK(search.offsets()[1] == 0);
  CHECK(std::abs(search.offsets()[2] - search.offsets()[3]) >= 64);
  CHECK(search.fit(128, kSteps) == Verdict::Impossible);
  CHECK(PackingSearch({}).fit(0, kSteps) == Verdict::Fits);
}
