#include "compiler/placement/Algorithms.h"
#include "compiler/placement/FitMemory.h"

using namespace smex;
using namespace smex::placement;

Result<Outcome> placement::roundRobin(const Problem &problem,
                                      const Params &params) {
  const Devices &devices = problem.devices;
  Placement placement(problem.graph.tasks.size(), -1);
  std::vector<int> deviceOf(placement.size(), -1); // of a union
  int next = 0;
  for (int task : problem.order) {
    int &device = deviceOf[size_t(problem.unions[size_t(task)])];
    if (!problem.graph.tasks[size_t(task)].hasGpuKernel)
      device = devices.host();
    else if (device < 0)
      device = next++ % devices.count;
    placement[size_t(task)] = device;
  }
  return withinMemory(problem, params, std::move(placement));
}
