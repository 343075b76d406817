// What terms (TensorTerms.h) cost at least, with what they are charged for
// histories of the operators that they know.
#ifndef SMEX_COMPILER_PARTITION_CHARGEDTERMS_H
#define SMEX_COMPILER_PARTITION_CHARGEDTERMS_H

#include "compiler/partition/TensorTerms.h"

namespace smex::partition {

using Values = std::vector<double>;

/// Charges, per history of an operator. Terms of other costs, but of the same
/// operators, may have the same ones. Whole numbers.
struct Charges {
  std::vector<std::vector<Values>> ofTerms; // per term and member
  std::vector<Values> rest; // per operator: what no term is charged
};

/// The least charge of a reader among its histories that a fetch serves.
struct Served {
  Values regions; // per region, and of no region
  Values levels;  // per level, column by column

  double least(const Fetched &fetched, int levelStart) const {
    return std::min(regions[fetched.region],
                    levels[levelStart + fetched.level]);
  }
};

class ChargedTerms {
public:
  struct Place {
    int term, member;
  };

  /// Where there are no charges yet, they become zero. Both arguments must
  /// stay. Of at most `maxKept` intermediate results nothing is found twice.
  ChargedTerms(const TensorTerms &terms, Charges &charges, int64_t maxKept);

  /// Where an operator is known.
  const std::vector<Place> &placesOf(int op) const { return places[op]; }
  int operators() const { return int(places.size()); }

  /// What the term costs at least with each history of a member, its charges
  /// among that.
  void gather(int term, int member, Values &costs);

  /// Swaps the member's charges for these, none of which may exceed `limit`.
  void recharge(int term, int member, Values &values);

  /// What terms cost at least, and operators that no term is charged for.
  int64_t bound() const;

  /// The history of the term's tensor with which the term costs least.
  int leastColumn(int term) const;

  /// What the term costs at least.
  double leastOf(int term) const {
    return leastOfColumn(term, leastColumn(term));
  }

  /// How many costs a look at a member of a term takes.
  int64_t work(int term, int member) const;

  /// How many costs a look at all members of all terms takes.
  int64_t work() const;

  /// Of a charge, so that sums are exact. Charges are of no use where a cost
  /// is more.
  double limit = 0;
  const TensorTerms &all;
  Charges &charges;

private:
  struct OfTerm {
    Values writer; // per column: least of the writer
    /// Per choice of what is fetched, column by column: what that moves, and
    /// the least of each reader among its histories that are served by it.
    Values sums;
    std::vector<Served> readers; // of each reader, or empty
  };

  const TermCosts &costsOf(int term) const {
    return all.costs[all.terms[term].costs];
  }
  double leastOfColumn(int term, int column) const;
  /// The least charge of each row of a member.
  const Values &least(int term, int member);
  void leastOfReader(int term, int member, Served &result);
  const Served &known(int term, int member);
  void charge(int term, int member);
  void addToSums(int term, const Served &reader, double times);

  bool keep = false; // the least costs of each reader, or find them again
  std::vector<OfTerm> charged;            // per term
  std::vector<std::vector<Place>> places; // per operator
  Values leastOfRow, others, perRegion, perRow;
  Served leastValues, before;
};

} // namespace smex::partition

#endif
