// Refinement.h: tasks along the critical path that change their devices.
#include "compiler/placement/Members.h"
#include "compiler/placement/Refinement.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::placement;

namespace {

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
    const std::vector<int> path = longestPath(problem, edges, level.bottom);
    // A union may be at many places of the path.
    std::map<std::pair<int, int>, double> known; // by its first task, device
    const auto longestOn = [&](int task, int device) {
      const auto [at, isNew] =
          known.try_emplace({problem.unions[size_t(task)], device});
      if (isNew)
        at->second = longestThrough(task, device);
      return at->second;
    };
    std::vector<Move> moves;
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      const int from = path[i], to = path[i + 1];
      const int a = placement[size_t(from)], b = placement[size_t(to)];
      if (a == b || a == problem.devices.host() || b == problem.devices.host())
        continue;
      const Move first{from, b, longestOn(from, b)};
      const Move second{to, a, longestOn(to, a)};
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
