#include "compiler/pipeline/Choice.h"

#include "test/runtime/plan/ByHand.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace smex;
using namespace smex::pipeline;
using partition::Search;

namespace {

Search named(const std::string &name) {
  Search search;
  search.algorithm = name;
  return search;
}

/// A plan of one buffer per worker, of nothing but these numbers.
Candidate candidate(const Search &by, int64_t moved,
                    std::vector<int64_t> peaks) {
  Candidate made;
  made.by = by;
  made.totals.communicationBytes = moved;
  made.totals.peakBytes = peaks;
  plan::Partitioned &part = made.partitioned;
  part.program.tensors = {{"weight", {DType::F32, {4096}}}};
  part.program.buffers.resize(1);
  part.program.inputs = {{"weight", 0}};
  std::vector<plan::HandWorker> workers;
  for (int64_t peak : peaks) {
    workers.emplace_back();
    workers.back().arenaBytes = peak;
    workers.back().buffers = {{{{0, 4096}}, 0}};
  }
  part = plan::byHand(part.program, workers);
  return made;
}

int64_t largest(const std::vector<int64_t> &peaks) {
  return *std::max_element(peaks.begin(), peaks.end());
}

/// Plans by the name of their algorithm; a name without one is a failure.
struct Known {
  std::map<std::string, Candidate> plans;
  std::map<std::string, std::string> failures;         // what they say
  std::map<std::string, int64_t> working;              // limits for these
  std::map<std::string, std::optional<double>> beaten; // what each was told
  int asked = 0;

  Result<Chosen> choose(Candidate first, int64_t limit, int64_t enough = 1) {
    const int64_t gpus = int64_t(first.peaks().size());
    return choose(std::move(first), *MemoryLimit::perGpu({limit}, gpus),
                  enough);
  }
  Result<Chosen> choose(Candidate first, const MemoryLimit &limit,
                        int64_t enough = 1) {
    std::vector<Search> searches = {named("fails")};
    for (const auto &[name, candidate] : plans)
      searches.push_back(candidate.by);
    for (const auto &failure : failures)
      searches.push_back(named(failure.first));
    return pipeline::choose(
        std::move(first), limit, "model", enough, searches, {},
        [this](const Search &search, std::optional<double> toBeat,
               std::optional<int64_t> &works) -> Result<Candidate> {
          ++asked;
          beaten[search.algorithm] = toBeat;
          if (working.count(search.algorithm))
            works = working.at(search.algorithm);
          if (failures.count(search.algorithm))
            return fail(failures.at(search.algorithm));
          if (!plans.count(search.algorithm))
            return fail("no plan");
          return plans.at(search.algorithm);
        });
  }
};

} // namespace

TEST_CASE("a plan that keeps the limit is taken as it is") {
  Known known;
  known.plans["less"] = candidate(named("less"), 1, {50, 50});
  const auto chosen =
      known.choose(candidate(named("first"), 9, {99, 100}), 100);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "first");
  CHECK(chosen->tried == 1);
  CHECK(known.asked == 0);
}

TEST_CASE("of plans that keep the limit, the one that moves least") {
  Known known;
  known.plans["a"] = candidate(named("a"), 1, {100, 101});
  known.plans["b"] = candidate(named("b"), 7, {60, 60});
  known.plans["c"] = candidate(named("c"), 5, {80, 100});
  known.plans["d"] = candidate(named("d"), 5, {90, 90});
  const auto chosen = known.choose(candidate(named("first"), 0, {101, 1}), 100);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "d"); // of equal ones, less memory
  CHECK(chosen->tried == 5);
  CHECK(chosen->fitting == 3);
  CHECK(known.asked == 5); // one failed
}

TEST_CASE("where none keeps it, the smallest limit that one would") {
  Known known;
  known.plans["a"] = candidate(named("a"), 1, {300, 2048});
  Search inSteps = named("b");
  inSteps.ways = {2, 4};
  inSteps.alwaysCut = true;
  known.plans["b"] = candidate(inSteps, 7, {100, 1536});
  const auto chosen =
      known.choose(candidate(named("first"), 0, {4096, 1}), 1024);
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().message ==
        "model: gpu1 needs 1.50 KiB, more than --memory-per-gpu, 1.00 KiB; of "
        "3 plans for 2 GPUs, that of --algorithm b, steps of 2 x 4, all cut "
        "takes least, and keeps a limit of 1536 bytes; more GPUs may need less "
        "each; largest at its peak: \"weight\" 16.00 KiB");
}

TEST_CASE("of searches without a plan, the one that a smaller limit is enough "
          "for is named") {
  const auto saidWith = [](const std::map<std::string, int64_t> &limits) {
    Known known;
    known.working = limits;
    // What a message says is not read: numbers in it are for people.
    for (const char *name : {"a", "b", "c"})
      known.failures[name] = "no room; the smallest limit found to work is 1 "
                             "bytes, says " +
                             std::string(name);
    const auto chosen =
        known.choose(candidate(named("first"), 0, {300, 1}), 100);
    REQUIRE_FALSE(chosen);
    return chosen.error().message;
  };
  const std::string message = saidWith({{"a", 299}, {"b", 200}, {"c", 250}});
  CHECK_THAT(message,
             Catch::Contains("a limit of 300 bytes; of --algorithm b there is "
                             "none: no room; the smallest limit found to work "
                             "is 1 bytes, says b; "));
  CHECK_THAT(message, !Catch::Contains("--algorithm a "));
  CHECK_THAT(message, !Catch::Contains("--algorithm c "));
  // Nothing new: what is said to work already is less, or nothing is named.
  CHECK_THAT(saidWith({{"a", 300}}), !Catch::Contains("there is none"));
}

TEST_CASE("a limit for each GPU") {
  const auto limit = MemoryLimit::perGpu({100, 40}, 2);
  REQUIRE(limit);
  Known known;
  known.plans["a"] = candidate(named("a"), 1, {41, 41});
  known.plans["b"] = candidate(named("b"), 9, {100, 40});
  auto chosen = known.choose(candidate(named("first"), 0, {101, 1}), *limit);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "b");
  known.plans.erase("b");
  chosen = known.choose(candidate(named("first"), 0, {104, 1}), *limit);
  REQUIRE_FALSE(chosen);
  CHECK_THAT(chosen.error().message,
             Catch::Contains("gpu1 needs 41 B, more than --memory-per-gpu, 40 "
                             "B; of 2 plans for 2 GPUs, that of --algorithm a "
                             "takes least, and keeps limits of 41,41 bytes"));
  const auto three = MemoryLimit::perGpu({1, 2, 3}, 2);
  REQUIRE_FALSE(three);
  CHECK(three.error().message ==
        "--memory-per-gpu has 3 sizes for 2 GPUs; give "
        "one for all, or one for each");
}

TEST_CASE("other searches are named only where the user named the one") {
  const auto said = [](bool isNamed) {
    const auto chosen = pipeline::choose(
        candidate(named("first"), 0, {300, 1}), *MemoryLimit::perGpu({100}, 2),
        "model", 1, {named("fails")}, {},
        [](const Search &, std::optional<double>, std::optional<int64_t> &)
            -> Result<Candidate> { return fail("no plan"); },
        isNamed);
    REQUIRE_FALSE(chosen);
    return chosen.error().message;
  };
  const std::string hint = "without --algorithm, other searches are tried; ";
  CHECK_THAT(said(true), Catch::Contains(hint));
  // They have been tried, and failed.
  CHECK_THAT(said(false), !Catch::Contains(hint));
}

TEST_CASE("on a machine, the fastest of so many") {
  Known known;
  const auto timed = [](const std::string &name, double seconds,
                        int64_t moved) {
    Candidate made = candidate(named(name), moved, {50, 50});
    made.seconds = seconds;
    return made;
  };
  known.plans["a"] = timed("a", 3, 1);
  known.plans["b"] = timed("b", 1, 9);
  known.plans["c"] = timed("c", 0.5, 0);
  // A search that fails is none of the three.
  auto chosen = known.choose(timed("first", 2, 0), 100, 3);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "b");
  CHECK(chosen->tried == 3);
  chosen = known.choose(timed("first", 2, 0), 100, 9);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "c");
  // Where the first is too large, all are tried.
  known.plans["b"].totals.peakBytes = {10, 10};
  chosen = known.choose(timed("first", 0, 0), 49, 2);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "b");
  CHECK(chosen->tried == 4);
  CHECK(chosen->fitting == 1);
}

TEST_CASE("random plans: no other one would be better") {
  std::mt19937_64 random(20);
  const auto draw = [&random](int64_t most) {
    return int64_t(random() % most);
  };
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    Known known;
    std::vector<Candidate> all = {
        candidate(named("0"), draw(9), {draw(9), draw(9)})};
    for (int i = 1; i < 6; ++i) {
      const std::string name = std::to_string(i);
      all.push_back(candidate(named(name), draw(9), {draw(9), draw(9)}));
      known.plans[name] = all.back();
    }
    const int64_t limit = draw(9);
    const auto chosen = known.choose(all[0], limit);
    std::vector<int64_t> moved, peaks;
    for (const Candidate &each : all) {
      peaks.push_back(largest(each.peaks()));
      if (largest(each.peaks()) <= limit)
        moved.push_back(each.totals.communicationBytes);
    }
    const int64_t least = *std::min_element(peaks.begin(), peaks.end());
    REQUIRE(bool(chosen) == (least <= limit));
    if (!chosen) {
      CHECK_THAT(chosen.error().message,
                 Catch::Contains("a limit of " + std::to_string(least)));
      continue;
    }
    CHECK(largest(chosen->candidate.peaks()) <= limit);
    if (largest(all[0].peaks()) > limit)
      CHECK(chosen->candidate.totals.communicationBytes ==
            *std::min_element(moved.begin(), moved.end()));
  }
}

TEST_CASE("further searches are tried where none of the others keeps it") {
  Known known;
  known.plans["a"] = candidate(named("a"), 1, {101, 50});
  known.plans["b"] = candidate(named("b"), 9, {100, 50});
  known.plans["c"] = candidate(named("c"), 8, {100, 60});
  const auto made = [&](int64_t limit) {
    std::vector<std::string> asked;
    auto chosen = pipeline::choose(
        candidate(named("first"), 0, {101, 1}),
        *MemoryLimit::perGpu({limit}, 2), "model", 2, {named("a")},
        {named("b"), named("c")},
        [&](const Search &search, std::optional<double>,
            std::optional<int64_t> &) {
          asked.push_back(search.algorithm);
          return Result<Candidate>(known.plans.at(search.algorithm));
        });
    REQUIRE(chosen);
    return std::make_pair(chosen->candidate.by.algorithm, asked);
  };
  using Names = std::vector<std::string>;
  CHECK(made(100) == std::make_pair(std::string("c"), Names{"a", "b", "c"}));
  CHECK(made(101) == std::make_pair(std::string("first"), Names{"a"}));
}

TEST_CASE("sizes that read alike are said in bytes") {
  Known known;
  const int64_t limit = 1120063;
  const auto chosen =
      known.choose(candidate(named("first"), 0, {limit + 1, 1}), limit);
  REQUIRE_FALSE(chosen);
  CHECK_THAT(chosen.error().message,
             Catch::Contains("needs 1120064 bytes, more than --memory-per-gpu, "
                             "1120063 bytes;"));
}

TEST_CASE("searches are told what to beat once a plan keeps the limit") {
  Known known;
  known.plans["a"] = candidate(named("a"), 7, {60, 60});
  known.plans["b"] = candidate(named("b"), 3, {70, 100});
  known.plans["c"] = candidate(named("c"), 5, {80, 100});
  const auto chosen =
      known.choose(candidate(named("first"), 9, {99, 101}), 100, 5);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "b");
  CHECK(!known.beaten.at("a"));
  CHECK(known.beaten.at("b") == 7);
  CHECK(known.beaten.at("c") == 3);
}

TEST_CASE("a search that is behind before it keeps the limit is given up, and "
          "says what it would cost at least") {
  Known known;
  known.plans["a"] = candidate(named("a"), 7, {60, 60});
  known.plans["b"] = candidate(named("b"), 8, {70, 101});
  known.plans["b"].isBehind = true;
  const auto chosen =
      known.choose(candidate(named("first"), 9, {99, 101}), 100, 5);
  REQUIRE(chosen);
  CHECK(chosen->candidate.by.algorithm == "a");
  CHECK(chosen->tried == 2);
  CHECK(chosen->fitting == 1);
  const Compared &last = chosen->compared.back();
  CHECK(last.failure.empty());
  CHECK(last.behind == "a");
  CHECK(last.communicationBytes == 8);
  CHECK(last.peakBytes == 101);
  CHECK_FALSE(last.fits);
}

TEST_CASE("a refined plan takes the place of the one that was chosen") {
  Known known;
  known.plans["a"] = candidate(named("a"), 7, {60, 60});
  auto chosen = known.choose(candidate(named("first"), 9, {99, 101}), 100, 5);
  REQUIRE(chosen);
  chosen->refine(candidate(named("a"), 6, {90, 90}));
  CHECK(chosen->candidate.cost() == 6);
  CHECK(chosen->compared.back().communicationBytes == 6);
  CHECK(chosen->compared.back().peakBytes == 90);
  CHECK(chosen->compared.front().communicationBytes == 9);
}
