#include "compiler/placement/Levels.h"
#include "compiler/placement/OrderSplit.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

std::vector<int> sortedBy(const std::vector<double> &key) {
  std::vector<int> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return key[size_t(a)] < key[size_t(b)];
  });
  return order;
}

/// Of each block, where its first task stands in the graph.
std::vector<double> firstTasks(const StageGraph &graph) {
  std::vector<double> first(size_t(graph.count()), -1);
  for (size_t i = 0; i < graph.problem.order.size(); ++i)
    if (double &of =
            first[size_t(graph.blockOf[size_t(graph.problem.order[i])])];
        of < 0)
      of = double(i);
  return first;
}

/// Of each block, the longest path to the first of its tasks that read
/// something: weights stand at the beginning of a graph, wherever they are
/// used.
std::vector<double> distances(const StageGraph &graph) {
  const Problem &problem = graph.problem;
  const Levels levels = placement::levels(problem, edgeSeconds(problem));
  std::vector<double> first(size_t(graph.count()), -1);
  for (const bool ofSources : {false, true})
    for (int task : problem.order) {
      double &of = first[size_t(graph.blockOf[size_t(task)])];
      const bool isSource = problem.adjacency.into(task).size() == 0;
      if (of < 0 && isSource == ofSources)
        of = levels.top[size_t(task)];
    }
  return first;
}

/// Who a block gets something from or makes something for, with repetitions.
template <typename Use>
void neighbours(const StageGraph &graph, int block, Use &&use) {
  for (int n : graph.makes[size_t(block)])
    for (const Net::Reader &reader : graph.nets[size_t(n)].readers)
      use(reader.block);
  for (int n : graph.reads[size_t(block)])
    if (const int from = graph.nets[size_t(n)].from; from >= 0)
      use(from);
}

/// Walks over a graph, each of which sees what is not done.
class Walks {
public:
  explicit Walks(const StageGraph &graph)
      : graph(graph), seen(size_t(graph.count())) {}

  bool isDone(int block) const { return seen[size_t(block)] == kDone; }

  /// Breadth first: appends what is reached and not done, by its distance and,
  /// within one, as it is found. It is done then, if this is the last walk
  /// there.
  void from(int start, bool isLast, std::vector<int> &order) {
    const int number = isLast ? kDone : ++walks;
    const auto add = [&](int block) {
      if (seen[size_t(block)] >= number)
        return;
      seen[size_t(block)] = number;
      order.push_back(block);
    };
    size_t next = order.size();
    for (add(start); next < order.size(); ++next)
      neighbours(graph, order[next], add);
  }

private:
  static constexpr int kDone = std::numeric_limits<int>::max();

  const StageGraph &graph;
  std::vector<int> seen; // the last walk that did, by block
  int walks = 0;
};

/// Neighbours close to each other (Cuthill & McKee 1969): breadth first, each
/// component from a block that is as far from another one as two walks find.
std::vector<int> outwards(const StageGraph &graph) {
  std::vector<int> order, found;
  Walks walks(graph);
  for (int block = 0; block < graph.count(); ++block) {
    if (walks.isDone(block))
      continue;
    int start = block;
    for (int walk = 0; walk < 2; ++walk) {
      found.clear();
      walks.from(start, false, found);
      start = found.back();
    }
    walks.from(start, true, order);
  }
  return order;
}

} // namespace

std::vector<std::vector<int>> placement::unionOrders(const StageGraph &graph) {
  return {sortedBy(firstTasks(graph)), sortedBy(distances(graph)),
          outwards(graph)};
}
