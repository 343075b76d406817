// Before elimination, the network made smaller without loss:
//
// - one factor per pair of variables;
// - no value that another one of the same variable replaces at no more cost;
// - no variable that is a function of one neighbour: whatever else is decided,
//   one of its values is best for each of the neighbour's. So an element-wise
//   operator goes with the tensor that it writes, and a chain of them becomes
//   one variable (thesis section 3.5.1's coalescing, where it is proven and not
//   assumed: one that joins two tensors may well be cut like neither's maker);
// - no variable with two neighbours or fewer: what it costs at least is a
//   factor on them.
#ifndef SMEX_COMPILER_PARTITION_REDUCTION_H
#define SMEX_COMPILER_PARTITION_REDUCTION_H

#include "compiler/partition/Dominance.h"

namespace smex::partition::network {

class Reducer;

/// The least cost of `graph` is the problem's.
class Reduction {
public:
  /// No table that removing a variable makes is larger than `maxTableEntries`.
  Reduction(const Problem &problem, Tables &tables, int64_t maxTableEntries);

  FactorGraph graph;

  /// Values for the problem's variables from those of the graph: they cost the
  /// same.
  std::vector<int> expand(const std::vector<int> &values,
                          const Tables &tables) const;

private:
  friend class Reducer;

  /// A variable that was removed: its value is one of `values`, the problem's
  /// that were left then, given its neighbours'.
  struct Removed {
    struct Neighbour {
      int variable;
      std::vector<int> values; // the problem's that were left then
      Seen seen;               // costs shared with it
    };
    int variable;
    std::vector<int> values;
    std::vector<Neighbour> neighbours;
    int own = -1; // a table
    /// If not empty: the value for each of the one neighbour's. Else the least
    /// that costs least.
    std::vector<int> best;
  };

  int valueOf(const Removed &removed, const std::vector<int> &result,
              const Tables &tables) const;

  std::vector<int> variables;           // the problem's, of the graph's
  std::vector<std::vector<int>> values; // the problem's, of the graph's
  std::vector<Removed> removed;         // in order
  size_t total = 0;                     // variables of the problem
};

} // namespace smex::partition::network

#endif
