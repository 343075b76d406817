// Our own search for makespan: what windows say, and what comes of it.
#include "compiler/placement/WindowSearch.h"
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Levels.h"
#include "compiler/placement/TransferQueues.h"
#include "compiler/placement/WindowAnneal.h"
#include "test/compiler/placement/Exhaustive.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace smex::placement;
using namespace smex::placement::test;

namespace {

constexpr const char *kRivals[] = {"pardnn",     "heft",
                                   "contiguous", "round-robin",
                                   "layer-wise", "linear-clustering"};

struct NamedEmulator {
  const char *name;
  Emulator emulator;
};
const NamedEmulator kEmulators[] = {{"first in, first out", firstInFirstOut},
                                    {"given order", inGivenOrder},
                                    {"earliest start", earliestStartFirst}};

/// All that a window is cut out of.
struct Whole {
  Whole(const Problem &problem, const Emulator &emulator, bool isGiven,
        const Placement &start)
      : members(problem.unions), placement(start),
        seconds(edgeSeconds(problem)),
        line(problem, seconds, placement, emulator(problem, placement)),
        order(isGiven ? problem.order : line.schedule.order),
        position(placement.size()), finish(line.schedule.finish),
        free(size_t(problem.devices.count) + 1),
        source{problem, members,  seconds,   line,   isGiven,
               order,   position, placement, finish, free} {
    for (size_t i = 0; i < position.size(); ++i)
      position[size_t(order[i])] = int(i);
  }
  /// What runs before the place `first` has run.
  void advance(int first) {
    for (int i = 0; i < first; ++i) {
      const int task = order[size_t(i)];
      double &until = free[size_t(placement[size_t(task)])];
      until = std::max(until, finish[size_t(task)]);
    }
  }

  const Members members;
  Placement placement;
  const std::vector<double> seconds;
  const Timeline line;
  std::vector<int> order;
  std::vector<int> position;
  std::vector<double> finish, free;
  const WindowSource source;
};

/// No host, and every reader reads all: then windows are exact.
TaskGraph wholeReads(Random &random, int count) {
  Kinds kinds;
  kinds.host = false;
  TaskGraph graph = randomTasks(random, count, 1.3, kinds);
  for (Edge &edge : graph.edges)
    edge.bytes = graph.tasks[size_t(edge.from)].bytes;
  return graph;
}

} // namespace

TEST_CASE("a window of all tasks runs them as the emulator does") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = wholeReads(random, int(1 + random.below(30)));
    const Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem problem(graph, devices);
    const bool isGiven = random.chance(50);
    const Emulator emulator = isGiven ? inGivenOrder : firstInFirstOut;
    Whole whole(problem, emulator, isGiven, randomPlacement(random, problem));
    Window window(whole.source, 0, int(graph.tasks.size()));
    CHECK(window.run(1e300) == Approx(whole.line.schedule.makespan));
    // And for other devices.
    const Placement other = randomPlacement(random, problem);
    for (int i = 0; i < window.size(); ++i)
      window.put(i, other[size_t(window.task(i))]);
    CHECK(window.run(1e300) == Approx(emulator(problem, other).makespan));
  }
}

TEST_CASE("a window as it is takes what the schedule takes") {
  int shorter = 0, reordered = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const int count = int(4 + random.below(40));
    const TaskGraph graph = wholeReads(random, count);
    const Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem problem(graph, devices);
    const bool isGiven = random.chance(50);
    Whole whole(problem, isGiven ? inGivenOrder : firstInFirstOut, isGiven,
                randomPlacement(random, problem));
    const double makespan = whole.line.schedule.makespan;
    const int first = int(random.below(count - 1));
    const int last = first + 1 + int(random.below(count - first));
    whole.advance(first);
    Window window(whole.source, first, last);
    const double now = window.run(1e300);
    // What leads past the window is not the window's.
    double past = 0;
    for (const Edge &edge : graph.edges)
      if (whole.position[size_t(edge.from)] < first &&
          whole.position[size_t(edge.to)] >= last)
        past = std::max(past,
                        whole.finish[size_t(edge.from)] +
                            devices.transferSeconds(
                                edge.bytes, whole.placement[size_t(edge.from)],
                                whole.placement[size_t(edge.to)]) +
                            graph.tasks[size_t(edge.to)].seconds +
                            whole.line.tail[size_t(edge.to)]);
    CHECK(std::max(now, past) == Approx(makespan));
    WindowAnnealParams params;
    params.moves = 300;
    params.ordersTasks = isGiven && random.chance(50);
    annealWindow(window, params);
    const double then = window.run(1e300);
    CHECK(then <= now * (1 + 1e-12));
    shorter += then < now * 0.999;
    // The first of the critical tasks waits for nothing in the window.
    std::vector<int> path;
    window.critical(path);
    for (size_t i = 0; i < path.size(); ++i)
      CHECK((path[i] >= 0 && path[i] < window.size()));
    // Tasks outside have not moved, and unions are where they were or inside.
    window.commit(whole.source);
    CHECK(validate(problem, whole.placement));
    if (!params.ordersTasks)
      continue;
    // Every edge still goes forward, and what the window says is so.
    std::vector<int> position(whole.order.size(), -1);
    for (size_t i = 0; i < position.size(); ++i)
      position[size_t(whole.order[i])] = int(i);
    for (const Edge &edge : graph.edges)
      CHECK(position[size_t(edge.from)] < position[size_t(edge.to)]);
    reordered += whole.order != problem.order;
    CHECK(inOrder(problem, whole.placement, whole.order).makespan ==
          Approx(std::max(then, past)));
  }
  CHECK(shorter > 100);
  CHECK(reordered > 20);
}

TEST_CASE("window search is never worse than any rival, under any emulator") {
  int better = 0, all = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(1 + random.below(24)), 1.3);
    const Devices devices = devicesOf(int(1 + random.below(4)));
    const Problem problem(graph, devices);
    for (const NamedEmulator &emulator : kEmulators) {
      Params params;
      params.emulator = emulator.emulator;
      const auto own = place(problem, "window-search", params);
      REQUIRE(own);
      const double seconds = cost(problem, own->placement, params);
      double best = std::numeric_limits<double>::infinity();
      for (const char *rival : kRivals) {
        CAPTURE(seed, emulator.name, rival);
        const auto outcome = place(problem, rival, params);
        REQUIRE(outcome);
        const double other = cost(problem, outcome->placement, params);
        CHECK(seconds <= other * (1 + 1e-9));
        best = std::min(best, other);
      }
      ++all;
      better += seconds < best * 0.999;
    }
  }
  CHECK(better > all / 5);
}

TEST_CASE("window search by orders is never worse than a rival by its own") {
  int better = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(1 + random.below(24)), 1.3);
    const Devices devices = devicesOf(int(1 + random.below(4)));
    const Problem problem(graph, devices);
    for (const auto &[emulator, ordered] :
         {std::pair<Emulator, OrderedEmulator>(firstInFirstOut, inOrder),
          std::pair<Emulator, OrderedEmulator>(transferQueues,
                                               transferQueuesInOrder)}) {
      Params params;
      params.emulator = emulator;
      params.inOrder = ordered;
      const auto own = place(problem, "window-search", params);
      REQUIRE(own);
      const double seconds = cost(problem, *own, params);
      for (const char *rival : kRivals) {
        CAPTURE(seed, rival);
        const auto outcome = place(problem, rival, params);
        REQUIRE(outcome);
        CHECK(seconds <= cost(problem, *outcome, params) * (1 + 1e-9));
      }
      better += seconds < emulator(problem, own->placement).makespan * 0.999;
    }
  }
  CHECK(better > 0); // by its order
}

TEST_CASE("600 tasks, 25 wide: no longer than HEFT by its own order") {
  Random random(7);
  TaskGraph graph;
  for (int i = 0; i < 600; ++i) {
    addTask(graph, double(1 + random.below(100)), 1 + random.below(100));
    for (int64_t k = 1 + random.below(3); i >= 25 && k > 0; --k) {
      const int from = (i / 25 - 1) * 25 + int(random.below(25));
      graph.edges.push_back({from, i, graph.tasks[size_t(from)].bytes});
    }
  }
  const Devices devices = devicesOf(8, 1, 0);
  const Problem problem(graph, devices);
  Params params;
  const double firstIn = cost(problem, *place(problem, "heft", params), params);
  params.inOrder = inOrder;
  const double heft = cost(problem, *place(problem, "heft", params), params);
  CHECK(heft < 0.9 * firstIn);
  CHECK(cost(problem, *place(problem, "window-search", params), params) <=
        0.99 * heft);
}

TEST_CASE("window search keeps a memory limit, and is no worse for it") {
  int kept = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(6 + random.below(30)), 1.3);
    Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem free(graph, devices);
    const auto unlimited = place(free, "heft");
    REQUIRE(unlimited);
    const int64_t peak = memoryUse(free, unlimited->placement,
                                   firstInFirstOut(free, unlimited->placement))
                             .most();
    devices.memoryBytes =
        std::max<int64_t>(1, peak * (60 + random.below(40)) / 100);
    const Problem problem(graph, devices);
    const auto own = place(problem, "window-search");
    for (const char *rival : kRivals) {
      CAPTURE(seed, rival);
      const auto outcome = place(problem, rival);
      if (!outcome)
        continue;
      REQUIRE(own); // place() has checked its memory
      ++kept;
      CHECK(cost(problem, own->placement, {}) <=
            cost(problem, outcome->placement, {}) * (1 + 1e-9));
    }
  }
  CHECK(kept > 60);
}

TEST_CASE("window search keeps every limit that a rival keeps") {
  int only = 0; // those that stages in order keep, and no other start
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(8 + random.below(20)), 1.3);
    Devices devices = devicesOf(int(3 + random.below(3)));
    const Problem free(graph, devices);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const char *rival : {"pardnn", "heft", "linear-clustering"}) {
      const Placement placement = place(free, rival)->placement;
      least = std::min(
          least,
          memoryUse(free, placement, firstInFirstOut(free, placement)).most());
    }
    devices.memoryBytes =
        std::max<int64_t>(1, least * (50 + random.below(40)) / 100);
    const Problem problem(graph, devices);
    Params params;
    params.namesLimit = false; // which takes several placements more
    const auto keeps = [&](const char *algorithm) {
      return bool(place(problem, algorithm, params));
    };
    if (!keeps("contiguous"))
      continue;
    bool others = false;
    for (const char *rival : kRivals)
      others = others || (std::string(rival) != "contiguous" && keeps(rival));
    only += !others;
    if (!others)
      CHECK(keeps("window-search"));
  }
  CHECK(only > 0);
}

TEST_CASE("window search finds the best of all placements of few tasks") {
  int best = 0, all = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(7)), 1.5);
    const Devices devices = devicesOf(int(2 + random.below(2)), 8, 0.125);
    const Problem problem(graph, devices);
    for (const NamedEmulator &emulator : kEmulators) {
      CAPTURE(seed, emulator.name);
      Params params;
      params.emulator = emulator.emulator;
      double least = std::numeric_limits<double>::infinity();
      forEachPlacement(problem, [&](const Placement &placement) {
        least = std::min(least, cost(problem, placement, params));
      });
      const auto own = place(problem, "window-search", params);
      REQUIRE(own);
      const double seconds = cost(problem, own->placement, params);
      CHECK(seconds >= least * (1 - 1e-12));
      ++all;
      best += seconds <= least * (1 + 1e-9);
    }
  }
  INFO(best << " of " << all);
  CHECK(best >= all * 98 / 100);
}

TEST_CASE("window search finds the best of all placements and orders") {
  int best = 0, all = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(5)), 1.5);
    const Devices devices = devicesOf(2, 8, 0.125);
    const Problem problem(graph, devices);
    Params params;
    params.inOrder = inOrder;
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> order(graph.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      std::vector<int> position(order.size());
      for (size_t i = 0; i < order.size(); ++i)
        position[size_t(order[i])] = int(i);
      if (std::all_of(
              graph.edges.begin(), graph.edges.end(), [&](const Edge &edge) {
                return position[size_t(edge.from)] < position[size_t(edge.to)];
              }))
        forEachPlacement(problem, [&](const Placement &placement) {
          least = std::min(least, inOrder(problem, placement, order).makespan);
        });
    } while (std::next_permutation(order.begin(), order.end()));
    const auto own = place(problem, "window-search", params);
    REQUIRE(own);
    const double seconds = cost(problem, *own, params);
    CHECK(seconds >= least * (1 - 1e-12));
    ++all;
    best += seconds <= least * (1 + 1e-9);
  }
  INFO(best << " of " << all);
  CHECK(best >= all * 95 / 100);
}

TEST_CASE("window search: the same in, the same out") {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, 60, 1.3);
    const Devices devices = devicesOf(3);
    const auto once = place(Problem(graph, devices), "window-search");
    const auto again = place(Problem(graph, devices), "window-search");
    REQUIRE((once && again));
    CHECK(once->placement == again->placement);
  }
}
