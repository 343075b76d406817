#include "runtime/plan/Order.h"

#include "runtime/plan/Regions.h"
#include "runtime/plan/Tiling.h"

#include <catch2/catch.hpp>
#include <random>

using namespace smex;
using namespace smex::plan;

namespace {

/// An instruction that these workers do.
struct Done {
  Opcode op;
  std::vector<bool> by;
  std::vector<Wait> waits;
};

/// A program of nothing but waits: of fetches, and computes of scalars.
Partitioned programOf(const Ways &ways, const std::vector<Done> &list) {
  Partitioned part;
  Program &program = part.program;
  program.ways = ways;
  program.tensors = {{"x", {DType::F32, {}}}};
  part.workers.resize(size_t(workersOf(ways)));
  for (const Done &each : list) {
    Region &region = program.regions.emplace_back();
    for (bool does : each.by)
      region.boxes.push_back(does ? Box() : Box::absent(0));
    program.buffers.push_back({0});
    program.buffers.back().region = int(program.regions.size()) - 1;
    Instruction &made = program.instructions.emplace_back();
    made.op = each.op;
    made.to = int(program.buffers.size()) - 1;
    made.indices =
        each.op == Opcode::Compute ? int(program.regions.size()) - 1 : -1;
    made.waits = each.waits;
  }
  return part;
}

/// before(a, b): a completes before b starts, by Warshall's closure; both as
/// worker * instructions + instruction.
class Closure {
public:
  explicit Closure(const Partitioned &part)
      : count(part.program.instructions.size()),
        before(part.workers.size() * count,
               std::vector<bool>(part.workers.size() * count)) {
    const auto &list = part.program.instructions;
    for (size_t w = 0; w < part.workers.size(); ++w)
      for (size_t i = 0; i < count; ++i) {
        if (!written(part, int(w), int(i)))
          continue;
        for (size_t j = 0; j < i; ++j)
          if (queueOf(list[i].op) == queueOf(list[j].op))
            add(part, int(w), j, w * count + i);
        for (const Wait wait : list[i].waits)
          for (size_t v = 0; v < part.workers.size(); ++v)
            if ((differences(part.program.ways, int64_t(v), int64_t(w)) &
                 ~wait.steps) == 0)
              add(part, int(v), size_t(wait.instruction), w * count + i);
      }
    for (size_t k = 0; k < before.size(); ++k)
      for (size_t a = 0; a < before.size(); ++a)
        if (before[a][k])
          for (size_t b = 0; b < before.size(); ++b)
            if (before[k][b])
              before[a][b] = true;
  }
  bool operator()(int v, int j, int w, int i) const {
    return before[size_t(v) * count + size_t(j)][size_t(w) * count + size_t(i)];
  }

private:
  void add(const Partitioned &part, int worker, size_t instruction, size_t at) {
    if (written(part, worker, int(instruction)))
      before[size_t(worker) * count + instruction][at] = true;
  }

  size_t count;
  std::vector<std::vector<bool>> before;
};

std::vector<int> of(const Order &order, const std::vector<int> &values,
                    int worker, int count) {
  std::vector<int> list;
  for (int i = 0; i < count; ++i)
    list.push_back(values[order.id(worker, i)]);
  return list;
}

} // namespace

TEST_CASE("what is known of another worker") {
  // Computes; the second waits for the first one of both workers.
  const std::vector<bool> both = {true, true};
  const Partitioned part = programOf({2}, {{Opcode::Compute, both, {}},
                                           {Opcode::Compute, both, {{0, 1}}},
                                           {Opcode::Compute, both, {}}});
  const Order order(part);
  const auto completed = order.completedBefore(0, Queue::Computing);
  CHECK(of(order, completed, 0, 3) == std::vector<int>{0, 1, 2});
  CHECK(of(order, completed, 1, 3) == std::vector<int>{0, 1, 1});
  const auto after = order.firstAfter(0, Queue::Computing);
  CHECK(of(order, after, 0, 3) == std::vector<int>{1, 2, 3});
  CHECK(of(order, after, 1, 3) == std::vector<int>{1, 3, 3});
}

TEST_CASE("what a queue knows of the other") {
  // One worker. Computing: 0, 2 after 1. Transfers: 1, 3 after 0.
  const Partitioned part = programOf({}, {{Opcode::Compute, {true}, {}},
                                          {Opcode::Fetch, {true}, {}},
                                          {Opcode::Compute, {true}, {{1, 0}}},
                                          {Opcode::Fetch, {true}, {{0, 0}}}});
  const Order order(part);
  CHECK(order.completedBefore(0, Queue::Computing) ==
        std::vector<int>{0, 0, 2, 1});
  CHECK(order.completedBefore(0, Queue::Transfers) ==
        std::vector<int>{0, 1, 2, 3});
  CHECK(order.firstAfter(0, Queue::Computing) == std::vector<int>{2, 2, 4, 4});
  CHECK(order.firstAfter(0, Queue::Transfers) == std::vector<int>{3, 3, 4, 4});
}

TEST_CASE("random orders against all paths") {
  std::mt19937 random(7);
  int64_t exact = 0, found = 0;
  for (int round = 0; round < 400; ++round) {
    Ways ways;
    for (int s = int(random() % 3); s >= 0; --s)
      ways.push_back(2 + int(random() % 2));
    const int workers = int(workersOf(ways)), count = 2 + int(random() % 7);
    // Few sets, so that some are parts of others.
    std::vector<std::vector<bool>> sets = {
        std::vector<bool>(size_t(workers), true)};
    for (int k = int(random() % 4); k > 0; --k) {
      sets.push_back(sets[random() % sets.size()]);
      for (int w = 0; w < workers; ++w)
        sets.back()[size_t(w)] = sets.back()[size_t(w)] && random() % 3 > 0;
    }
    std::vector<Done> list;
    for (int i = 0; i < count; ++i) {
      list.push_back({random() % 2 ? Opcode::Compute : Opcode::Fetch,
                      sets[random() % sets.size()],
                      {}});
      for (int j = 0; j < i; ++j)
        if (random() % 3 == 0)
          list.back().waits.push_back({j, random() % (1u << ways.size())});
    }
    const Partitioned part = programOf(ways, list);
    const Closure before(part);
    INFO("round " << round);
    for (const auto view : {Order::View::Exact, Order::View::Symmetric}) {
      const Order order(part, view);
      for (int v = 0; v < workers; ++v)
        for (const Queue queue : queues) {
          const auto completed = order.completedBefore(v, queue);
          const auto after = order.firstAfter(v, queue);
          const auto isAsked = [&](int i) {
            return order.does(v, i) && queueOf(list[size_t(i)].op) == queue;
          };
          for (int w = 0; w < workers; ++w)
            for (int i = 0; i < count; ++i) {
              if (!order.does(w, i))
                continue;
              int next = count;
              for (int j = 0; j < count; ++j) {
                if (!isAsked(j) || (v == w && j == i))
                  continue;
                const bool isBefore = j < completed[order.id(w, i)];
                if (isBefore)
                  REQUIRE(before(v, j, w, i));
                if (view == Order::View::Exact) {
                  REQUIRE(isBefore == before(v, j, w, i));
                  exact += isBefore;
                } else {
                  found += isBefore;
                }
                if (before(w, i, v, j))
                  next = std::min(next, j);
              }
              const int first = after[order.id(w, i)];
              if (view == Order::View::Exact)
                REQUIRE(first == next);
              else
                REQUIRE(first >= next);
            }
        }
    }
  }
  // The symmetric view may know less, but not much.
  CHECK(found > exact / 2);
}

TEST_CASE("the symmetric view is the same from workers that do the same") {
  std::mt19937 random(11);
  const Ways ways = {2, 3, 2};
  const int workers = int(workersOf(ways)), count = 12;
  for (int round = 0; round < 50; ++round) {
    std::vector<bool> some;
    for (int w = 0; w < workers; ++w)
      some.push_back(random() % 2);
    std::vector<Done> list;
    for (int i = 0; i < count; ++i) {
      list.push_back(
          {random() % 2 ? Opcode::Compute : Opcode::Fetch,
           random() % 3 ? std::vector<bool>(size_t(workers), true) : some,
           {}});
      for (int j = 0; j < i; ++j)
        if (random() % 4 == 0)
          list.back().waits.push_back({j, random() % (1u << ways.size())});
    }
    const Partitioned part = programOf(ways, list);
    const Order order(part, Order::View::Symmetric);
    // Adds to each digit of `u` what leads from `v` to `w`.
    const auto moved = [&](int u, int v, int w) {
      const auto from = digitsOf(ways, v), to = digitsOf(ways, w),
                 digits = digitsOf(ways, u);
      int64_t made = 0;
      for (size_t s = 0; s < ways.size(); ++s)
        made =
            made * ways[s] + (digits[s] + to[s] - from[s] + ways[s]) % ways[s];
      return int(made);
    };
    for (const Queue queue : queues)
      for (int v = 0; v < workers; ++v)
        for (int w = 0; w < v; ++w) {
          if (some[size_t(v)] != some[size_t(w)])
            continue;
          const auto before = order.completedBefore(v, queue),
                     same = order.completedBefore(w, queue),
                     after = order.firstAfter(v, queue),
                     alike = order.firstAfter(w, queue);
          for (int u = 0; u < workers; ++u)
            for (int i = 0; i < count; ++i) {
              const size_t at = order.id(u, i),
                           there = order.id(moved(u, v, w), i);
              REQUIRE(before[at] == same[there]);
              REQUIRE(after[at] == alike[there]);
            }
        }
  }
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
