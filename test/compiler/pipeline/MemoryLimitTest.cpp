#include "compiler/pipeline/MemoryLimit.h"

#include "test/runtime/plan/ByHand.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace smex;
using namespace smex::pipeline;
using partition::Search;

namespace {

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

/// Plans by the name of their algorithm; a name without one is a failure.
struct Known {
  std::map<std::string, Candidate> plans;
  int asked = 0;

  Result<Chosen> choose(Candidate first, int64_t limit) {
    std::vector<Search> searches = {{"fails", {}, false}};
    for (const auto &[name, candidate] : plans)
      searches.push_back(candidate.by);
    return withinMemory(std::move(first), limit, "model", searches,
                        [this](const Search &search) -> Result<Candidate> {
                          ++asked;
                          if (!plans.count(search.algorithm))
                            return fail("no plan");
                          return plans.at(search.algorithm);
                        });
  }
};

Search named(const std::string &name) { return {name, {}, false}; }

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
  known.plans["b"] = candidate({"b", {2, 4}, true}, 7, {100, 1536});
  const auto chosen =
      known.choose(candidate(named("first"), 0, {4096, 1}), 1024);
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().message ==
        "model: gpu1 needs 1.50 KiB, more than --memory-per-gpu, 1.00 KiB; of "
        "3 plans for 2 GPUs, that of --algorithm b, steps of 2 x 4, all cut "
        "takes least, and keeps a limit of 1536 bytes; more GPUs may need less "
        "each; largest at its peak: \"weight\" 16.00 KiB");
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
      peaks.push_back(each.peak());
      if (each.peak() <= limit)
        moved.push_back(each.totals.communicationBytes);
    }
    const int64_t least = *std::min_element(peaks.begin(), peaks.end());
    REQUIRE(bool(chosen) == (least <= limit));
    if (!chosen) {
      CHECK_THAT(chosen.error().message,
                 Catch::Contains("a limit of " + std::to_string(least)));
      continue;
    }
    CHECK(chosen->candidate.peak() <= limit);
    if (all[0].peak() > limit)
      CHECK(chosen->candidate.totals.communicationBytes ==
            *std::min_element(moved.begin(), moved.end()));
  }
}

TEST_CASE("other searches differ from the first, and from each other") {
  CHECK(partition::alternatives(1).empty());
  for (int64_t workers : {2, 7, 8, 12, 1024}) {
    std::vector<std::string> names = {toString(Search{"recursive", {}, false})};
    for (const Search &search : partition::alternatives(workers)) {
      int64_t product = 1;
      for (int64_t ways : search.ways)
        product *= ways;
      CHECK((search.ways.empty() || product == workers));
      names.push_back(toString(search));
    }
    std::sort(names.begin(), names.end());
    CHECK(std::unique(names.begin(), names.end()) == names.end());
  }
}
