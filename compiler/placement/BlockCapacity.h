// How much work, or of other weights, a stage with a certain block can hold:
// for StageBound.
#ifndef SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H
#define SMEX_COMPILER_PLACEMENT_BLOCKCAPACITY_H

#include "compiler/placement/MinCut.h"
#include "compiler/placement/StageGraph.h"

namespace smex::placement {

/// w(S) <= slope * T + offset for all S that were asked for, load(S) <= T; w is
/// their work, or what else they are weighed by.
struct CapacityLine {
  double slope, offset;
};

struct BlockCapacity {
  std::vector<CapacityLine> lines;
  /// If asked for: of the two sets between which the bound lies, what only the
  /// larger one has. If a set reaches the bound, nothing.
  std::vector<int> undecided;
  /// If asked for: the heaviest set of a load of no more that was seen; may be
  /// empty.
  std::vector<int> within;
  double leastLoad = 0; // of any such set, or a bound on it

  double at(double load) const;
};

class BlockCapacities {
public:
  explicit BlockCapacities(const StageGraph &graph);

  /// From here on, of() tells of these weights and not of work. None is
  /// negative, and they are about as large.
  void weigh(std::vector<double> ofBlocks) { weights = std::move(ofBlocks); }
  void weigh(int block, double weight) { weights[size_t(block)] = weight; }

  /// Around a load of T, for sets with all of `blocks`. `mayJoin` says which
  /// others can be in a set with these.
  /// `likely` is a slope to begin with, which saves cuts if it is about right.
  /// A bound of no more than `enough` is looked at no further.
  BlockCapacity of(const std::vector<int> &blocks, double load,
                   const std::vector<char> &mayJoin, double likely = 0,
                   bool tellsUndecided = false, double enough = 0);
  /// No such set has a smaller load: one cut.
  double leastLoad(const std::vector<int> &blocks,
                   const std::vector<char> &mayJoin);
  /// Whether a block is in the set that the last cut has found; if it was given
  /// up, none is.
  bool has(int block) const {
    return !cut.isOver() && cut.onSourceSide(nodeOf[size_t(block)]);
  }
  int64_t work() const { return cut.work; }
  /// Once work() is more than this, cuts that are not done are given up. What
  /// is told of them holds, but says less.
  void limitWork(int64_t most) { cut.mostWork = most; }

private:
  /// What costs `seconds` as soon as one reader is elsewhere (out), or is here
  /// and the maker is not (in).
  struct Level {
    int from;
    double seconds;
    std::vector<int> readers;
  };
  struct Point {
    double load = 0, weight = 0;
    double value = 0;     // the smallest of slope * load - weight over all sets
    std::vector<int> set; // if asked for
  };
  void build(const std::vector<int> &blocks, const std::vector<char> &mayJoin);
  /// The set of smallest slope * load - share * weight.
  Point solve(double slope, double share = 1);

  const StageGraph &graph;
  std::vector<double> weights; // by block
  std::vector<Level> ins, outs;
  std::vector<double> hostOut;                 // by block
  std::vector<std::vector<int>> insOf, outsOf; // that a block has to do with
  MinCut cut;

  // Of the blocks that were asked for last.
  double least = 0; // their weight
  bool keepsSets = false;
  std::vector<int> members; // these, and those that may join
  std::vector<int> nodeOf;  // by block; 0 one of these, 1 one that cannot join
  std::vector<int> usedIns, usedOuts;
  std::vector<char> isInUsed, isOutUsed; // whether it is among these
};

} // namespace smex::placement

#endif
