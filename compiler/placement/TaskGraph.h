// What placement sees of a model: tasks that take time and memory, and edges
// that carry bytes (thesis section 4.1, Table 4.2). Plain structs without IR,
// filled in by the pass, or from a JSON file of anybody's graph.
#ifndef SMEX_COMPILER_PLACEMENT_TASKGRAPH_H
#define SMEX_COMPILER_PLACEMENT_TASKGRAPH_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smex::placement {

/// How long a task's output takes memory (thesis section 4.1.2, "Tracking
/// Memory Consumption").
enum class MemoryKind {
  Normal,    // from its start until the last task that reads it has finished
  Residual,  // always: a parameter, or what an optimizer keeps
  Reference, // none of its own: it changes the output of its `target`
};

/// One operator of the model, with its one output.
struct Task {
  std::string name;
  double seconds = 0; // comp(n): on one GPU; finite, not negative
  int64_t bytes = 0;  // mem(n): of its output
  MemoryKind memory = MemoryKind::Normal;
  /// Of a reference: the task whose output it changes, and beside which it
  /// stays. Else -1.
  int target = -1;
  /// Of a normal task: one that it reads, and in whose place its own output may
  /// come to be as it runs, where it is the last there to read it. Else -1. The
  /// thesis has no such thing; kernels that go element by element do it.
  int overwrites = -1;
  /// A result of the model: its output stays where it is made until the end.
  bool kept = false;
  /// Tasks of the same number are on one device, or -1. A reference and its
  /// target are so without one.
  int together = -1;
  /// The model's layer that the task belongs to, or -1: for people, and for
  /// placement by layers.
  int layer = -1;
  /// Without one, the task runs on the host, takes no GPU's time, and its
  /// output no GPU's memory but for copies of it.
  bool hasGpuKernel = true;
};

/// `to` reads `bytes` of what `from` makes: all of it, or a part; or nothing,
/// and only comes after it.
struct Edge {
  int from = -1, to = -1;
  int64_t bytes = 0;
  /// Which part it is: readers of one number read the same; 0: nobody says, the
  /// whole of it or something within the largest that others of 0 read.
  int part = 0;

  bool onlyOrders() const { return bytes == 0; }
};

/// Tasks and edges are known by their place in these lists.
struct TaskGraph {
  std::vector<Task> tasks;
  std::vector<Edge> edges;
};

/// Longest times and most bytes that a graph may have in sum, so that sums of
/// them stay exact enough, and within 63 bits.
constexpr double kMostSeconds = 1e9;
constexpr int64_t kMostBytes = int64_t(1) << 60;

/// What all algorithms rely on: ids in range, times finite and not negative,
/// sums within the limits above, no cycle, references with a target that is no
/// reference itself. The error names the tasks.
Status validate(const TaskGraph &graph);

/// Who comes before and after a task: numbers of edges, by task. Linear in the
/// graph to make, and constant to ask.
class Adjacency {
public:
  explicit Adjacency(const TaskGraph &graph);

  struct Range {
    const int *first, *last;
    const int *begin() const { return first; }
    const int *end() const { return last; }
    size_t size() const { return size_t(last - first); }
  };
  /// Edges into and out of a task, in the order of the graph's list.
  Range into(int task) const { return range(inOffsets, inEdges, task); }
  Range outOf(int task) const { return range(outOffsets, outEdges, task); }

private:
  static Range range(const std::vector<int> &offsets,
                     const std::vector<int> &edges, int task) {
    return {edges.data() + offsets[size_t(task)],
            edges.data() + offsets[size_t(task) + 1]};
  }
  std::vector<int> inOffsets, inEdges, outOffsets, outEdges;
};

/// Tasks so that every edge goes forward; of those that may be next, the one
/// that comes first in the graph's list. Shorter than the list of tasks if the
/// graph has a cycle.
std::vector<int> topologicalOrder(const TaskGraph &graph,
                                  const Adjacency &adjacency);

/// Which tasks have to be on one device, as unions of `together`, references
/// and targets: for each task, the first task of its union.
std::vector<int> unionsOf(const TaskGraph &graph);

} // namespace smex::placement

#endif
