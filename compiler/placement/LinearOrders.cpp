#include "compiler/placement/OrderSplit.h"

#include <queue>
#include <tuple>

using namespace smex;
using namespace smex::placement;

namespace {

/// A topological order; of blocks that may be next, the one of smallest key.
template <typename Key>
std::vector<int> byKey(const std::vector<std::vector<int>> &before,
                       const std::vector<std::vector<int>> &after, Key &&key) {
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  std::vector<int> missing(before.size()), order;
  for (size_t b = 0; b < before.size(); ++b)
    if (!(missing[b] = int(before[b].size())))
      ready.emplace(key(int(b)), int(b));
  while (!ready.empty()) {
    const int block = ready.top().second;
    ready.pop();
    order.push_back(block);
    for (int next : after[size_t(block)])
      if (--missing[size_t(next)] == 0)
        ready.emplace(key(next), next);
  }
  return order;
}

/// Depth first: what became possible last comes next.
std::vector<int> depthFirst(const StageGraph &graph) {
  std::vector<int> missing(size_t(graph.count())), stack, order;
  for (int b = graph.count(); b-- > 0;)
    if (!(missing[size_t(b)] = int(graph.before[size_t(b)].size())))
      stack.push_back(b);
  while (!stack.empty()) {
    const int block = stack.back();
    stack.pop_back();
    order.push_back(block);
    for (size_t i = graph.after[size_t(block)].size(); i-- > 0;)
      if (const int next = graph.after[size_t(block)][i];
          --missing[size_t(next)] == 0)
        stack.push_back(next);
  }
  return order;
}

/// How far through the graph a block is, from 0 to 1: what comes before it on
/// the longest path over what comes before and after.
std::vector<double> progress(const StageGraph &graph) {
  const size_t count = size_t(graph.count());
  std::vector<double> top(count), bottom(count), through(count);
  for (int block : graph.order)
    for (int next : graph.after[size_t(block)])
      top[size_t(next)] = std::max(
          top[size_t(next)], top[size_t(block)] + graph.seconds[size_t(block)]);
  for (size_t i = count; i-- > 0;) {
    const size_t block = size_t(graph.order[i]);
    for (int next : graph.after[block])
      bottom[block] = std::max(bottom[block], bottom[size_t(next)]);
    bottom[block] += graph.seconds[block];
  }
  for (size_t b = 0; b < count; ++b)
    through[b] =
        (top[b] + graph.seconds[b] / 2) / std::max(top[b] + bottom[b], 1e-300);
  return through;
}

/// Of blocks that may be next, the one after which least is open: made and not
/// yet read by all. What is ready waits in a heap by what it would change; a
/// net that has one reader left changes that reader's entry.
class LittleOpen {
public:
  LittleOpen(const StageGraph &graph, const Stages *stages)
      : graph(graph), stages(stages), left(graph.nets.size()),
        missing(size_t(graph.count())) {
    for (size_t n = 0; n < left.size(); ++n)
      left[n] = int(graph.nets[n].readers.size());
  }

  std::vector<int> run() {
    std::vector<int> order;
    for (int b = 0; b < graph.count(); ++b)
      if (!(missing[size_t(b)] = int(graph.before[size_t(b)].size())))
        push(b);
    while (!ready.empty()) {
      const auto [stage, change, stamp, block] = ready.top();
      ready.pop();
      if (done(block) || changeOf(block) < change)
        continue; // it stands there a second time, with what it is now
      missing[size_t(block)] = -1;
      order.push_back(block);
      take(block);
    }
    return order;
  }

private:
  /// Stage, what is open afterwards, then what became ready last.
  using Entry = std::tuple<int, double, int, int>;

  bool done(int block) const { return missing[size_t(block)] < 0; }

  double changeOf(int block) const {
    double change = 0;
    for (int n : graph.makes[size_t(block)])
      change += secondsOf(graph.nets[size_t(n)]);
    for (int n : graph.reads[size_t(block)])
      if (left[size_t(n)] == 1 && graph.nets[size_t(n)].from >= 0)
        change -= secondsOf(graph.nets[size_t(n)]);
    return change;
  }

  static double secondsOf(const Net &net) {
    return net.readers.empty() ? 0 : net.readers.front().seconds;
  }

  void push(int block) {
    ready.emplace(stages ? (*stages)[size_t(block)] : 0, changeOf(block),
                  --stamps, block);
  }

  void take(int block) {
    for (int n : graph.reads[size_t(block)])
      if (--left[size_t(n)] == 1)
        for (const Net::Reader &reader : graph.nets[size_t(n)].readers)
          if (missing[size_t(reader.block)] == 0)
            push(reader.block);
    for (int next : graph.after[size_t(block)])
      if (--missing[size_t(next)] == 0)
        push(next);
  }

  const StageGraph &graph;
  const Stages *stages;
  std::vector<int> left;    // readers of a net that are still to come
  std::vector<int> missing; // by block; -1: done
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  int stamps = 0;
};

} // namespace

std::vector<std::vector<int>> placement::linearOrders(const StageGraph &graph) {
  std::vector<std::vector<int>> orders = {graph.order};
  const std::vector<double> through = progress(graph);
  orders.push_back(byKey(graph.before, graph.after,
                         [&](int block) { return through[size_t(block)]; }));
  orders.push_back(LittleOpen(graph, nullptr).run());
  orders.push_back(depthFirst(graph));
  // As late as possible: the last of the list first, from the end.
  orders.push_back(byKey(graph.after, graph.before,
                         [](int block) { return -double(block); }));
  std::reverse(orders.back().begin(), orders.back().end());
  return orders;
}

std::vector<int> placement::orderWithin(const StageGraph &graph,
                                        const Stages &stages) {
  return LittleOpen(graph, &stages).run();
}
