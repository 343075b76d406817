#include "compiler/pipeline/LessMemory.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::pipeline;

namespace {

Candidate withPeak(int64_t bytes) {
  Candidate made;
  made.totals.peakBytes = {bytes};
  return made;
}

const MemoryLimit kLimit{{100}, "--memory-per-gpu"};

} // namespace

TEST_CASE("placements count on as much less as the last plan was too large") {
  std::vector<int64_t> tried;
  const auto made = placeWithin(kLimit, 100, [&](int64_t bytes) {
    tried.push_back(bytes);
    return Result<Candidate>(withPeak(bytes + 10));
  });
  REQUIRE(made);
  CHECK(made->peaks() == std::vector<int64_t>{100});
  CHECK(tried == std::vector<int64_t>{100, 90});
}

TEST_CASE("where nothing can be placed, something between is tried") {
  // The first excess says little: 40 bytes less are too few for any placement,
  // and 20 less are enough.
  std::vector<int64_t> tried;
  const auto made =
      placeWithin(kLimit, 100, [&](int64_t bytes) -> Result<Candidate> {
        tried.push_back(bytes);
        if (bytes < 70)
          return fail("too little");
        return withPeak(bytes == 100 ? 140 : bytes + 15);
      });
  REQUIRE(made);
  CHECK(kLimit.isKeptBy(made->peaks()));
  CHECK(tried == std::vector<int64_t>{100, 60, 80});
}

TEST_CASE("of plans that are all too large, the one nearest to the limit") {
  int tries = 0;
  const auto made = placeWithin(kLimit, 100, [&](int64_t bytes) {
    ++tries;
    return Result<Candidate>(withPeak(bytes == 80 ? 105 : 120));
  });
  REQUIRE(made);
  CHECK(made->peaks() == std::vector<int64_t>{105});
  CHECK(tries > 2);
}

TEST_CASE("what cannot be placed at first is an error") {
  const auto made =
      placeWithin(kLimit, 100, [&](int64_t bytes) -> Result<Candidate> {
        if (bytes > 105) // too large a plan
          return withPeak(101);
        return fail("no room in ", bytes);
      });
  REQUIRE(!made);
  CHECK(made.error().message == "no room in 100");
}

TEST_CASE("a plan may keep a limit that its placement was not sure of") {
  std::vector<int64_t> tried;
  const auto made =
      placeWithin(kLimit, 100, [&](int64_t bytes) -> Result<Candidate> {
        tried.push_back(bytes);
        if (bytes < 105)
          return fail("no room in ", bytes);
        return withPeak(bytes - 12);
      });
  REQUIRE(made);
  CHECK(made->peaks() == std::vector<int64_t>{98});
  CHECK(tried == std::vector<int64_t>{100, 103, 110});
}

TEST_CASE("the last try with buffers on the host moves all that it can") {
  std::vector<int64_t> tried;
  const auto made =
      offloadWithin(kLimit, [&](const std::vector<int64_t> &capacities) {
        tried.push_back(capacities.front());
        return Result<Candidate>(withPeak(capacities.front() + 101));
      });
  REQUIRE(made);
  CHECK(made->peaks() == std::vector<int64_t>{101});
  CHECK(tried.back() == 0);
}

TEST_CASE("after a large step, the cheapest of what lies between is taken") {
  // Peaks do not fall until 60, and bytes that are given away cost one each.
  std::vector<int64_t> tried;
  const auto made =
      offloadWithin(kLimit, [&](const std::vector<int64_t> &capacities) {
        const int64_t bytes = capacities.front();
        tried.push_back(bytes);
        Candidate candidate = withPeak(bytes > 60 ? 112 : bytes + 10);
        candidate.totals.hostTraffic.toHost = 100 - bytes;
        return Result<Candidate>(std::move(candidate));
      });
  REQUIRE(made);
  CHECK(tried == std::vector<int64_t>{100, 88, 64, 16, 40, 52});
  CHECK(made->peaks() == std::vector<int64_t>{62});
}

TEST_CASE("what no choice saves is proven of the limit, not of less memory") {
  const auto made =
      offloadWithin(kLimit, [&](const std::vector<int64_t> &capacities) {
        const int64_t bytes = capacities.front();
        Candidate candidate = withPeak(bytes + 10);
        candidate.totals.hostTraffic.toHost = 150 - bytes;
        candidate.search.hostLowerBoundBytes = 120 - bytes;
        return Result<Candidate>(std::move(candidate));
      });
  REQUIRE(made);
  CHECK(made->totals.hostTraffic.toHost == 60); // in 90 bytes
  CHECK(made->search.hostLowerBoundBytes == 20);

  // Where nothing has to leave for what is alive, but packing takes more.
  const auto packed =
      offloadWithin(kLimit, [&](const std::vector<int64_t> &capacities) {
        const int64_t bytes = capacities.front();
        Candidate candidate = withPeak(bytes + 10);
        if (bytes < 100)
          candidate.search.hostLowerBoundBytes = 30;
        return Result<Candidate>(std::move(candidate));
      });
  REQUIRE(packed);
  CHECK(packed->search.hostLowerBoundBytes == 0);

  Candidate moves;
  boundBy(5, moves); // nothing moves: nothing is said
  CHECK(!moves.search.hostLowerBoundBytes);
}

TEST_CASE("less is not counted on where a plan costs as much as another one") {
  // Each try moves more, and exceeds the limit by less.
  for (const double toBeat : {50.0, 100.0, 1000.0}) {
    int tries = 0;
    const auto made = offloadWithin(
        kLimit,
        [&](const std::vector<int64_t> &capacities) {
          ++tries;
          Candidate plan = withPeak(capacities[0] + 40);
          plan.totals.communicationBytes = 200 - capacities[0];
          return Result<Candidate>(std::move(plan));
        },
        toBeat);
    REQUIRE(made);
    CHECK(made->isBehind == (toBeat < 1000));
    CHECK(kLimit.isKeptBy(made->peaks()) == (toBeat == 1000));
    CHECK(tries == (toBeat < 1000 ? 1 : 2));
  }
}
