// Which reads of a term take neighbours in memory for neighbouring values of a
// variable, so that a thread can have several of each in one access.
#ifndef SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H
#define SMEX_COMPILER_CODEGEN_GPU_NEIGHBOURS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <vector>

namespace smex::codegen {

struct NeighbourReads {
  struct Read {
    tdl::ExprRef read;
    /// What coordinates must say for the term to read it; null: nothing.
    tdl::ExprRef guard;
  };
  std::vector<Read> reads; // distinct
  /// Comparisons of coordinates in the guards. Each is true up to some value of
  /// the variable, or from there on: where it says the same of the first and of
  /// the last of some neighbours, it does of all.
  std::vector<tdl::ExprRef> comparisons;
};

/// The reads in the term that take neighbours along the variable.
NeighbourReads neighbourReads(const tdl::ExprRef &term, int variable);

/// Elements in an access of `bytes`, of all these reads and of something with
/// `written` bytes each; 1 where that does not pay: a read that goes anywhere,
/// or that is reached only where coordinates allow it, unless these are
/// comparisons as above and the term `mayAsk` them, or all neighbours read the
/// same.
int64_t neighboursPerAccess(const tdl::ExprRef &term, int variable,
                            int64_t written, int64_t bytes, bool mayAsk);

} // namespace smex::codegen

#endif
