// What a plan moves at least, as a sum over tensors. A tensor's term knows how
// the tensor, the operator that writes it and those that read it are cut:
//
//   what the writing moves + what its readers' fetches move, at least
//
// The tensor's own history is in no other term, so it is minimized over here,
// and a term is one of operators alone.
//
// Of the regions that readers need, the outermost ones are fetched, whole less
// owned, and serve all others (sharedReadBytes); lists of rows that overlap are
// fetched together, each row once. So a term has a list of what may be fetched:
// a region, the largest, and others, each of which moves at most so many bytes
// alone, and of which one that moves so many is counted, less what it may share
// with the largest. It serves
// readers whose region lies within the largest, or whose fetch alone moves no
// more than the others may. That parts into conditions on one reader each, so
// that least costs are found without looking at readers together.
//
// Where later steps are open, regions are not known, and where there are very
// many, it would take too long: there the most demanding reader counts alone.
#ifndef SMEX_COMPILER_PARTITION_TENSORTERMS_H
#define SMEX_COMPILER_PARTITION_TENSORTERMS_H

#include "compiler/partition/StepNetwork.h"

namespace smex::partition {

/// What may be fetched of a tensor that is cut in some way.
struct Fetched {
  int region = 0;   // the largest, or TermCosts::noRegion
  int level = 0;    // what others move at most, by its place among levels
  double bytes = 0; // what the two move
};

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
  /// How many regions are told apart; the number itself is no region.
  int regions = 0;
  int noRegion() const { return regions; }
  /// Those of column c from starts[c] on. At least one each, all of which serve
  /// some row of each kind of reader.
  std::vector<Fetched> fetched;
  std::vector<int> starts;
  /// A column's levels are numbers of bytes, ascending: those of column c are
  /// counted from levelStarts[c] on.
  std::vector<int> levelStarts;
  /// Of each kind of reader, column by column and row by row, the level of what
  /// it moves. Where regions are told apart, for each of them the rows that lie
  /// within it: those of region r from withinStarts[r] on.
  struct Reader {
    Rows rows;
    std::vector<uint16_t> levels;
    std::vector<int> within, withinStarts;
    std::vector<int> regions; // per row
  };
  std::vector<Reader> readers;
  /// What is fetched where all readers' regions are known (DecidedTerms.h). Per
  /// region, what it moves alone, column by column, and whether each of them
  /// lies within it. Pairs, ascending, that are fetched as one, and what counts
  /// once then, column by column: of the first ones, where these are many.
  std::vector<double> ofRegions, once;
  std::vector<std::vector<bool>> contained;
  std::vector<std::pair<int, int>> pairs;

  const Rows &rowsOf(int reader) const {
    return reader < 0 ? writer : readers[reader].rows;
  }
};

struct Term {
  int tensor = 0;
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

/// Regions are told apart where the list of what may be fetched then has at
/// most `maxFetched` entries. Nothing where a tensor has too many different
/// costs to number them.
std::optional<TensorTerms> makeTensorTerms(const OperatorGraph &graph,
                                           PairCosts &costs,
                                           const CandidateLists &lists,
                                           Count count, int64_t maxFetched);

} // namespace smex::partition

#endif
