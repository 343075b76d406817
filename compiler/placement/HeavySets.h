// Sets of blocks that one device can hold, and that weigh much: for StageProof.
#ifndef SMEX_COMPILER_PLACEMENT_HEAVYSETS_H
#define SMEX_COMPILER_PLACEMENT_HEAVYSETS_H

#include "compiler/placement/StageGraph.h"

namespace smex {
class Random;
}

namespace smex::placement {

/// By simulated annealing of one set at a time: much faster than smallest cuts,
/// which bound what these weigh, and mostly as heavy.
class HeavySets {
public:
  HeavySets(const StageGraph &graph, double load);

  /// The heaviest set with this block and a load below the limit that was seen;
  /// empty if none was.
  std::vector<int> around(int block, const std::vector<double> &weights,
                          const Random &random);

  int64_t work = 0; // readers looked at

private:
  double costOf(const Net &net) const;
  /// Adds the block to the set, or takes it away.
  void flip(int block, const std::vector<double> &weights);
  int neighbourOf(int block, uint64_t pick) const;

  const StageGraph &graph;
  const double most;
  std::vector<char> isIn;
  std::vector<int> members, placeOf;
  double load = 0, weight = 0; // of the set
};

} // namespace smex::placement

#endif
