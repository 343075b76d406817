#include "compiler/placement/Bounds.h"

#include "compiler/placement/StageBound.h"

using namespace smex;
using namespace smex::placement;

Bounds placement::lowerBounds(const Problem &problem, const Params &params,
                              double reached) {
  Bounds bounds;
  std::vector<double> unions(problem.graph.tasks.size());
  for (size_t t = 0; t < unions.size(); ++t) {
    const Task &task = problem.graph.tasks[t];
    if (!task.hasGpuKernel)
      continue;
    bounds.work += task.seconds / problem.devices.count;
    double &together = unions[size_t(problem.unions[t])];
    together += task.seconds;
    bounds.largest = std::max(bounds.largest, together);
  }
  bounds.criticalPath = criticalPath(problem);
  bounds.best = std::max(bounds.work, bounds.largest);
  if (params.objective == Objective::Makespan) {
    bounds.best =
        std::max({bounds.best, bounds.criticalPath, makespanBound(problem)});
    return bounds;
  }
  const StageGraph graph(problem, Blocks::OfAnyPlacement);
  StageBoundParams stage;
  stage.stages = problem.devices.count;
  stage.transfersOverlap = params.transfersOverlap;
  stage.reached = reached;
  bounds.best = std::max(bounds.best, stageBound(graph, stage));
  return bounds;
}
