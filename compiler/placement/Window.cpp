#include "compiler/placement/Window.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace smex;
using namespace smex::placement;

Window::Window(const WindowSource &from, int begin, int end)
    : inGivenOrder(from.inGivenOrder), begin(begin),
      withHost(size_t(from.problem.devices.count) + 1),
      host(from.problem.devices.host()),
      tasks(from.order.begin() + begin, from.order.begin() + end),
      free0(from.free), after(withHost) {
  const Problem &problem = from.problem;
  const size_t count = tasks.size();
  const auto local = [&](int task) {
    const int at = from.position[size_t(task)];
    return at >= begin && at < end ? at - begin : -1;
  };
  device.resize(count), unitOf.assign(count, 0), seconds.resize(count);
  allLinks.resize(count), outsides.resize(count);
  outOffsets.assign(count + 1, 0), inCount.assign(count, 0);
  ready0.assign(count * withHost, 0), tail0.assign(count * withHost, 0);
  units.emplace_back(); // of those that stay
  for (size_t i = 0; i < count; ++i) {
    const int task = tasks[i];
    device[i] = from.placement[size_t(task)];
    seconds[i] = problem.graph.tasks[size_t(task)].seconds;
    const bool isOnHost = device[i] == host;
    for (int e : problem.adjacency.into(task)) {
      const int other = problem.graph.edges[size_t(e)].from;
      if (const int j = local(other); j >= 0) {
        ++inCount[i];
        allLinks[i].push_back({j, from.apart[size_t(e)]});
        continue;
      }
      const int there = from.placement[size_t(other)];
      outsides[i].push_back(there);
      for (int d = isOnHost ? host : 0; d < (isOnHost ? host + 1 : host); ++d) {
        double &ready = ready0[i * withHost + size_t(d)];
        ready = std::max(ready, from.finish[size_t(other)] +
                                    (d == there ? 0 : from.apart[size_t(e)]));
      }
    }
    for (int e : problem.adjacency.outOf(task)) {
      const int other = problem.graph.edges[size_t(e)].to;
      if (const int j = local(other); j >= 0) {
        outs.push_back({j, from.apart[size_t(e)]});
        allLinks[i].push_back({j, from.apart[size_t(e)]});
        continue;
      }
      const int there = from.placement[size_t(other)];
      outsides[i].push_back(there);
      const double behind = problem.graph.tasks[size_t(other)].seconds +
                            from.timeline.tail[size_t(other)];
      for (int d = isOnHost ? host : 0; d < (isOnHost ? host + 1 : host); ++d) {
        double &tail = tail0[i * withHost + size_t(d)];
        tail =
            std::max(tail, behind + (d == there ? 0 : from.apart[size_t(e)]));
      }
    }
    outOffsets[i + 1] = int(outs.size());
    // The first of a union in the window lists them all.
    const Members::Range all = from.members.with(task);
    if (isOnHost)
      continue;
    bool isFirst = true, isInside = true;
    for (int member : all) {
      const int j = local(member);
      isInside = isInside && j >= 0;
      isFirst = isFirst && (j < 0 || j >= int(i));
    }
    if (!isInside || !isFirst)
      continue;
    for (int member : all)
      unitOf[size_t(local(member))] = int(units.size());
    units.emplace_back();
    for (int member : all)
      units.back().push_back(local(member));
  }
  size_t seen = 0;
  std::vector<bool> isSeen(withHost); // nothing may take time on a device
  for (size_t at = size_t(end); at < from.order.size() && seen < withHost - 1;
       ++at) {
    const int task = from.order[at];
    const int d = from.placement[size_t(task)];
    if (d == host || isSeen[size_t(d)])
      continue;
    isSeen[size_t(d)] = true;
    after[size_t(d)] = problem.graph.tasks[size_t(task)].seconds +
                       from.timeline.tail[size_t(task)];
    ++seen;
  }
  // Who comes first in the graph is the one that is served first.
  byRank.resize(count), rank.resize(count);
  std::iota(byRank.begin(), byRank.end(), 0);
  std::sort(byRank.begin(), byRank.end(),
            [&](int a, int b) { return tasks[size_t(a)] < tasks[size_t(b)]; });
  for (size_t r = 0; r < count; ++r)
    rank[size_t(byRank[r])] = int(r);
  sequence.resize(count);
  std::iota(sequence.begin(), sequence.end(), 0);
  places = sequence;
  ready.resize(count), finish.resize(count), readyBy.resize(count);
  startBy.resize(count), lastOn.resize(withHost);
}

double Window::run(double enough) {
  const size_t count = tasks.size();
  free = free0;
  missing = inCount;
  std::fill(lastOn.begin(), lastOn.end(), -1);
  queue.clear();
  double longest = 0;
  last = -1;
  const auto push = [&](int i) {
    queue.emplace_back(ready[size_t(i)], rank[size_t(i)]);
    std::push_heap(queue.begin(), queue.end(), std::greater<>());
  };
  for (size_t i = 0; i < count; ++i) {
    ready[i] = readyOn(i, device[i]);
    readyBy[i] = -1;
    if (!missing[i] && !inGivenOrder)
      push(int(i));
  }
  for (size_t done = 0; done < count; ++done) {
    size_t i = size_t(sequence[done]);
    if (!inGivenOrder) {
      std::pop_heap(queue.begin(), queue.end(), std::greater<>());
      i = size_t(byRank[size_t(queue.back().second)]);
      queue.pop_back();
    }
    const int d = device[i];
    double start = ready[i];
    startBy[i] = readyBy[i];
    if (d != host) {
      if (free[size_t(d)] > start) {
        start = free[size_t(d)];
        startBy[i] = lastOn[size_t(d)];
      }
      free[size_t(d)] = start + seconds[i];
      lastOn[size_t(d)] = int(i);
    }
    finish[i] = start + seconds[i];
    if (const double through = finish[i] + tail0[i * withHost + size_t(d)];
        through > longest) {
      longest = through;
      last = int(i);
      if (longest > enough) {
        looked += int64_t(done);
        return longest;
      }
    }
    for (int o = outOffsets[i]; o < outOffsets[i + 1]; ++o) {
      const Out &out = outs[size_t(o)];
      const size_t to = size_t(out.to);
      const double arrives = finish[i] + (device[to] == d ? 0 : out.seconds);
      if (arrives > ready[to]) {
        ready[to] = arrives;
        readyBy[to] = int(i);
      }
      if (--missing[to] == 0 && !inGivenOrder)
        push(out.to);
    }
  }
  looked += int64_t(count);
  for (size_t d = 0; d + 1 < withHost; ++d)
    if (const double through = free[d] + after[d]; through > longest) {
      longest = through;
      last = lastOn[d];
    }
  return longest;
}

void Window::shift(int i, int place) {
  const int step = place < placeOf(i) ? -1 : 1;
  for (int p = placeOf(i); p != place; p += step) {
    sequence[size_t(p)] = sequence[size_t(p + step)];
    places[size_t(sequence[size_t(p)])] = p;
  }
  sequence[size_t(place)] = i;
  places[size_t(i)] = place;
}

std::pair<int, int> Window::placesFor(int i) const {
  int first = 0, last = size() - 1;
  for (const Link &link : links(i))
    if (const int other = placeOf(link.other); other < placeOf(i))
      first = std::max(first, other + 1);
    else
      last = std::min(last, other - 1);
  return {first, last};
}

void Window::reorder(const std::vector<int> &all) {
  sequence = all;
  for (size_t p = 0; p < all.size(); ++p)
    places[size_t(all[p])] = int(p);
}

void Window::critical(std::vector<int> &path) const {
  path.clear();
  for (int i = last; i >= 0; i = startBy[size_t(i)])
    path.push_back(i);
}

void Window::commit(const WindowSource &to) const {
  for (size_t i = 0; i < tasks.size(); ++i) {
    to.placement[size_t(tasks[i])] = device[i];
    to.finish[size_t(tasks[i])] = finish[i];
    to.order[size_t(begin + places[i])] = tasks[i];
  }
  to.free = free;
}
