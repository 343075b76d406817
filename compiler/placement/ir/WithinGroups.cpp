#include "compiler/placement/ir/WithinGroups.h"

#include "compiler/partition/CommunicationBytes.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

namespace {

/// Of the operator's points, the share of the GPU that has most.
double largestShare(const partition::OperatorGraph &graph,
                    const partition::PartitionPlan &plan, int op) {
  double all = 1;
  for (const int64_t extent : graph.operators[size_t(op)].extents)
    all *= double(extent);
  if (all == 0)
    return 1;
  double most = 0;
  for (int64_t worker = 0; worker < plan.workers(); ++worker)
    most = std::max(
        most, double(volume(partition::indexBox(graph, plan, op, worker))));
  return most / all;
}

/// What moves for the operator between GPUs of one group: all that moves, less
/// what comes from other groups.
int64_t bytesWithin(const partition::OperatorGraph &graph,
                    const partition::PartitionPlan &plan, int op) {
  int64_t bytes = partition::writeBytes(graph, plan, op) -
                  partition::writeBytes(graph, plan, op, 1);
  const size_t operands = graph.operators[size_t(op)].operands.size();
  for (size_t i = 0; i < operands; ++i)
    bytes += partition::readBytes(graph, plan, op, int(i)) -
             partition::readBytes(graph, plan, op, int(i), 1);
  return bytes;
}

} // namespace

std::vector<double>
placement::secondsWithinGroups(const partition::OperatorGraph &graph,
                               const partition::PartitionPlan &plan,
                               const std::vector<double> &alone,
                               double launchSeconds, const Devices &links) {
  const double each =
      double(plan.workers()) / double(plan.steps.front().ways); // of a group
  std::vector<double> seconds;
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const double launch = std::min(launchSeconds, alone[op]);
    double sum =
        launch + (alone[op] - launch) * largestShare(graph, plan, int(op));
    if (const int64_t bytes = bytesWithin(graph, plan, int(op)); bytes > 0)
      sum += links.latencySeconds + double(bytes) / each / links.bytesPerSecond;
    seconds.push_back(sum);
  }
  return seconds;
}
