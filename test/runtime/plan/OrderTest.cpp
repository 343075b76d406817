#include "runtime/plan/Order.h"

#include "runtime/plan/Tiling.h"

#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::plan;

/// A program of nothing but waits.
static Partitioned
waits(std::vector<std::vector<std::vector<Wait>>> perWorker) {
  Partitioned part;
  part.program.instructions.resize(perWorker[0].size());
  for (const auto &list : perWorker) {
    part.workers.emplace_back();
    for (const auto &each : list)
      part.workers.back().instructions.push_back({{}, {}, each});
  }
  return part;
}

TEST_CASE("what is known of another worker") {
  //            0        1        2
  // worker 0   .        after 1:0  .
  // worker 1   .        .        after 0:1
  const Partitioned part = waits({{{}, {{1, 0}}, {}}, {{}, {}, {{0, 1}}}});
  const Order order(part, Queues::One);
  REQUIRE(order.complete());
  CHECK(order.cycles().empty());
  const Queue all = Queue::Computing;
  CHECK(order.completedBefore(0, all) == std::vector<int>{0, 1, 2, 0, 0, 2});
  CHECK(order.completedBefore(1, all) == std::vector<int>{0, 1, 1, 0, 1, 2});
  CHECK(order.firstAfter(0, all) == std::vector<int>{1, 2, 3, 1, 3, 3});
  CHECK(order.firstAfter(1, all) == std::vector<int>{2, 2, 3, 1, 2, 3});
}

TEST_CASE("what a queue knows of the other") {
  // One worker. Computing: 0, 2 after 1. Transfers: 1, 3 after 0.
  Partitioned part = waits({{{}, {}, {{0, 1}}, {{0, 0}}}});
  for (int i : {1, 3})
    part.program.instructions[size_t(i)].op = Opcode::Fetch;
  const Order order(part, Queues::Two);
  REQUIRE(order.complete());
  CHECK(order.completedBefore(0, Queue::Computing) ==
        std::vector<int>{0, 0, 2, 1});
  CHECK(order.completedBefore(0, Queue::Transfers) ==
        std::vector<int>{0, 1, 2, 3});
  CHECK(order.firstAfter(0, Queue::Computing) == std::vector<int>{2, 2, 4, 4});
  CHECK(order.firstAfter(0, Queue::Transfers) == std::vector<int>{3, 3, 4, 4});
}

TEST_CASE("what waits for later instructions of its own worker") {
  // With two queues 0 can wait for 1; a list cannot be done in this order.
  Partitioned part = waits({{{{0, 1}}, {}}});
  part.program.instructions[1].op = Opcode::Fetch;
  CHECK(Order(part, Queues::Two).complete());
  CHECK_FALSE(Order(part, Queues::One).complete());
}

TEST_CASE("cycles are found, each once") {
  const Partitioned part = waits({{{}, {{1, 1}}, {}},
                                  {{}, {{0, 2}}, {}},
                                  {{{2, 1}}, {}, {}},
                                  {{{2, 0}}, {}, {}},
                                  {{}, {}, {}}});
  const Order order(part, Queues::One);
  CHECK_FALSE(order.complete());
  const auto cycles = order.cycles();
  REQUIRE(cycles.size() == 2);
  REQUIRE(cycles[0].size() == 2);
  CHECK(cycles[0][0].worker == 0);
  CHECK(cycles[0][0].instruction == 1);
  CHECK(cycles[0][1].worker == 1);
  REQUIRE(cycles[1].size() == 1);
  CHECK(cycles[1][0].worker == 2);
  CHECK(cycles[1][0].instruction == 0);
}

TEST_CASE("random orders against all paths") {
  std::mt19937 random(7);
  int complete = 0;
  for (int round = 0; round < 300; ++round) {
    const int workers = 1 + int(random() % 4), count = 1 + int(random() % 6);
    std::vector<std::vector<std::vector<Wait>>> lists(
        workers, std::vector<std::vector<Wait>>(count));
    for (auto &list : lists)
      for (int i = 0; i < count; ++i)
        while (random() % 3 == 0) {
          const int other = int(random() % workers);
          // Mostly earlier ones, or nearly all would have cycles.
          const int limit = random() % 20 ? i : count;
          if (limit > 0)
            list[i].push_back({other, int(random() % limit)});
        }
    Partitioned part = waits(lists);
    for (Instruction &instruction : part.program.instructions)
      instruction.op = random() % 2 ? Opcode::Compute : Opcode::Fetch;
    const Queues each = random() % 2 ? Queues::One : Queues::Two;
    const Order order(part, each);
    const auto sameQueue = [&](int i, int j) {
      const auto queue = [&](int k) {
        return queueOf(part.program.instructions[size_t(k)].op);
      };
      return each == Queues::One || queue(i) == queue(j);
    };

    // before[a][b]: a completes before b starts, by Warshall's closure.
    const size_t all = size_t(workers * count);
    std::vector<std::vector<bool>> before(all, std::vector<bool>(all));
    for (int w = 0; w < workers; ++w)
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j)
          if (sameQueue(i, j))
            before[order.id(w, j)][order.id(w, i)] = true;
        for (const Wait &wait : lists[w][i])
          before[order.id(wait.worker, wait.instruction)][order.id(w, i)] =
              true;
      }
    for (size_t k = 0; k < all; ++k)
      for (size_t a = 0; a < all; ++a)
        for (size_t b = 0; b < all; ++b)
          if (before[a][k] && before[k][b])
            before[a][b] = true;
    bool cyclic = false;
    for (size_t a = 0; a < all; ++a)
      cyclic |= before[a][a];
    REQUIRE(order.complete() == !cyclic);
    REQUIRE(order.cycles().empty() == !cyclic);
    if (cyclic)
      continue;
    ++complete;
    for (int v = 0; v < workers; ++v) {
      for (const Queue queue : queues) {
        const auto completed = order.completedBefore(v, queue);
        const auto after = order.firstAfter(v, queue);
        const auto isAsked = [&](int i) {
          return each == Queues::One ||
                 queueOf(part.program.instructions[size_t(i)].op) == queue;
        };
        for (size_t a = 0; a < all; ++a) {
          int next = count;
          for (int i = 0; i < count; ++i) {
            if (isAsked(i))
              REQUIRE((i < completed[a]) ==
                      (before[order.id(v, i)][a] ||
                       // Its own number says no more than those before it.
                       (i < completed[a] && a == order.id(v, completed[a]))));
            if (isAsked(i) && before[a][order.id(v, i)])
              next = std::min(next, i);
          }
          REQUIRE(after[a] == next);
        }
      }
    }
  }
  CHECK(complete > 100);
}

static std::vector<const Box *> pointers(const std::vector<Box> &boxes) {
  std::vector<const Box *> all;
  for (const Box &box : boxes)
    all.push_back(&box);
  return all;
}

TEST_CASE("tilings") {
  const Box whole = {{0, 4}, {0, 6}};
  const auto problem = [&](std::vector<Box> boxes) {
    return tilingProblem(whole, pointers(boxes));
  };
  CHECK_FALSE(problem({whole}));
  CHECK_FALSE(problem({{{0, 1}, {0, 6}}, {{1, 4}, {2, 6}}, {{1, 4}, {0, 2}}}));
  const auto gap = problem({{{0, 1}, {0, 6}}, {{1, 4}, {2, 6}}});
  REQUIRE(gap);
  CHECK_FALSE(gap->overlap);
  CHECK(gap->missing == Box{{1, 4}, {0, 2}});
  const auto twice = problem({{{0, 2}, {0, 6}}, {{1, 4}, {0, 6}}});
  REQUIRE(twice);
  CHECK(twice->overlap == std::make_pair(0, 1));
  CHECK_FALSE(twice->missing);
  CHECK(problem({}));
  // A point, and an empty box.
  CHECK_FALSE(tilingProblem({}, pointers({Box{}})));
  CHECK(tilingProblem({}, pointers({Box{}, Box{}})));
  CHECK_FALSE(tilingProblem({{3, 3}}, {}));
  // Volumes beyond 64 bits.
  const int64_t large = int64_t(1) << 48;
  CHECK_FALSE(tilingProblem(
      {{0, large}, {0, large}},
      pointers({{{0, 1}, {0, large}}, {{1, large}, {0, large}}})));
}

TEST_CASE("random boxes against their elements") {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const size_t rank = 1 + random() % 3;
    const auto interval = [&] {
      const int64_t a = random() % 5, b = random() % 5;
      return Interval{std::min(a, b), std::max(a, b) + 1};
    };
    Box whole(rank);
    for (Interval &side : whole)
      side = interval();
    std::vector<Box> boxes(random() % 6, Box(rank));
    for (Box &box : boxes)
      for (size_t d = 0; d < rank; ++d) {
        box[d] = intersect(interval(), whole[d]);
        if (box[d].empty() || random() % 2)
          box[d] = whole[d];
      }
    bool overlap = false, missing = false;
    for (int64_t e = 0; e < 125; ++e) {
      const Box point = {
          {e % 5, e % 5 + 1}, {e / 5 % 5, e / 5 % 5 + 1}, {e / 25, e / 25 + 1}};
      const Box at(point.begin(), point.begin() + int64_t(rank));
      if (!contains(whole, at))
        continue;
      const auto holders =
          std::count_if(boxes.begin(), boxes.end(),
                        [&](const Box &box) { return contains(box, at); });
      overlap |= holders > 1;
      missing |= holders == 0;
    }
    const auto problem = tilingProblem(whole, pointers(boxes));
    REQUIRE(problem.has_value() == (overlap || missing));
    REQUIRE(missingPart(whole, pointers(boxes)).has_value() == missing);
    if (problem) {
      REQUIRE(problem->overlap.has_value() == overlap);
      REQUIRE(problem->missing.has_value() == missing);
    }
  }
}
