// The gradient of a pooling window's extremum: `Sum(lambda r: x[(i - r) // 2]
// where (i - r) % 2 == 0 and r == key[(i - r) // 2])` asks, for each i, for all
// places q = (i - r) // 2 of windows that it is in, and few of these keys point
// back at i. The other way round: fill the result with the identity, then for
// each q work out r from its key, and add to element i = 2 * q + r. Each
// element gets its terms in the order of q.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_WINDOW_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_WINDOW_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::codegen {

/// place = (output - reduction + offset) // stride.
struct Side {
  int output, reduction;
  int64_t stride, offset;
  tdl::ExprRef place;
};

/// A reduction variable and its factor in what the key must be.
struct Digit {
  int reduction;
  int64_t weight;
};

struct Window {
  std::vector<Side> sides;   // the place on side k is index variable count + k
  std::vector<Digit> digits; // heaviest first; each weight divides the last
  tdl::ExprRef key;          // by places
  tdl::ExprRef term;         // the same, without the condition on the key
};

/// Nothing where keys do not point back at the result like that.
std::optional<Window> findWindow(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
