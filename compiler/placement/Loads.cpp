#include "compiler/placement/Loads.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

double Loads::of(int device, bool transfersOverlap) const {
  const size_t d = size_t(device);
  return transfersOverlap ? std::max({compute[d], in[d], out[d]})
                          : compute[d] + in[d] + out[d];
}

double Loads::largest(bool transfersOverlap) const {
  double most = 0;
  for (size_t d = 0; d < compute.size(); ++d)
    most = std::max(most, of(int(d), transfersOverlap));
  return most;
}

Loads placement::loadsOf(const Problem &problem, const Placement &placement) {
  const Devices &devices = problem.devices;
  const size_t count = size_t(devices.count);
  Loads loads;
  loads.compute.resize(count);
  loads.in.resize(count);
  loads.out.resize(count);
  std::vector<std::pair<int, double>> readers; // device, seconds
  for (size_t t = 0; t < placement.size(); ++t) {
    const int from = placement[t];
    if (from != devices.host())
      loads.compute[size_t(from)] += problem.graph.tasks[t].seconds;
    readers.clear();
    double leaves = 0;
    for (int e : problem.adjacency.outOf(int(t))) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      const int to = placement[size_t(edge.to)];
      if (to == from)
        continue;
      const double seconds = devices.transferSeconds(edge.bytes, from, to);
      readers.emplace_back(to, seconds);
      leaves = std::max(leaves, seconds);
    }
    if (from != devices.host())
      loads.out[size_t(from)] += leaves;
    // Of each device, the longest comes last.
    std::sort(readers.begin(), readers.end());
    for (size_t i = 0; i < readers.size(); ++i)
      if (const int to = readers[i].first;
          to != devices.host() &&
          (i + 1 == readers.size() || readers[i + 1].first != to))
        loads.in[size_t(to)] += readers[i].second;
  }
  return loads;
}
