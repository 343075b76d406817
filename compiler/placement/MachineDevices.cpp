#include "compiler/placement/MachineDevices.h"

#include "compiler/machine/Levels.h"
#include "compiler/machine/Routes.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::placement;
using machines::Machine;
using machines::Route;

Result<Devices> placement::devicesOf(const Machine &machine, int count) {
  if (const Status enough = machines::hasGpus(machine, count); !enough)
    return enough.error();
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const std::vector<double> capacities = machines::capacities(machine);
  const auto rateOf = [&](const Route &route) {
    double rate = unlimited;
    for (int resource : route.resources)
      rate = std::min(rate, capacities[size_t(resource)]);
    return rate;
  };
  Devices devices;
  devices.count = count;
  double rate = unlimited, hostRate = unlimited;
  int64_t memory = std::numeric_limits<int64_t>::max();
  for (int to = 0; to < count; ++to) {
    memory = std::min(memory, machine.deviceOf(to).usableBytes());
    machines::Routes routes(machine); // remembers all that it is asked for
    const int node = machine.gpus[size_t(to)];
    for (int from = 0; from < count; ++from) {
      if (from == to)
        continue;
      const Route &route = routes.between(machine.gpus[size_t(from)], node);
      if (route.hops.empty())
        return machines::noWay(machine, from, to);
      rate = std::min(rate, rateOf(route));
      devices.latencySeconds =
          std::max(devices.latencySeconds, route.latencySeconds);
    }
    if (const auto host = machines::nearestHost(machine, routes, node))
      hostRate = std::min(hostRate, rateOf(routes.between(*host, node)));
  }
  if (rate < unlimited)
    devices.bytesPerSecond = devices.hostBytesPerSecond = rate;
  if (hostRate < unlimited)
    devices.hostBytesPerSecond = hostRate;
  if (memory > 0)
    devices.memoryBytes = memory;
  return devices;
}
