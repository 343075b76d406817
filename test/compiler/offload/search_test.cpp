#include "compiler/offload/BestSearch.h"
#include "compiler/offload/Merge.h"
#include "compiler/offload/Policies.h"
#include "test/compiler/offload/Programs.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex;
using namespace smex::offload;

namespace {

/// A network and its gradients: every result is read again, last ones first.
Problem network(int layers, const std::function<int64_t()> &bytesOf) {
  Problem problem;
  const auto tensor = [&](Start start) {
    const int64_t bytes = bytesOf();
    problem.tensors.push_back({"t", {bytes}, bytes, start, false, true});
    return int(problem.tensors.size()) - 1;
  };
  std::vector<int> results = {tensor(Start::Device)};
  for (int i = 0; i < layers; ++i) {
    Operation op{"forward", {results.back()}, {}};
    results.push_back(tensor(Start::Nowhere));
    op.writes = {results.back()};
    problem.operations.push_back(op);
  }
  int gradient = results.back();
  for (int i = layers; i-- > 0;) {
    Operation op{"backward", {gradient, results[size_t(i)]}, {}};
    gradient = tensor(Start::Nowhere);
    op.writes = {gradient};
    problem.operations.push_back(op);
  }
  return problem;
}

/// Its forward operations may run again, at these costs.
Problem repeating(Problem problem, int64_t cost) {
  for (Operation &op : problem.operations)
    if (op.name == "forward")
      op.again = cost;
  return problem;
}

/// The same on a worker with other shares.
Problem unlike(Problem problem, std::mt19937 &random) {
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (Tensor &tensor : problem.tensors) {
    tensor.bytes = {draw(0, 6)};
    if (tensor.nextOf >= 0)
      tensor.bytes = problem.tensors[size_t(tensor.nextOf)].bytes;
    tensor.moved = tensor.bytes[0];
  }
  problem.capacities = {0};
  for (const std::vector<int64_t> &bytes : needed(problem))
    problem.capacities[0] = std::max(problem.capacities[0], bytes[0]);
  problem.capacities[0] += draw(0, 6);
  return problem;
}

/// With one schedule for both.
Problem together(Problem one, const Problem &other) {
  one.capacities.push_back(other.capacities[0]);
  for (size_t t = 0; t < one.tensors.size(); ++t) {
    one.tensors[t].bytes.push_back(other.tensors[t].bytes[0]);
    one.tensors[t].moved += other.tensors[t].moved;
  }
  for (Operation &op : one.operations)
    op.again *= op.again > 0 ? 2 : 1;
  return one;
}

} // namespace

TEST_CASE("unlike workers each have their least, and together no more") {
  std::mt19937 random(61);
  int compared = 0, spared = 0, shared = 0;
  while (compared < 300) {
    const Problem one = randomProblem(random);
    if (one.memories() != 1)
      continue;
    ++compared;
    const std::vector<Problem> problems = {one, unlike(one, random)};
    std::vector<Found> found;
    std::vector<Schedule> schedules;
    int64_t sum = 0, least = 0;
    for (const Problem &problem : problems) {
      const int64_t alone = leastByBruteForce(problem, false);
      auto best = search(problem);
      REQUIRE(bool(best) == (alone >= 0));
      least += alone;
      if (best)
        found.push_back(std::move(*best));
    }
    if (found.size() < problems.size())
      continue; // what may not move is too much to compute again
    for (size_t k = 0; k < problems.size(); ++k) {
      auto [schedule, traffic] = rather(problems[k], found, k);
      sum += traffic.total();
      schedules.push_back(std::move(schedule));
    }
    REQUIRE(sum == least);
    const std::vector<Joint> joint = merge(schedules);
    for (size_t k = 0; k < problems.size(); ++k) {
      const auto traffic = replay(problems[k], partOf(joint, k));
      INFO((traffic ? "" : traffic.error().message));
      REQUIRE(traffic);
      sum -= traffic->total();
    }
    REQUIRE(sum == 0);
    for (const Joint &each : joint)
      shared +=
          each.action.kind == Action::Kind::Load && each.problems.size() == 2;
    // One schedule for both may have to do what only one needs, or there may
    // be none.
    const int64_t alike =
        leastByBruteForce(together(problems[0], problems[1]), false);
    REQUIRE((alike < 0 || alike >= least));
    spared += alike > least;
  }
  CHECK(spared > 20); // the test has something to find
  CHECK(shared > 20);
}

TEST_CASE("Roc's Fig. 3 loads 6, 5 and 4 tensors by what fits") {
  const std::pair<int64_t, int64_t> known[] = {{5, 6}, {6, 5}, {7, 4}, {9, 4}};
  for (const auto &[capacity, loads] : known) {
    const Problem problem = figure3(capacity);
    const auto found = search(problem);
    REQUIRE(found);
    CHECK(found->isOptimal);
    CHECK(found->traffic.loaded == loads);
    CHECK(found->traffic.stored == 6); // every result
    CHECK(found->traffic.peak[0] <= capacity);
    CHECK(found->traffic.total() == leastByBruteForce(problem, false));
  }
  // Algorithm 1 as printed keeps nothing: every operand is loaded.
  const Problem problem = figure3(5);
  const auto streamed = scheduleBy(Policy::NoCache, problem);
  REQUIRE(streamed);
  CHECK(replay(problem, *streamed)->loaded == 16);
}

TEST_CASE("a limit below the largest operation is refused by its name") {
  const auto found = search(figure3(4));
  REQUIRE(!found);
  CHECK(found.error().message ==
        "operation \"linear+relu backward\" alone needs 5 bytes, more than the "
        "4 there are; the smallest limit that works is 5 bytes");
  CHECK(search(figure3(5)));
  CHECK(!scheduleBy(Policy::Lru, figure3(4)));
}

TEST_CASE("the search finds what trying everything finds") {
  std::mt19937 random(16);
  int moved = 0, freed = 0, updated = 0, repeated = 0, impossible = 0;
  for (int i = 0; i < 1000; ++i) {
    const Problem problem = randomProblem(random);
    REQUIRE(validate(problem));
    const auto found = search(problem);
    INFO("problem " << i << (found ? "" : ": " + found.error().message));
    const int64_t least = leastByBruteForce(problem, false);
    REQUIRE(bool(found) == (least >= 0));
    if (!found) { // what may not move can be too much to compute again, too
      ++impossible;
      continue;
    }
    REQUIRE(found->isOptimal);
    REQUIRE(found->traffic.total() == least);
    REQUIRE(lowerBound(problem) <= least);
    REQUIRE(compulsory(problem) <= lowerBound(problem));
    moved += least > compulsory(problem);

    bool isOrdered = false; // by next values
    for (const Tensor &tensor : problem.tensors)
      isOrdered |= tensor.nextOf >= 0;
    updated += isOrdered && least > compulsory(problem);
    for (const Operation &op : problem.operations)
      isOrdered |= op.again >= 0;
    repeated += found->traffic.again > 0;
    SearchOptions any;
    any.anyOrder = true;
    const auto free = search(problem, any);
    REQUIRE(bool(free) == !isOrdered);
    if (free) {
      REQUIRE(free->traffic.total() == leastByBruteForce(problem, true));
      freed += free->traffic.total() < least;
    }

    for (const Policy policy :
         {Policy::NoCache, Policy::Lru, Policy::LruOfNeeded, Policy::Swapping,
          Policy::FurthestUse}) {
      const auto schedule = scheduleBy(policy, problem);
      if (!schedule) { // what may not move fits only if it is computed again
        REQUIRE(
            (!problem.moves ||
             std::any_of(problem.operations.begin(), problem.operations.end(),
                         [](const Operation &op) { return op.again >= 0; })));
        continue;
      }
      const auto traffic = replay(problem, *schedule);
      INFO((traffic ? "" : traffic.error().message));
      REQUIRE(traffic);
      REQUIRE(traffic->total() >= least);
    }
  }
  CHECK(moved > 70); // the test has something to find
  CHECK(freed > 6);
  CHECK(updated > 30);
  CHECK(repeated > 10);
  CHECK(impossible < 20);
}

TEST_CASE("layers are computed again, or move, as the costs have it") {
  int repeated = 0, moved = 0, both = 0;
  for (int layers = 2; layers <= 5; ++layers)
    for (const bool moves : {true, false})
      for (int64_t cost = 1; cost <= 7; cost += 3)
        for (int64_t more = 0; more < 3; ++more) {
          Problem problem =
              repeating(network(layers, [] { return int64_t(2); }), cost);
          problem.moves = moves;
          problem.tensors[0].isMovable = false;
          problem.capacities = {0};
          for (const std::vector<int64_t> &bytes : needed(problem))
            problem.capacities[0] = std::max(problem.capacities[0], bytes[0]);
          problem.capacities[0] += 2 * more;
          INFO(layers << " layers, " << cost << ", " << more << " more");
          const auto found = search(problem);
          const int64_t least = leastByBruteForce(problem, false);
          REQUIRE(bool(found) == (least >= 0));
          if (!found)
            continue;
          REQUIRE(found->isOptimal);
          REQUIRE(found->traffic.total() == least);
          REQUIRE(lowerBound(problem) <= least);
          REQUIRE((moves || found->traffic.moved() == 0));
          repeated += found->traffic.again > 0 && found->traffic.moved() == 0;
          moved += found->traffic.again == 0 && found->traffic.moved() > 0;
          both += found->traffic.again > 0 && found->traffic.moved() > 0;
        }
  CHECK(repeated > 10);
  CHECK(moved > 3);
  CHECK(both > 1);
}

TEST_CASE("a bounded search takes the cheaper of moving and computing again") {
  std::mt19937 random(7);
  const Problem once = network(60, [&] { return 64 + int64_t(random() % 64); });
  SearchOptions bounded;
  bounded.mostStates = 32;
  bounded.mostWays = 32;
  bounded.ahead = false;
  int64_t before = 0;
  for (const int64_t cost : {1, 30, 100, 1000}) {
    Problem problem = repeating(once, cost);
    problem.capacities = {2000};
    const auto found = searchLimits(problem, bounded);
    REQUIRE(found);
    INFO(cost);
    CHECK(found->traffic.total() >= lowerBound(problem));
    CHECK(found->traffic.peak[0] <= 2000);
    CHECK(found->traffic.total() >= before);
    before = found->traffic.total();
    CHECK((found->traffic.again > 0) == (cost < 1000));
    Problem moving = once;
    moving.capacities = {2000};
    CHECK(found->traffic.total() <= search(moving, bounded)->traffic.total());
    Problem staying = problem;
    staying.moves = false;
    staying.capacities = {3000};
    const auto alone = searchLimits(staying, bounded);
    REQUIRE(alone);
    CHECK(alone->traffic.moved() == 0);
    CHECK(alone->traffic.again > 0);
  }
}

TEST_CASE("no order is searched for where operations run again") {
  Problem problem = repeating(network(2, [] { return int64_t(1); }), 1);
  problem.capacities = {9};
  SearchOptions any;
  any.anyOrder = true;
  CHECK(!search(problem, any));
}

TEST_CASE("what is away is loaded or stored, whichever is not for nothing") {
  // While "large" runs, an input or a parameter's next value is away: the one
  // is loaded and never stored, the other stored, and not loaded any more.
  Problem problem;
  problem.capacities = {3};
  problem.tensors = {
      {"input", {1}, 1, Start::Either},
      {"parameter", {1}, 1, Start::Either, false, true, /*keepsPlace=*/true},
      {"next", {1}, 1, Start::Nowhere, false, true, false, /*nextOf=*/1},
      {"result", {2}, 2, Start::Nowhere},
  };
  problem.operations = {
      {"update", {1}, {2}, /*over=*/1},
      {"large", {}, {3}},
      {"last", {0}, {}},
  };
  REQUIRE(leastByBruteForce(problem, false) == 1);
  CHECK(lowerBound(problem) == 1);
}

TEST_CASE("what leaves has started on the host, and was loaded before") {
  Problem problem;
  problem.capacities = {3};
  problem.tensors = {
      {"input", {1}, 1, Start::Either},
      {"large", {3}, 3, Start::Nowhere},
  };
  problem.operations = {{"first", {0}, {}}, {"middle", {}, {1}}};
  SECTION("read again") {
    problem.operations.push_back({"last", {0}, {}});
    REQUIRE(leastByBruteForce(problem, false) == 2);
    CHECK(lowerBound(problem) == 2);
  }
  SECTION("in its place until the end") {
    problem.tensors[0].keepsPlace = true;
    REQUIRE(leastByBruteForce(problem, false) == 1);
    CHECK(lowerBound(problem) == 1);
  }
  SECTION("not read again") {
    REQUIRE(leastByBruteForce(problem, false) == 0);
    CHECK(lowerBound(problem) == 0);
  }
}

TEST_CASE("a bounded search keeps the limit, and says its gap") {
  std::mt19937 random(7);
  Problem problem = network(60, [&] { return 64 + int64_t(random() % 64); });
  problem.capacities = {2000};
  SearchOptions bounded;
  bounded.mostStates = 32;
  bounded.mostWays = 32;
  const auto found = search(problem, bounded);
  REQUIRE(found);
  CHECK(!found->isOptimal);
  CHECK(found->lowerBound == lowerBound(problem));
  CHECK(found->lowerBound > 0);
  CHECK(found->traffic.total() >= found->lowerBound);
  CHECK(double(found->traffic.total()) < 1.05 * double(found->lowerBound));
  const auto lru = scheduleBy(Policy::Lru, problem);
  REQUIRE(lru);
  CHECK(found->traffic.total() <= replay(problem, *lru)->total());
}
