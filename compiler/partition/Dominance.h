// Which values of a variable are never needed, decided from how the variable
// sees its neighbours: which tables, and how often. Decisions are remembered:
// the variables of a repeated block see the same.
#ifndef SMEX_COMPILER_PARTITION_DOMINANCE_H
#define SMEX_COMPILER_PARTITION_DOMINANCE_H

#include "compiler/partition/Factors.h"

namespace smex::partition::network {

/// Costs that a variable shares with one neighbour, or has alone.
struct Seen {
  int table;
  bool isRow; // the variable's values are the table's rows
  bool operator==(const Seen &other) const {
    return table == other.table && isRow == other.isRow;
  }
};

/// All that a variable sees, equal things together. A weight that every
/// timestep reads has thousands of neighbours, but sees few different tables.
class View {
public:
  struct Group {
    Seen seen;
    int64_t count;
  };
  void add(Seen seen, int64_t count = 1);
  void remove(Seen seen) { add(seen, -1); }
  const std::vector<Group> &groups() const { return all; }

private:
  std::vector<Group> all;
};

class Dominance {
public:
  explicit Dominance(const Tables &tables) : tables(tables) {}

  /// The values, ascending, that are left of 0 .. size - 1 when all go that
  /// another one replaces at no more cost, whatever the neighbours have.
  const std::vector<int> &undominated(int size, const View &view);

  /// Where such a value exists for each of the neighbour's: the least value
  /// that is best if the neighbour has its a-th, whatever the others have.
  /// The variable is then a function of that neighbour. Else nothing.
  const std::vector<int> &bestGiven(int size, const View &view, size_t group);

private:
  /// At [p * size + b]: how much more p may cost than b, at worst.
  const std::vector<Cost> &worstDifference(int size, Seen seen);
  const std::vector<Cost> &worstDifference(int size, const View &view);

  const Tables &tables;
  KeyMap<std::vector<int>> undominatedOf, bestOf;
  KeyMap<std::vector<Cost>> differences, sums;
};

} // namespace smex::partition::network

#endif
