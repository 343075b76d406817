// Task graphs and placements as JSON, so that anybody's graph can be placed
// without a model. README.md documents the formats, schema/ has their schemas.
#ifndef SMEX_COMPILER_PLACEMENT_TASKGRAPHJSON_H
#define SMEX_COMPILER_PLACEMENT_TASKGRAPHJSON_H

#include "compiler/placement/Schedule.h"

#include <string_view>

namespace smex::placement {

/// A file's graph, and what it says of the machine; where it says nothing,
/// `devices` is as a Devices without arguments.
struct TaskGraphFile {
  TaskGraph graph;
  Devices devices;
};

/// Reads the JSON text of a task graph. Any byte string is a safe input; the
/// error names `file` and the place in it. The graph is valid.
Result<TaskGraphFile> readTaskGraph(std::string_view text,
                                    const std::string &file);

/// The text that reads as the same graph: of a valid graph with names that are
/// text, no two alike.
std::string writeTaskGraph(const TaskGraph &graph, const Devices &devices);

/// What is known of a placement, for --output.
struct PlacementSummary {
  std::string algorithm, objective; // "makespan" or "throughput"
  double seconds = 0;               // of the objective
  double makespanSeconds = 0, largestLoadSeconds = 0, lowerBoundSeconds = 0;
  int64_t moved = 0;
  std::vector<int64_t> peakBytes; // by device
  std::vector<int> order;         // Outcome::order
};

std::string writePlacement(const Problem &problem, const Placement &placement,
                           const PlacementSummary &summary);

} // namespace smex::placement

#endif
