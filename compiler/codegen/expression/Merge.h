// Index variables that can be one: where `j` runs through whole rows of every
// tensor, `x[i, j]` for all i and j is one long row. Whether it does so is a
// matter of the part that is computed, so that the kernel's entry decides when
// it is called; the loops stay the same, the outer ones run once.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_MERGE_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_MERGE_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>

namespace smex::codegen {

/// A variable and the next one, used for nothing but as neighbouring dimensions
/// of operands.
struct Pair {
  /// Per operand, the dimension that the first of them indexes, in all reads;
  /// -1 where neither occurs.
  std::vector<int> dim;
};
std::optional<Pair> mergeable(const tdl::Lambda &lambda, int variable);

} // namespace smex::codegen

#endif
