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

/// Lists of values by number, equal ones once: the variables of a network have
/// few different ones.
class ValueLists {
public:
  const std::vector<int> &operator[](int list) const { return lists[list]; }
  int number(const std::vector<int> &values);

  /// 0 .. size - 1.
  int all(int size);

  /// The values of `list` at the places that `picked`, another list, has.
  int pick(int list, int picked);

private:
  std::vector<std::vector<int>> lists;
  Numbering contents, picks;
  Numbering::Key key;
  std::vector<int> pickedLists; // per pick
  std::vector<int> allLists;    // per size, or -1
};

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
      int values; // the problem's that were left then
      Seen seen;  // costs shared with it
    };
    int variable;
    int values;
    int own = -1; // a table
    /// If not -1: places in `values`, one for each of the one neighbour's. Else
    /// the least that costs least.
    int best = -1;
    int neighbourCount = 0;
    Neighbour neighbours[2];
  };

  int valueOf(const Removed &removed, const std::vector<int> &result,
              const Tables &tables) const;

  ValueLists lists;
  std::vector<int> variables;   // the problem's, of the graph's
  std::vector<int> values;      // lists of the problem's, of the graph's
  std::vector<Removed> removed; // in order
  size_t total = 0;             // variables of the problem
};

} // namespace smex::partition::network

#endif
