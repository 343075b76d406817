// A prefix sum and its relatives: `Sum(lambda k: x[k] where k <= i)` adds to
// the terms of i - 1 those that are new at i, instead of starting over. Each
// output is the sum of its terms in the order of k, from the range's end on
// which the prefix begins, wherever the range of i begins.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_SCAN_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_SCAN_H

#include "compiler/codegen/expression/Conditions.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <optional>

namespace smex::codegen {

/// Which terms are new at which output.
struct Scan {
  int output;        // i
  int reduction;     // k
  Cut cut;           // of k, at a point that moves with i
  bool grows;        // with i; otherwise i runs downwards
  tdl::ExprRef term; // without the condition
};

/// Nothing where no condition grows or shrinks with an output.
std::optional<Scan> findScan(const tdl::Lambda &lambda);

} // namespace smex::codegen

#endif
