#include "compiler/placement/StageGraph.h"

#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// Strongly connected components of the unions (Tarjan), without recursion.
/// Components are numbered in reverse topological order.
class Components {
public:
  explicit Components(const Problem &problem)
      : problem(problem), component(problem.graph.tasks.size(), -1),
        low(component.size(), -1), members(component.size()) {
    for (size_t t = 0; t < component.size(); ++t)
      members[size_t(unionOf(int(t)))].push_back(int(t));
    for (size_t t = 0; t < component.size(); ++t)
      if (unionOf(int(t)) == int(t) && low[t] < 0)
        visit(int(t));
    for (size_t t = 0; t < component.size(); ++t)
      component[t] = component[size_t(unionOf(int(t)))];
  }

  const Problem &problem;
  std::vector<int> component; // by task
  int count = 0;

private:
  struct Frame {
    int root, index; // a union, and its place in the order of visits
    size_t member = 0, edge = 0;
  };

  /// That tasks of the host are together closes no circle: no data goes from
  /// one of them to the other.
  int unionOf(int task) const {
    return problem.graph.tasks[size_t(task)].hasGpuKernel
               ? problem.unions[size_t(task)]
               : task;
  }

  void visit(int root) {
    std::vector<Frame> frames;
    enter(frames, root);
    while (!frames.empty()) {
      Frame &at = frames.back();
      const auto &tasks = members[size_t(at.root)];
      if (at.member == tasks.size()) {
        leave(frames);
        continue;
      }
      const auto out = problem.adjacency.outOf(tasks[at.member]);
      if (at.edge == out.size()) {
        ++at.member;
        at.edge = 0;
        continue;
      }
      const int edge = *(out.begin() + at.edge++);
      const int to = unionOf(problem.graph.edges[size_t(edge)].to);
      if (low[size_t(to)] < 0)
        enter(frames, to);
      else if (component[size_t(to)] < 0)
        low[size_t(at.root)] = std::min(low[size_t(at.root)], low[size_t(to)]);
    }
  }

  void enter(std::vector<Frame> &frames, int root) {
    low[size_t(root)] = visited;
    frames.push_back({root, visited++});
    stack.push_back(root);
  }

  void leave(std::vector<Frame> &frames) {
    const Frame done = frames.back();
    frames.pop_back();
    if (low[size_t(done.root)] == done.index) {
      int member;
      do {
        member = stack.back();
        stack.pop_back();
        component[size_t(member)] = count;
      } while (member != done.root);
      ++count;
    }
    if (!frames.empty()) {
      int &above = low[size_t(frames.back().root)];
      above = std::min(above, low[size_t(done.root)]);
    }
  }

  std::vector<int> low; // by union
  std::vector<std::vector<int>> members;
  std::vector<int> stack;
  int visited = 0;
};

void unique(std::vector<int> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

StageGraph::StageGraph(const Problem &problem, Blocks blocks)
    : problem(problem) {
  const TaskGraph &graph = problem.graph;
  const Devices &devices = problem.devices;
  // Numbered by the first task in topological order, so that of blocks that may
  // be next, the first in the graph's order comes first.
  const std::vector<int> whole = blocks == Blocks::OfAnyPlacement
                                     ? problem.unions
                                     : Components(problem).component;
  std::vector<int> number(graph.tasks.size(), -1);
  int count = 0;
  for (int task : problem.order) {
    int &block = number[size_t(whole[size_t(task)])];
    if (block < 0)
      block = count++;
  }
  blockOf.resize(graph.tasks.size());
  seconds.resize(size_t(count));
  bytes.resize(size_t(count));
  residualBytes.resize(size_t(count));
  makes.resize(size_t(count));
  reads.resize(size_t(count));
  before.resize(size_t(count));
  after.resize(size_t(count));
  for (size_t t = 0; t < blockOf.size(); ++t) {
    blockOf[t] = number[size_t(whole[t])];
    const size_t block = size_t(blockOf[t]);
    const Task &task = graph.tasks[t];
    if (!task.hasGpuKernel)
      continue;
    seconds[block] += task.seconds;
    totalSeconds += task.seconds;
    if (task.memory != MemoryKind::Reference)
      bytes[block] += task.bytes;
    if (task.memory == MemoryKind::Residual)
      residualBytes[block] += task.bytes;
  }
  for (const Edge &edge : graph.edges)
    if (const int from = blockOf[size_t(edge.from)],
        to = blockOf[size_t(edge.to)];
        from != to) {
      after[size_t(from)].push_back(to);
      before[size_t(to)].push_back(from);
    }
  for (size_t b = 0; b < seconds.size(); ++b) {
    unique(before[b]);
    unique(after[b]);
  }
  for (size_t t = 0; t < blockOf.size(); ++t) {
    const bool onHost = !graph.tasks[t].hasGpuKernel;
    Net net;
    net.from = onHost ? -1 : blockOf[t];
    for (int e : problem.adjacency.outOf(int(t))) {
      const Edge &edge = graph.edges[size_t(e)];
      const bool toHost = !graph.tasks[size_t(edge.to)].hasGpuKernel;
      const int to = blockOf[size_t(edge.to)];
      if (toHost && !onHost)
        net.hostSeconds =
            std::max(net.hostSeconds,
                     devices.transferSeconds(edge.bytes, 0, devices.host()));
      else if (!toHost && to != net.from)
        net.readers.push_back(
            {to, onHost ? devices.transferSeconds(edge.bytes, devices.host(), 0)
                        : devices.transferSeconds(edge.bytes)});
    }
    add(std::move(net));
  }
  // By number where it is free: a heap would do the same as for tasks, but
  // blocks have no order of their own to keep.
  std::vector<int> missing(seconds.size());
  std::vector<int> ready;
  const auto later = std::greater<int>();
  for (size_t b = 0; b < seconds.size(); ++b)
    if (!(missing[b] = int(before[b].size())))
      ready.push_back(int(b));
  std::make_heap(ready.begin(), ready.end(), later);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    const int block = ready.back();
    ready.pop_back();
    order.push_back(block);
    for (int next : after[size_t(block)])
      if (--missing[size_t(next)] == 0) {
        ready.push_back(next);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
}

void StageGraph::add(Net net) {
  std::sort(net.readers.begin(), net.readers.end(),
            [](const Net::Reader &a, const Net::Reader &b) {
              return a.block != b.block ? a.block < b.block
                                        : a.seconds > b.seconds;
            });
  net.readers.erase(std::unique(net.readers.begin(), net.readers.end(),
                                [](const Net::Reader &a, const Net::Reader &b) {
                                  return a.block == b.block;
                                }),
                    net.readers.end());
  if (net.readers.empty() && net.hostSeconds == 0)
    return;
  if (net.from >= 0)
    makes[size_t(net.from)].push_back(int(nets.size()));
  for (const Net::Reader &reader : net.readers)
    reads[size_t(reader.block)].push_back(int(nets.size()));
  nets.push_back(std::move(net));
}

double Net::secondsOf(int block) const {
  return std::lower_bound(
             readers.begin(), readers.end(), block,
             [](const Reader &reader, int b) { return reader.block < b; })
      ->seconds;
}

Placement StageGraph::placement(const Stages &stages) const {
  Placement placement(blockOf.size());
  for (size_t t = 0; t < blockOf.size(); ++t)
    placement[t] = problem.graph.tasks[t].hasGpuKernel
                       ? stages[size_t(blockOf[t])]
                       : problem.devices.host();
  return placement;
}

std::vector<StageLoad> placement::stageLoads(const StageGraph &graph,
                                             const Stages &stages, int count) {
  std::vector<StageLoad> loads(static_cast<size_t>(count));
  std::vector<double> arrives(static_cast<size_t>(count));
  for (int b = 0; b < graph.count(); ++b)
    loads[size_t(stages[size_t(b)])].compute += graph.seconds[size_t(b)];
  for (const Net &net : graph.nets) {
    const int from = net.from < 0 ? -1 : stages[size_t(net.from)];
    double leaves = net.hostSeconds;
    for (const Net::Reader &reader : net.readers)
      if (const int to = stages[size_t(reader.block)]; to != from) {
        leaves = std::max(leaves, reader.seconds);
        double &most = arrives[size_t(to)];
        most = std::max(most, reader.seconds);
      }
    for (const Net::Reader &reader : net.readers) {
      const size_t to = size_t(stages[size_t(reader.block)]);
      loads[to].in += arrives[to];
      arrives[to] = 0;
    }
    if (from >= 0)
      loads[size_t(from)].out += leaves;
  }
  return loads;
}

double placement::largestLoad(const StageGraph &graph, const Stages &stages,
                              int count, bool transfersOverlap) {
  double most = 0;
  for (const StageLoad &load : stageLoads(graph, stages, count))
    most = std::max(most, load.of(transfersOverlap));
  return most;
}

bool placement::inOrder(const StageGraph &graph, const Stages &stages) {
  for (size_t b = 0; b < stages.size(); ++b)
    for (int next : graph.after[b])
      if (stages[b] > stages[size_t(next)])
        return false;
  return true;
}
