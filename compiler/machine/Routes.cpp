#include "compiler/machine/Routes.h"

#include <algorithm>
#include <limits>
#include <queue>

using namespace smex;
using namespace smex::machines;

namespace {
constexpr int unreachable = std::numeric_limits<int>::max();
}

std::vector<double> machines::capacities(const Machine &machine) {
  std::vector<double> capacities;
  for (const Link &link : machine.links)
    capacities.insert(capacities.end(), 2, link.bytesPerSecond);
  for (const Node &node : machine.nodes)
    capacities.push_back(node.bytesPerSecond > 0
                             ? node.bytesPerSecond
                             : std::numeric_limits<double>::infinity());
  return capacities;
}

Routes::Routes(const Machine &machine)
    : machine(machine), neighbours(machine.nodes.size()) {
  for (size_t l = 0; l < machine.links.size(); ++l) {
    neighbours[size_t(machine.links[l].a)].push_back({int(l), true});
    neighbours[size_t(machine.links[l].b)].push_back({int(l), false});
  }
  const auto other = [&](Route::Hop hop) {
    const Link &link = machine.links[size_t(hop.link)];
    return hop.forward ? link.b : link.a;
  };
  for (auto &hops : neighbours)
    std::sort(hops.begin(), hops.end(),
              [&](Route::Hop x, Route::Hop y) { return other(x) < other(y); });
}

const std::vector<int> &Routes::distancesTo(int to) {
  std::vector<int> &found = distances[to];
  if (!found.empty())
    return found;
  found.assign(machine.nodes.size(), unreachable);
  found[size_t(to)] = 0;
  std::queue<int> reached;
  for (reached.push(to); !reached.empty(); reached.pop()) {
    const int node = reached.front();
    // A GPU is an end of a way, never on it.
    if (node != to && machine.nodes[size_t(node)].kind == NodeKind::Gpu)
      continue;
    for (Route::Hop hop : neighbours[size_t(node)]) {
      const Link &link = machine.links[size_t(hop.link)];
      const int next = hop.forward ? link.b : link.a;
      if (found[size_t(next)] != unreachable)
        continue;
      found[size_t(next)] = found[size_t(node)] + 1;
      reached.push(next);
    }
  }
  return found;
}

const Route &Routes::between(int from, int to) {
  const auto [place, isNew] = routes.try_emplace({from, to});
  Route &route = place->second;
  const std::vector<int> &distance = distancesTo(to);
  if (!isNew || distance[size_t(from)] == unreachable)
    return route;
  const int nodes = int(2 * machine.links.size()); // first resource of a node
  for (int at = from; at != to;) {
    for (Route::Hop hop : neighbours[size_t(at)]) {
      const Link &link = machine.links[size_t(hop.link)];
      const int next = hop.forward ? link.b : link.a;
      if (distance[size_t(next)] != distance[size_t(at)] - 1)
        continue;
      if (next != to && machine.nodes[size_t(next)].kind == NodeKind::Gpu)
        continue;
      route.hops.push_back(hop);
      route.latencySeconds += link.latencySeconds;
      route.resources.push_back(2 * hop.link + (link.duplex && !hop.forward));
      if (next != to && machine.nodes[size_t(next)].bytesPerSecond > 0)
        route.resources.push_back(nodes + next);
      at = next;
      break;
    }
  }
  return route;
}

std::optional<int> machines::nearestHost(const Machine &machine, Routes &routes,
                                         int gpu) {
  std::optional<int> nearest;
  size_t links = 0;
  for (int node = 0; node < int(machine.nodes.size()); ++node) {
    if (machine.nodes[size_t(node)].kind != NodeKind::Host)
      continue;
    const size_t hops = routes.between(gpu, node).hops.size();
    if (hops > 0 && (!nearest || hops < links)) {
      nearest = node;
      links = hops;
    }
  }
  return nearest;
}
