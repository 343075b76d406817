#include "compiler/placement/MinCut.h"

#include <algorithm>

using namespace smex::placement;
using std::size_t;

void MinCut::clear(int nodes) {
  first.assign(size_t(nodes), -1);
  edges.clear();
}

int MinCut::addNode() {
  first.push_back(-1);
  return int(first.size()) - 1;
}

void MinCut::addEdge(int from, int to, int64_t capacity) {
  if (capacity <= 0 || from == to)
    return;
  ++work; // to make it takes as long as to look at it
  edges.push_back({to, first[size_t(from)], capacity});
  first[size_t(from)] = int(edges.size()) - 1;
  edges.push_back({from, first[size_t(to)], 0});
  first[size_t(to)] = int(edges.size()) - 1;
}

int64_t MinCut::lookWork() const {
  constexpr size_t kNear = size_t(1) << 17, kFar = size_t(1) << 20;
  return edges.size() <= kNear ? 1 : edges.size() <= kFar ? 4 : 16;
}

bool MinCut::layer() {
  const int64_t look = lookWork();
  level.assign(first.size(), -1);
  queue.clear();
  queue.push_back(kSource);
  level[kSource] = 0;
  for (size_t next = 0; next < queue.size() && !isOver(); ++next) {
    const int node = queue[next];
    for (int e = first[size_t(node)]; e >= 0; e = edges[size_t(e)].next) {
      work += look;
      const Edge &edge = edges[size_t(e)];
      if (edge.capacity > 0 && level[size_t(edge.to)] < 0) {
        level[size_t(edge.to)] = level[size_t(node)] + 1;
        queue.push_back(edge.to);
      }
    }
  }
  return level[kSink] >= 0;
}

int64_t MinCut::push(int node, int64_t most) {
  const int64_t look = lookWork();
  // Paths can be as long as the network: no recursion.
  std::vector<int> path; // edges
  int64_t all = 0;
  int at = node;
  while (!isOver()) {
    if (at == kSink) {
      int64_t flow = most - all;
      for (int e : path)
        flow = std::min(flow, edges[size_t(e)].capacity);
      work += look * int64_t(path.size());
      size_t back = path.size();
      for (size_t i = 0; i < path.size(); ++i) {
        Edge &edge = edges[size_t(path[i])];
        edge.capacity -= flow;
        edges[size_t(path[i]) ^ 1].capacity += flow;
        if (edge.capacity == 0 && back == path.size())
          back = i;
      }
      all += flow;
      if (all == most || path.empty())
        return all;
      // Back to before the first edge that is full.
      at = back == 0 ? node : edges[size_t(path[back - 1])].to;
      path.resize(back);
      continue;
    }
    int &e = current[size_t(at)];
    while (e >= 0 &&
           (edges[size_t(e)].capacity <= 0 ||
            level[size_t(edges[size_t(e)].to)] != level[size_t(at)] + 1)) {
      work += look;
      e = edges[size_t(e)].next;
    }
    if (e >= 0) {
      path.push_back(e);
      at = edges[size_t(e)].to;
      continue;
    }
    if (path.empty())
      return all;
    // A dead end.
    level[size_t(at)] = -1;
    path.pop_back();
    at = path.empty() ? node : edges[size_t(path.back())].to;
  }
  return all;
}

int64_t MinCut::solve() {
  int64_t flow = 0;
  while (flow < kUncut && !isOver() && layer() && !isOver()) {
    current = first;
    flow += push(kSource, kUncut - flow);
  }
  return flow;
}
