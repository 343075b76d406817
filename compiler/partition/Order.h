// The order in which elimination takes the variables: what decides how large
// its tables get.
#ifndef SMEX_COMPILER_PARTITION_ORDER_H
#define SMEX_COMPILER_PARTITION_ORDER_H

#include "compiler/partition/Factors.h"

#include <limits>
#include <optional>

namespace smex::partition::network {

struct Order {
  std::vector<int> variables; // every variable that is not fixed
  std::vector<int> fixed;     // ascending
  int64_t largestTable = 0;   // saturates
  int64_t totalEntries = 0;   // of all tables; saturates
};

/// Min-fill: next comes the variable whose elimination makes the fewest new
/// pairs of neighbours, of equal ones that with the smaller table, then the
/// lowest. On a chain or tree no elimination makes any. Nothing if a table, or
/// all together, would have more entries than that.
std::optional<Order>
minFill(const FactorGraph &graph,
        int64_t maxTableEntries = std::numeric_limits<int64_t>::max(),
        int64_t maxTotalEntries = std::numeric_limits<int64_t>::max());

/// The same for mini-buckets (Buckets.h): a table that would be larger is never
/// made, so its variables do not become neighbours.
Order minFillForBound(const FactorGraph &graph, int64_t maxTableEntries);

/// The same within a limit on tables: where the next variable's table would
/// exceed it, some variable of that table is fixed instead. Which one depends
/// on `seed`, so that different seeds free different parts of a graph.
Order minFillWithin(const FactorGraph &graph, int64_t maxTableEntries,
                    uint64_t seed);

} // namespace smex::partition::network

#endif
