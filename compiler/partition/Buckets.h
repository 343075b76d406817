// One pass of elimination over a network, exact or within limits.
#ifndef SMEX_COMPILER_PARTITION_BUCKETS_H
#define SMEX_COMPILER_PARTITION_BUCKETS_H

#include "compiler/partition/Factors.h"

namespace smex::partition::network {

class Buckets {
public:
  /// Every variable of a factor is in `order`.
  Buckets(const FactorGraph &graph, std::vector<int> order, Tables &tables);

  /// Eliminates all variables; returns the least cost. Where a table would have
  /// more than `maxTableEntries`, the factors at hand are split into groups
  /// whose tables don't, and each group is minimized on its own
  /// ("mini-buckets", Dechter and Rish 2003): then the result is a lower bound.
  Cost run(int64_t maxTableEntries) { return run(maxTableEntries, true); }

  /// The same where only the cost is asked for: a table is dropped once no
  /// other is made from it, so that few are in memory at a time. Nothing else
  /// may be made with these `Tables` afterwards.
  Cost runForCost(int64_t maxTableEntries) {
    return run(maxTableEntries, false);
  }

  /// After run: sets each variable of the order, the last one first, to the
  /// least value among those that cost least, given what was set so far and
  /// what earlier variables cost at least. Optimal if run was exact.
  void assign(std::vector<int> &values) const;

private:
  Cost run(int64_t maxTableEntries, bool keepTables);
  void put(Factor factor);

  const FactorGraph &graph;
  const std::vector<int> order;
  std::vector<int> places; // in the order, per variable
  Tables &tables;
  /// Per place, the factors whose first variable it is.
  std::vector<std::vector<Factor>> buckets;
  std::vector<int> constants; // tables of one cost
};

} // namespace smex::partition::network

#endif
