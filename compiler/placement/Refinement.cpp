#include "compiler/placement/Refinement.h"

#include "compiler/placement/Members.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// How many clusters within a span are looked at: with all of them the stage
/// would be quadratic.
constexpr int kCandidates = 8;

/// Swaps have to be good, or not bad, in spans so many times as long, too. A
/// cluster's own span may have no more than one or two tasks of each device:
/// judged by it alone, swaps that each look good pile work up on some devices,
/// and makespans became up to 30 % longer.
constexpr double kScales[] = {1, 16, 256, 4096};

class Swapping {
public:
  Swapping(const ClusterFacts &facts, Placement &placement)
      : facts(facts), placement(placement),
        loads(loadsByLevel(facts, placement)),
        secondaries(facts.clusters.secondary.size()), swapped(secondaries) {
    spans.reserve(secondaries);
    for (size_t s = 0; s < secondaries; ++s)
      spans.push_back(facts.span(int(s)));
    byStart.resize(secondaries);
    std::iota(byStart.begin(), byStart.end(), 0);
    std::stable_sort(byStart.begin(), byStart.end(),
                     [&](int a, int b) { return startOf(a) < startOf(b); });
  }

  int run() {
    int swaps = 0;
    for (int s : byStart)
      swaps += trySwap(s);
    return swaps;
  }

private:
  double startOf(int s) const {
    return facts.level.top[size_t(facts.clusters.secondary[size_t(s)].front())];
  }
  int deviceOf(int s) const {
    return placement[size_t(facts.clusters.secondary[size_t(s)].front())];
  }

  bool trySwap(int s) {
    if (swapped[size_t(s)])
      return false;
    const Span &span = spans[size_t(s)];
    auto other = std::lower_bound(
        byStart.begin(), byStart.end(), span.begin,
        [&](int a, double begin) { return startOf(a) < begin; });
    facts.communication(s, placement, with);
    int best = -1;
    double bestGain = 0;
    int seen = 0;
    for (int looked = 0; other != byStart.end() && seen < kCandidates &&
                         looked < 4 * kCandidates;
         ++other, ++looked) {
      if (startOf(*other) >= span.end)
        break;
      if (*other == s || swapped[size_t(*other)] ||
          deviceOf(*other) == deviceOf(s))
        continue;
      ++seen;
      const double gain = gainOf(s, *other);
      if (gain > bestGain && gain > rounding())
        best = *other, bestGain = gain;
    }
    if (best < 0)
      return false;
    const int a = deviceOf(s), b = deviceOf(best);
    move(s, a, b), move(best, b, a);
    swapped[size_t(s)] = swapped[size_t(best)] = true;
    return true;
  }

  /// Seconds of work of the cluster whose levels are in the span.
  double workOf(int s, const Span &span) const {
    double sum = 0;
    for (int task : facts.clusters.secondary[size_t(s)])
      if (span.has(facts.level.top[size_t(task)]))
        sum += facts.problem.graph.tasks[size_t(task)].seconds;
    return sum;
  }

  /// Of all edges between the two.
  double between(int s, int other) const {
    double sum = 0;
    for (int task : facts.clusters.secondary[size_t(s)]) {
      for (int e : facts.problem.adjacency.into(task))
        if (facts.secondaryOf[size_t(
                facts.problem.graph.edges[size_t(e)].from)] == other)
          sum += facts.edges[size_t(e)];
      for (int e : facts.problem.adjacency.outOf(task))
        if (facts
                .secondaryOf[size_t(facts.problem.graph.edges[size_t(e)].to)] ==
            other)
          sum += facts.edges[size_t(e)];
    }
    return sum;
  }

  /// Gains of the size of rounding errors are none.
  double rounding() const { return 1e-9 * facts.longest; }

  double gainOf(int s, int other) {
    const int a = deviceOf(s), b = deviceOf(other);
    double balanced = 0;
    for (const Span &own : {spans[size_t(s)], spans[size_t(other)]}) {
      const double middle = (own.begin + own.end) / 2;
      for (double scale : kScales) {
        const double half = scale * (own.end - own.begin) / 2;
        const Span span{middle - half, middle + half};
        const double loadA = loads.within(span, a);
        const double loadB = loads.within(span, b);
        const double shift = workOf(other, span) - workOf(s, span);
        const double gain =
            std::max(loadA, loadB) - std::max(loadA + shift, loadB - shift);
        if (gain < -rounding())
          return 0;
        balanced += gain;
      }
    }
    facts.communication(other, placement, otherWith);
    // What is on the new device is no longer between devices, but for the edges
    // between the two, which are so before and after.
    const double saved = with[size_t(b)] - with[size_t(a)] +
                         otherWith[size_t(a)] - otherWith[size_t(b)] -
                         2 * between(s, other);
    // One may not be had for the other: what communication costs in the end
    // depends on what runs meanwhile, and work that piles up costs for sure.
    return saved < -rounding() ? 0 : balanced + saved;
  }

  void move(int s, int from, int to) {
    for (int task : facts.clusters.secondary[size_t(s)]) {
      const double seconds = facts.problem.graph.tasks[size_t(task)].seconds;
      placement[size_t(task)] = to;
      loads.add(task, from, -seconds);
      loads.add(task, to, seconds);
    }
  }

  const ClusterFacts &facts;
  Placement &placement;
  LevelLoads loads;
  const size_t secondaries;
  std::vector<Span> spans;
  std::vector<int> byStart; // secondary clusters
  std::vector<char> swapped;
  std::vector<double> with, otherWith; // communication, by device
};

class Switching {
public:
  Switching(const Problem &problem, Placement &placement)
      : problem(problem), placement(placement), members(problem.unions) {
    update();
  }

  /// Whether the critical path is shorter now, and by how many moves; else
  /// everything is as before.
  int step() {
    const std::vector<Move> all = movesAlongPath();
    if (const int moves = keepIfShorter(all))
      return moves;
    // Together they did not do: the one that promises most.
    if (all.size() < 2)
      return 0;
    return keepIfShorter({*std::min_element(
        all.begin(), all.end(),
        [](const Move &a, const Move &b) { return a.longest < b.longest; })});
  }

private:
  struct Move {
    int task, to;
    double longest; // of paths through the task, then
  };

  void update() {
    edges = edgeSeconds(problem, placement);
    level = levels(problem, edges);
    longest = level.longest();
  }

  std::vector<int> criticalPath() const {
    std::vector<int> path;
    int at = -1;
    for (int task : problem.order)
      if (at < 0 || level.bottom[size_t(task)] > level.bottom[size_t(at)])
        at = task;
    while (at >= 0) {
      path.push_back(at);
      int next = -1;
      double most = -1;
      for (int e : problem.adjacency.outOf(at)) {
        const int to = problem.graph.edges[size_t(e)].to;
        if (edges[size_t(e)] + level.bottom[size_t(to)] > most)
          next = to, most = edges[size_t(e)] + level.bottom[size_t(to)];
      }
      at = next;
    }
    return path;
  }

  /// The longest path through any of the union's tasks, were it on that device
  /// and all else as it is.
  double longestThrough(int task, int device) const {
    double longest = 0;
    for (int member : members.with(task)) {
      const auto deviceOf = [&](int other) {
        return problem.unions[size_t(other)] == problem.unions[size_t(task)]
                   ? device
                   : placement[size_t(other)];
      };
      double top = 0, bottom = 0;
      for (int e : problem.adjacency.into(member)) {
        const Edge &edge = problem.graph.edges[size_t(e)];
        top = std::max(top, level.top[size_t(edge.from)] +
                                problem.graph.tasks[size_t(edge.from)].seconds +
                                problem.devices.transferSeconds(
                                    edge.bytes, deviceOf(edge.from), device));
      }
      for (int e : problem.adjacency.outOf(member)) {
        const Edge &edge = problem.graph.edges[size_t(e)];
        bottom =
            std::max(bottom, level.bottom[size_t(edge.to)] +
                                 problem.devices.transferSeconds(
                                     edge.bytes, device, deviceOf(edge.to)));
      }
      longest = std::max(
          longest, top + problem.graph.tasks[size_t(member)].seconds + bottom);
    }
    return longest;
  }

  /// Of each transfer along the critical path the better end, if one is good;
  /// no two that are next to each other, as each reckons with the other's
  /// place.
  std::vector<Move> movesAlongPath() const {
    const std::vector<int> path = criticalPath();
    std::vector<Move> moves;
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      const int from = path[i], to = path[i + 1];
      const int a = placement[size_t(from)], b = placement[size_t(to)];
      if (a == b || a == problem.devices.host() || b == problem.devices.host())
        continue;
      const Move first{from, b, longestThrough(from, b)};
      const Move second{to, a, longestThrough(to, a)};
      const Move &better = second.longest < first.longest ? second : first;
      if (better.longest >= longest)
        continue;
      moves.push_back(better);
      ++i;
    }
    return moves;
  }

  int keepIfShorter(const std::vector<Move> &moves) {
    if (moves.empty())
      return 0;
    const Placement before = placement;
    for (const Move &move : moves)
      for (int member : members.with(move.task))
        placement[size_t(member)] = move.to;
    const double longestBefore = longest;
    update();
    // Less than rounding is not shorter.
    if (longest < longestBefore * (1 - 1e-12))
      return int(moves.size());
    placement = before;
    update();
    return 0;
  }

  const Problem &problem;
  Placement &placement;
  const Members members;
  std::vector<double> edges;
  Levels level;
  double longest = 0;
};

} // namespace

int placement::swapClusters(const ClusterFacts &facts, Placement &placement) {
  return Swapping(facts, placement).run();
}

int placement::switchTasks(const Problem &problem, Placement &placement,
                           int times) {
  Switching switching(problem, placement);
  int moves = 0;
  for (int i = 0; i < times; ++i) {
    const int more = switching.step();
    if (!more)
      break;
    moves += more;
  }
  return moves;
}
