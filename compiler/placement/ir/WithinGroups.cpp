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

/// What moves for the operator between groups of these first steps.
int64_t bytesBetween(const partition::OperatorGraph &graph,
                     const partition::PartitionPlan &plan, int op,
                     size_t steps) {
  int64_t bytes = partition::writeBytes(graph, plan, op, steps);
  const size_t operands = graph.operators[size_t(op)].operands.size();
  for (size_t i = 0; i < operands; ++i)
    bytes += partition::readBytes(graph, plan, op, int(i), steps);
  return bytes;
}

/// Between GPUs of one group: all that moves, less what comes from other
/// groups.
int64_t bytesWithin(const partition::OperatorGraph &graph,
                    const partition::PartitionPlan &plan, int op) {
  return bytesBetween(graph, plan, op, plan.steps.size()) -
         bytesBetween(graph, plan, op, 1);
}

/// All of `groups` bring as much at once.
double secondsOf(int64_t bytes, double groups, const Devices &links) {
  return bytes > 0 ? links.latencySeconds +
                         double(bytes) / groups / links.bytesPerSecond
                   : 0;
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
    seconds.push_back(
        sum + secondsOf(bytesWithin(graph, plan, int(op)), each, links));
  }
  return seconds;
}

std::vector<double>
placement::secondsBetweenReplicas(const partition::OperatorGraph &graph,
                                  const partition::PartitionPlan &plan,
                                  const Devices &links) {
  std::vector<double> seconds;
  for (size_t op = 0; op < graph.operators.size(); ++op)
    seconds.push_back(
        secondsOf(bytesBetween(graph, plan, int(op), plan.steps.size()),
                  double(plan.workers()), links));
  return seconds;
}
