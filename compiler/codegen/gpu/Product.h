// A sum of products that go across: a[i, k] * b[k, j], and whatever has that
// form, as a convolution, whose rows are the result's places and whose columns
// are its channels. Both factors may be any expression, with conditions.
#ifndef SMEX_COMPILER_CODEGEN_GPU_PRODUCT_H
#define SMEX_COMPILER_CODEGEN_GPU_PRODUCT_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::codegen {

struct Product {
  /// A factor, and the variables of the result that it alone depends on.
  struct Factor {
    tdl::ExprRef value;
    std::vector<int> variables;
  };
  Factor rows, columns;   // the last variable is among the columns, if in one
  std::vector<int> batch; // the result's other variables
};

/// Nothing where there is no variable on one of the sides.
std::optional<Product> findProduct(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
