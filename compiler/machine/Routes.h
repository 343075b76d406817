// The ways that data takes through a machine.
#ifndef SMEX_COMPILER_MACHINE_ROUTES_H
#define SMEX_COMPILER_MACHINE_ROUTES_H

#include "compiler/machine/Machine.h"

#include <optional>

namespace smex::machines {

/// What a flow takes from one node to another.
struct Route {
  struct Hop {
    int link;
    bool forward; // from a to b
  };
  std::vector<Hop> hops;
  std::vector<int> resources; // see capacities()
  double latencySeconds = 0;
};

/// Shortest paths by number of links; of equally short ones the one whose next
/// node has the smaller number, from the source on. Only switches and hosts
/// pass data on.
class Routes {
public:
  explicit Routes(const Machine &machine);
  /// Without hops if there is no way.
  const Route &between(int from, int to);

private:
  const std::vector<int> &distancesTo(int to);

  const Machine &machine;
  std::vector<std::vector<Route::Hop>> neighbours; // per node, by number
  std::map<int, std::vector<int>> distances;       // per destination
  std::map<std::pair<int, int>, Route> routes;
};

/// Bytes per second of each resource that flows share. Two per link (the second
/// is not used where both directions share the first), then one per node.
std::vector<double> capacities(const Machine &machine);

/// The host that is nearest to a GPU (a node), by links; of several the first.
std::optional<int> nearestHost(const Machine &machine, Routes &routes, int gpu);

} // namespace smex::machines

#endif
