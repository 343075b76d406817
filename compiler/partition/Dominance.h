// Which values of a variable are never needed, decided from how the variable
// sees its neighbours: which tables, and how often. Decisions are remembered:
// the variables of a repeated block see the same.
#ifndef SMEX_COMPILER_PARTITION_DOMINANCE_H
#define SMEX_COMPILER_PARTITION_DOMINANCE_H

#include "compiler/partition/Factors.h"

#include <memory>

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
/// timestep reads has thousands of neighbours, but sees few different tables,
/// or those of the timesteps if each is another one ("hub").
class View {
public:
  /// Small, for there are several per variable, and all are gone through often.
  struct Group {
    uint32_t code;
    int32_t count;
    Seen seen() const { return {int(code / 2), code % 2 != 0}; }
  };
  void add(Seen seen) { add(seen, 1); }
  void remove(Seen seen) { add(seen, -1); }
  void reserve(size_t groups) { all.reserve(groups); }
  /// By table, columns before rows.
  const std::vector<Group> &groups() const { return all; }

private:
  friend class Dominance;
  void add(Seen seen, int32_t count);

  /// The sum that a hub's last verdict stands on, and what was added to the
  /// view since: so the next one costs these changes, not all that it sees.
  struct Hub {
    std::vector<Cost> worst;
    std::vector<Group> changes;
  };

  std::vector<Group> all;
  std::unique_ptr<Hub> hub; // after a verdict as a hub
};

class Dominance {
public:
  explicit Dominance(const Tables &tables) : tables(tables) {}

  struct Verdict {
    /// The values, ascending, that are left when all go that another one
    /// replaces at no more cost, whatever the neighbours have.
    std::vector<int> left;
    /// If all are left, the first group for which such a value exists for each
    /// of the neighbour's, and these: the least value that is best if the
    /// neighbour has its a-th, whatever the others have. The variable is then a
    /// function of that neighbour. Else -1.
    int follows = -1;
    std::vector<int> best;
  };

  /// Of a variable with `size` values and, if it is not -1, a table of its own:
  /// nobody to follow. Valid until the next verdict.
  const Verdict &judge(int size, View &view, int own);

private:
  using Costs = std::vector<Cost>;

  Verdict decide(int size, const View &view, int own);
  const Verdict &judgeHub(int size, View &view);

  /// Adds worstDifference of all groups.
  void addWorst(int size, const std::vector<View::Group> &groups, Costs &worst);

  /// At [p * size + b]: how much more p may cost than b, at worst.
  const Costs &worstDifference(int size, Seen seen);

  /// For the group, whose neighbour alone has `own`, of all that `worst` has.
  std::vector<int> bestGiven(int size, Seen seen, const Costs &worst);

  const Tables &tables;
  Numbering views, seens;
  Numbering::Key key;
  std::vector<Verdict> verdicts; // per view
  Verdict hubVerdict;            // the last one
  std::deque<Costs> differences; // per table seen
};

} // namespace smex::partition::network

#endif
