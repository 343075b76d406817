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
  std::vector<int> expand(const std::vector<int> &values) const;

private:
  friend class Reducer;

  /// A value of a variable that was removed, from those of its neighbours.
  struct Removed {
    int variable;
    std::vector<int> neighbours;
    /// Values of the problem, when it was removed: of the neighbours, and per
    /// combination of them (row-major) the variable's.
    std::vector<std::vector<int>> given;
    std::vector<int> values;
  };

  std::vector<int> variables;           // the problem's, of the graph's
  std::vector<std::vector<int>> values; // the problem's, of the graph's
  std::vector<Removed> removed;         // in order
  size_t total = 0;                     // variables of the problem
};

} // namespace smex::partition::network

#endif
