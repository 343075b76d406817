// How much work a stage with a certain block can hold: for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H
#define SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H

#include "compiler/placement/MinCut.h"
#include "compiler/placement/StageGraph.h"

namespace smex::placement {

/// w(S) <= slope * T + offset for all S with the block and load(S) <= T.
struct CapacityLine {
  double slope, offset;
};

struct BlockCapacity {
  std::vector<CapacityLine> lines;
  double leastLoad = 0; // of any set with the block, or a bound on it

  double at(double load) const;
};

class BlockCapacities {
public:
  explicit BlockCapacities(const StageGraph &graph);

  /// Around a load of T. `mayJoin` says which blocks can be in a set with this
  /// one.
  BlockCapacity of(int block, double load, const std::vector<char> &mayJoin);
  int64_t work() const { return cut.work; }

private:
  /// What costs `seconds` as soon as one reader is elsewhere (out), or is here
  /// and the maker is not (in).
  struct Level {
    int from;
    double seconds;
    std::vector<int> readers;
  };
  struct Point {
    double load, work;
    double value; // the smallest of slope * load - work over all sets
  };
  void build(int block, const std::vector<char> &mayJoin);
  Point solve(double slope);

  const StageGraph &graph;
  std::vector<Level> ins, outs;
  std::vector<double> hostOut;                 // by block
  std::vector<std::vector<int>> insOf, outsOf; // that a block has to do with
  MinCut cut;

  // Of the block that was asked for last.
  int self = -1;
  std::vector<int> members; // blocks that may join, the block first
  std::vector<int> nodeOf;  // by block; 0 the block, 1 one that cannot join
  std::vector<int> usedIns, usedOuts;
};

} // namespace smex::placement

#endif
