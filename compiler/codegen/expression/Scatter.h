// A preimage: `Sum(lambda e: x[e] where key[e] == i)` asks, for each i, for all
// e. Linear instead of quadratic: fill the result with the identity, then for
// each e add to element i = key[e], if it lies in the range to compute. Each
// element gets its terms in the order of the reduction's indices.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_SCATTER_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_SCATTER_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::codegen {

/// What is added to which element.
struct Scatter {
  /// Output variables that the data decides on, and their values.
  std::vector<int> outputs;
  std::vector<tdl::ExprRef> keys;
  tdl::ExprRef term; // without these conditions
};

/// Nothing where the guard names no element of the result.
std::optional<Scatter> findScatter(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
