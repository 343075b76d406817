#include "compiler/placement/StageClusters.h"

#include "dialects/support/Random.h"

#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// Nets of more readers tie no two of them together.
constexpr size_t kWide = 64;

class Clustering {
public:
  Clustering(const StageGraph &graph, const ClusterParams &params)
      : graph(graph), params(params), head(size_t(graph.count())),
        seconds(graph.seconds), score(size_t(graph.count())),
        grown(size_t(graph.count())) {
    std::iota(head.begin(), head.end(), 0);
    if (params.mostBytes)
      bytes = *params.bytes;
  }

  std::vector<int> run() {
    const Random random(params.seed, "clusters");
    std::vector<int> order(head.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1],
                order[size_t(random.below(int64_t(i), uint64_t(i)))]);
    for (int block : order)
      if (!grown[size_t(block)])
        join(block);
    std::vector<int> number(head.size(), -1), clusterOf(head.size());
    int count = 0;
    for (size_t b = 0; b < head.size(); ++b) {
      int &of = number[size_t(head[b])];
      if (of < 0)
        of = count++;
      clusterOf[b] = of;
    }
    return clusterOf;
  }

private:
  void rate(int other, int block, double transfer) {
    const int to = head[size_t(other)];
    if (to == block)
      return;
    if (score[size_t(to)] == 0)
      rated.push_back(to);
    score[size_t(to)] += transfer;
  }

  void join(int block) {
    rated.clear();
    for (int n : graph.makes[size_t(block)]) {
      const Net &net = graph.nets[size_t(n)];
      if (net.readers.size() <= kWide)
        for (const Net::Reader &reader : net.readers)
          rate(reader.block, block, reader.seconds);
    }
    for (int n : graph.reads[size_t(block)]) {
      const Net &net = graph.nets[size_t(n)];
      if (net.from >= 0)
        rate(net.from, block, net.secondsOf(block));
    }
    int best = -1;
    double most = 0;
    for (int to : rated) {
      const double work = seconds[size_t(block)] + seconds[size_t(to)];
      const double rating =
          score[size_t(to)] / (params.mostSeconds / 64 + work);
      score[size_t(to)] = 0;
      if (rating > most && work <= params.mostSeconds && hasRoom(block, to)) {
        most = rating;
        best = to;
      }
    }
    if (best < 0)
      return;
    // Clusters have one level: who is joined is a head, and `block` is alone.
    head[size_t(block)] = best;
    grown[size_t(best)] = true;
    seconds[size_t(best)] += seconds[size_t(block)];
    if (params.mostBytes)
      bytes[size_t(best)] += bytes[size_t(block)];
  }

  bool hasRoom(int a, int b) const {
    return !params.mostBytes ||
           bytes[size_t(a)] + bytes[size_t(b)] <= *params.mostBytes;
  }

  const StageGraph &graph;
  const ClusterParams &params;
  std::vector<int> head;       // of the cluster that a block is in
  std::vector<double> seconds; // of clusters, by head
  std::vector<int64_t> bytes;
  std::vector<double> score; // by head, while one block chooses
  std::vector<int> rated;
  std::vector<char> grown; // heads that others have joined
};

} // namespace

std::vector<int> placement::clusters(const StageGraph &graph,
                                     const ClusterParams &params) {
  return Clustering(graph, params).run();
}

StageGraph placement::contract(const StageGraph &graph,
                               const std::vector<int> &clusterOf) {
  const size_t count =
      clusterOf.empty()
          ? 0
          : size_t(*std::max_element(clusterOf.begin(), clusterOf.end())) + 1;
  StageGraph small = graph;
  for (int &block : small.blockOf)
    block = clusterOf[size_t(block)];
  small.seconds.assign(count, 0);
  small.bytes.assign(count, 0);
  small.residualBytes.assign(count, 0);
  for (size_t b = 0; b < clusterOf.size(); ++b) {
    const size_t to = size_t(clusterOf[b]);
    small.seconds[to] += graph.seconds[b];
    small.bytes[to] += graph.bytes[b];
    small.residualBytes[to] += graph.residualBytes[b];
  }
  small.nets.clear();
  for (auto *lists : {&small.makes, &small.reads, &small.before, &small.after})
    lists->assign(count, {});
  small.order.clear();
  for (const Net &net : graph.nets) {
    Net joined;
    joined.from = net.from < 0 ? -1 : clusterOf[size_t(net.from)];
    joined.hostSeconds = net.hostSeconds;
    for (const Net::Reader &reader : net.readers)
      if (const int to = clusterOf[size_t(reader.block)]; to != joined.from)
        joined.readers.push_back({to, reader.seconds});
    small.add(std::move(joined));
  }
  return small;
}
