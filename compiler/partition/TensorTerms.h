// What a plan moves at least, as a sum over tensors. A tensor's term knows how
// the tensor, the operator that writes it and those that read it are cut:
//
//   what the writing moves + the most of what its readers' fetches move
//
// since whoever fetches for all readers fetches what the most demanding one
// needs (sharedReadBytes). The tensor's own history is in no other term, so it
// is minimized over here, and a term is one of operators alone.
//
// A reader's cost is kept as a level: its place among all costs that readers of
// the tensor may have where the tensor is cut so, in ascending order. Then "the
// most is at most this level" parts into conditions on one reader each, and
// least costs are found without looking at readers together.
#ifndef SMEX_COMPILER_PARTITION_TENSORTERMS_H
#define SMEX_COMPILER_PARTITION_TENSORTERMS_H

#include "compiler/partition/StepNetwork.h"

namespace smex::partition {

/// The costs of a term; terms that are alike have the same. Columns are
/// histories of the tensor, rows those of an operator, of which equal ones are
/// one: what an operator reads of a tensor often depends on few of its cuts.
struct TermCosts {
  struct Rows {
    int count = 0;
    std::vector<int> of; // per history of the operator
  };
  int columns = 0;
  /// Column by column, what the writer moves, row by row; nothing if nothing
  /// writes the tensor. Whole numbers.
  Rows writer;
  std::vector<double> written;
  /// Column by column, bytes that the most demanding reader may fetch,
  /// ascending: those of column c from starts[c] on. At least one each, none
  /// less than what some reader needs in any case.
  std::vector<double> levels;
  std::vector<int> starts;
  /// Of each kind of reader, column by column and row by row, the lowest level
  /// (counted from starts[c]) that is no less than its cost.
  struct Reader {
    Rows rows;
    std::vector<uint16_t> levels;
  };
  std::vector<Reader> readers;

  const Rows &rowsOf(int reader) const {
    return reader < 0 ? writer : readers[reader].rows;
  }
};

struct Term {
  int costs = 0;
  struct Member {
    int op;
    int reader; // of TermCosts::readers, or -1: the writer
  };
  std::vector<Member> members; // ascending by operator, each once
};

struct TensorTerms {
  std::vector<TermCosts> costs;
  std::vector<Term> terms;
  std::vector<int> histories; // how many, per operator
  double most = 0;            // no cost is more
};

/// Nothing where a tensor has too many different costs to number them.
std::optional<TensorTerms> makeTensorTerms(const OperatorGraph &graph,
                                           PairCosts &costs,
                                           const CandidateLists &lists,
                                           Count count);

} // namespace smex::partition

#endif
