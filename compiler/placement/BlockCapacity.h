// How much work a stage with a certain block can hold: for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H
#define SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H

#include "compiler/placement/MinCut.h"
#include "compiler/placement/StageGraph.h"

namespace smex::placement {

/// w(S) <= slope * T + offset for all S that were asked for, load(S) <= T.
struct CapacityLine {
  double slope, offset;
};

struct BlockCapacity {
  std::vector<CapacityLine> lines;
  double leastLoad = 0; // of any such set, or a bound on it

  double at(double load) const;
};

class BlockCapacities {
public:
  explicit BlockCapacities(const StageGraph &graph);

  /// Around a load of T, for sets with all of `blocks`. `mayJoin` says which
  /// others can be in a set with these.
  /// `likely` is a slope to begin with, which saves cuts if it is about right.
  BlockCapacity of(const std::vector<int> &blocks, double load,
                   const std::vector<char> &mayJoin, double likely = 0);
  /// No such set has a smaller load: one cut.
  double leastLoad(const std::vector<int> &blocks,
                   const std::vector<char> &mayJoin);
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
  void build(const std::vector<int> &blocks, const std::vector<char> &mayJoin);
  Point solve(double slope);

  const StageGraph &graph;
  std::vector<Level> ins, outs;
  std::vector<double> hostOut;                 // by block
  std::vector<std::vector<int>> insOf, outsOf; // that a block has to do with
  MinCut cut;

  // Of the blocks that were asked for last.
  double least = 0;         // their work
  std::vector<int> members; // these, and those that may join
  std::vector<int> nodeOf;  // by block; 0 one of these, 1 one that cannot join
  std::vector<int> usedIns, usedOuts;
};

} // namespace smex::placement

#endif
