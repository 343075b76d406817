// A task graph as the stages of a pipeline see it: what no split into stages in
// order can part is one block.
#ifndef SMEX_COMPILER_PLACEMENT_STAGEGRAPH_H
#define SMEX_COMPILER_PLACEMENT_STAGEGRAPH_H

#include "compiler/placement/Schedule.h"

#include <algorithm>

namespace smex::placement {

/// Which stage does each block: 0 .. K-1, so that data goes to the same stage
/// or to a later one.
using Stages = std::vector<int>;

/// What one task makes, and who else reads it.
struct Net {
  struct Reader {
    int block;
    double seconds; // that its part takes to another device
  };
  int from = -1;          // block, or -1: a task of the host makes it
  double hostSeconds = 0; // of the largest part that the host reads
  // Each block once and not `from`, by number once the net is added.
  std::vector<Reader> readers;

  /// Of a block that reads it.
  double secondsOf(int block) const;
};

/// Whether blocks are what stages in order cannot part, or what no placement
/// can.
enum class Blocks { OfStagesInOrder, OfAnyPlacement };

/// Blocks are unions of tasks, and in order all unions that lie on a circle
/// together. Tasks of the host are on no stage, but data that goes over them
/// goes forward, too.
struct StageGraph {
  explicit StageGraph(const Problem &problem,
                      Blocks blocks = Blocks::OfStagesInOrder);

  int count() const { return int(seconds.size()); }
  /// Adds a net, with the largest part of each reader, if it moves anything.
  void add(Net net);
  /// The placement, of tasks.
  Placement placement(const Stages &stages) const;

  const Problem &problem;
  std::vector<int> blockOf; // by task
  // By block; nothing for what the host does.
  std::vector<double> seconds;
  std::vector<int64_t> bytes, residualBytes;
  double totalSeconds = 0;

  std::vector<Net> nets;
  std::vector<std::vector<int>> makes, reads;  // numbers of nets, by block
  std::vector<std::vector<int>> before, after; // blocks, each once
  std::vector<int> order; // topological; not of all, of Blocks::OfAnyPlacement
};

/// Of each stage, as Loads of the placement are of each device.
struct StageLoad {
  double compute = 0, in = 0, out = 0;
  double of(bool transfersOverlap) const {
    return transfersOverlap ? std::max({compute, in, out}) : compute + in + out;
  }
};
std::vector<StageLoad> stageLoads(const StageGraph &graph, const Stages &stages,
                                  int count);
double largestLoad(const StageGraph &graph, const Stages &stages, int count,
                   bool transfersOverlap);

/// Data never goes to an earlier stage.
bool inOrder(const StageGraph &graph, const Stages &stages);

} // namespace smex::placement

#endif
