// Operators' histories, decided by what terms are charged (DualAscent.h), taken
// back, and decided again.
//
// As long as some operators are free, a term is what its tensor moves at least,
// with what it is charged for their histories. Where all are decided, it is
// what the program moves of the tensor: all of the outermost regions that
// readers need, where a term as in TensorTerms.h counts two of them. Only where
// regions are not told apart, and where lists of rows or more pairs than are
// listed are fetched together, is it an estimate; whoever takes a plan counts
// its bytes.
#ifndef SMEX_COMPILER_PARTITION_DECIDEDTERMS_H
#define SMEX_COMPILER_PARTITION_DECIDEDTERMS_H

#include "compiler/partition/ChargedTerms.h"

namespace smex::partition {

class DecidedTerms {
public:
  /// No operator is decided. The terms must stay.
  DecidedTerms(const TensorTerms &terms, const Charges &charges);
  DecidedTerms(const DecidedTerms &) = delete; // `state` knows `charges`

  /// False where numbers are too large; then there is nothing to be done.
  bool isPossible() const { return state.all.most <= state.limit; }

  int operators() const { return int(chosen.size()); }
  /// A history per operator, or -1.
  const std::vector<int> &histories() const { return chosen; }

  /// Chooses for a free operator the history with which its terms cost least,
  /// as far as others are decided.
  void decide(int op);

  /// Where all are decided: chooses for one what moves least with what the
  /// others have, and of what moves the same what it had. Says whether that is
  /// another history.
  bool decideAgain(int op);

  void fix(int op, int history);
  void free(int op);

  /// The rest is for terms whose operators are all decided. How many bytes move
  /// of the tensor; the history of the tensor of which that is true.
  struct Moved {
    double bytes = 0;
    int column = 0;
  };
  Moved moved(int term);

  /// How much more the term costs, with its charges, than it did at least when
  /// nothing was decided. Summed up, that is how far a plan is above the bound,
  /// but for charges that no term has.
  double excess(int term);

  const std::vector<ChargedTerms::Place> &placesOf(int op) const {
    return state.placesOf(op);
  }
  /// How many costs a look at the operator takes.
  int64_t work(int op) const { return works[op]; }

private:
  void choose(int op, int history);
  void findNeeded(int term);
  void findOutermost(const TermCosts &costs);
  double readersMost(const TermCosts &costs, int column) const;
  double outermostBytes(const TermCosts &costs, int column) const;
  double movedByAll(int op);

  Charges given, charges;
  ChargedTerms state;
  Values leasts;            // of terms, nothing decided
  std::vector<int> writers; // of terms, or -1
  /// Of terms with more readers than needs: how many have which, so that a look
  /// at a tensor that all operators read takes no longer than at others.
  std::vector<std::vector<int>> readersBy;
  std::vector<int> chosen;                       // per operator
  std::vector<int64_t> works;                    // per operator
  Values total, gathered;                        // per history
  std::vector<std::pair<double, int>> promising; // bytes at least, history
  /// Of a term's readers: the outermost of the regions they need, and of those
  /// two by their place here that are fetched as one, what counts once.
  std::vector<int> needed, outer;
  struct Together {
    size_t later;
    const double *once; // per column
  };
  std::vector<Together> together; // ascending
  std::vector<bool> isNeeded;     // per region
};

} // namespace smex::partition

#endif
