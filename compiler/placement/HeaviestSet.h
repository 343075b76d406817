// The most that a set of blocks with a given block can weigh, if one device is
// to hold it: for StageProof and PriceProof.
#ifndef SMEX_COMPILER_PLACEMENT_HEAVIESTSET_H
#define SMEX_COMPILER_PLACEMENT_HEAVIESTSET_H

#include "compiler/placement/ForcedBlocks.h"

namespace smex::placement {

/// Of sets whose load is below `load`. Weights are about as large as shares of
/// a device: sets weigh about 1.
class HeaviestSet {
public:
  /// All of these outlive it.
  HeaviestSet(const StageGraph &graph, const ForcedApart &forced, double load);

  void weigh(const std::vector<double> &weights);
  void weigh(int block, double weight);

  struct Question {
    int block = -1;
    int mostParts = 0;
    /// A bound of no more than this is good enough.
    double enough = 0;
    /// Only sets of these, if given.
    const std::vector<char> *among = nullptr;
  };
  struct Answer {
    double most = 0;      // no such set weighs more
    bool isNone = false;  // there is no such set
    std::vector<int> set; // the heaviest that was seen; or empty
  };
  /// Parts of these sets, with another block or without it, are looked at until
  /// the bound is that of one that cannot be parted.
  Answer around(const Question &question);

  int64_t work() const { return capacities.work(); }
  void limitWork(int64_t most);

private:
  std::vector<char> companions(int block) const;
  double weightOf(const std::vector<int> &set) const;

  const StageGraph &graph;
  const ForcedApart &forced;
  const double load;
  const size_t count;
  BlockCapacities capacities;
  std::vector<double> weights;
  double unit = 1;            // by which `capacities` has them larger
  std::vector<double> slopes; // by block, likely ones
  int64_t mostWork = 0;
};

} // namespace smex::placement

#endif
