#include "compiler/placement/ForcedBlocks.h"

#include "compiler/placement/StageClusters.h"

#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// One look at each cluster of a graph's blocks.
class Joining {
public:
  Joining(const StageGraph &graph, double load, int64_t most)
      : graph(graph), load(load), most(most), cuts(graph),
        parent(size_t(graph.count())), members(parent.size()) {
    cuts.limitWork(most);
    std::iota(parent.begin(), parent.end(), 0);
    for (size_t b = 0; b < members.size(); ++b)
      members[b] = {int(b)};
  }

  /// False if some cluster is on no device.
  bool run() {
    std::vector<char> mayJoin(parent.size(), true);
    std::vector<int> around;
    for (int block = 0; block < graph.count() && work() < most; ++block) {
      if (find(block) != block)
        continue;
      if (cuts.leastLoad(members[size_t(block)], mayJoin) >= load)
        return false;
      // Without one that the smallest load does not need, it is as small.
      around.clear();
      for (int b = 0; b < graph.count(); ++b)
        if (cuts.has(b) && find(b) != block)
          around.push_back(b);
      for (int b : around) {
        const int mine = find(block);
        if (find(b) == mine || work() >= most)
          continue;
        mayJoin[size_t(b)] = false;
        const double without = cuts.leastLoad(members[size_t(mine)], mayJoin);
        mayJoin[size_t(b)] = true;
        if (without >= load)
          join(mine, find(b));
      }
    }
    return true;
  }

  std::vector<int> clusters() {
    std::vector<int> number(parent.size(), -1), of(parent.size());
    int count = 0;
    for (size_t b = 0; b < parent.size(); ++b) {
      int &mine = number[size_t(find(int(b)))];
      if (mine < 0)
        mine = count++;
      of[b] = mine;
    }
    return of;
  }

  int64_t work() const { return cuts.work(); }
  bool hasJoined = false;

private:
  int find(int block) {
    while (parent[size_t(block)] != block)
      block = parent[size_t(block)] = parent[size_t(parent[size_t(block)])];
    return block;
  }

  void join(int a, int b) {
    hasJoined = true;
    if (members[size_t(a)].size() < members[size_t(b)].size())
      std::swap(a, b);
    parent[size_t(b)] = a;
    members[size_t(a)].insert(members[size_t(a)].end(),
                              members[size_t(b)].begin(),
                              members[size_t(b)].end());
    members[size_t(b)].clear();
  }

  const StageGraph &graph;
  const double load;
  const int64_t most;
  BlockCapacities cuts;
  std::vector<int> parent;
  std::vector<std::vector<int>> members; // by cluster's head
};

} // namespace

std::optional<std::vector<int>>
placement::forcedTogether(const StageGraph &graph, double load, int64_t &work) {
  std::vector<int> clusterOf(size_t(graph.count()));
  std::iota(clusterOf.begin(), clusterOf.end(), 0);
  std::optional<StageGraph> small(graph);
  for (bool again = true; again && work > 0;) {
    Joining joining(*small, load, work);
    const bool isPossible = joining.run();
    work -= joining.work();
    if (!isPossible)
      return std::nullopt;
    again = joining.hasJoined;
    if (!again)
      break;
    const std::vector<int> into = joining.clusters();
    for (int &cluster : clusterOf)
      cluster = into[size_t(cluster)];
    small.emplace(contract(*small, into));
  }
  return clusterOf;
}

ForcedApart placement::forcedApart(const StageGraph &graph, double load,
                                   int64_t &work) {
  const size_t count = size_t(graph.count());
  ForcedApart forced;
  forced.apart.assign(count, std::vector<char>(count, false));
  BlockCapacities cuts(graph);
  cuts.limitWork(work);
  const std::vector<char> all(count, true);
  for (int b = 0; b < graph.count(); ++b)
    forced.leastLoad.push_back(cuts.leastLoad({b}, all));
  // Loads are submodular: two sets in one have no more than both in sum.
  for (int a = 0; a < graph.count(); ++a)
    for (int b = a + 1; b < graph.count() && cuts.work() < work; ++b)
      if (forced.leastLoad[size_t(a)] + forced.leastLoad[size_t(b)] >= load &&
          cuts.leastLoad({a, b}, all) >= load)
        forced.apart[size_t(a)][size_t(b)] =
            forced.apart[size_t(b)][size_t(a)] = true;
  work -= cuts.work();
  return forced;
}
