// The regions of a tensor that its readers may need, told apart, and which of
// them lie within which: by that, one fetch serves another's readers.
#ifndef SMEX_COMPILER_PARTITION_READREGIONS_H
#define SMEX_COMPILER_PARTITION_READREGIONS_H

#include "compiler/partition/Needed.h"
#include "compiler/partition/PairCosts.h"

namespace smex::partition {

/// Of one operand, for each history of its operator.
struct RegionsOfOperand {
  std::vector<Region> distinct;
  std::vector<int> of; // per history, its place in `distinct`
};

/// Regions of operands, found once for operators that are alike and have the
/// same list of histories.
class RegionFinder {
public:
  RegionFinder(const OperatorGraph &graph, const PairCosts &costs)
      : graph(graph), costs(costs) {}

  const RegionsOfOperand &find(int op, int operand, int operatorList);

private:
  const OperatorGraph &graph;
  const PairCosts &costs;
  Numbering numbers;
  std::deque<RegionsOfOperand> known; // references stay valid
};

/// What two regions share.
struct Shared {
  Region region;
  std::vector<std::shared_ptr<const Runs>> storage; // of its rows
};

/// Regions of one tensor in order of appearance, each once.
class RegionSet {
public:
  int number(const Region &region);
  int size() const { return int(regions.size()); }

  /// Per region, whether each of them, itself too, lies within it on every
  /// worker.
  std::vector<std::vector<bool>> contained() const;

  /// Whether some worker needs a list of rows: then regions may be fetched as
  /// one that overlap.
  bool haveRows() const;
  /// Whether the two are one box on every worker, of plain boxes.
  bool areOneBox(int one, int other) const;
  /// Whether the two, of which neither contains the other, are fetched as one
  /// where they overlap.
  bool areFetchedTogether(int one, int other) const;
  /// What the two share.
  Shared shared(int one, int other) const;

private:
  std::map<std::vector<int64_t>, int> numbers;
  std::vector<const Region *> regions; // as given: they must stay
};

} // namespace smex::partition

#endif
