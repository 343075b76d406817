// Does every read of a lambda lie within its operand? A read without `else`
// must, for every index at which it is evaluated: generated code and library
// kernels do not look again. So this is proven where a model becomes lambdas,
// and once more, from the numbers of a plan alone, by check().
//
//     lambda i < 8: x[i + 4]                    x: 8 elements: leaves it, i = 4
//     lambda i < 8: x[i + 4] if i < 4 else 0    lies within
//     lambda i < 9: x[i*i % 9]                  lies within
//
// Where data gives an index there is nothing to prove: generated code keeps
// such an index within its operand, and the interpreter refuses it.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_INBOUNDS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_INBOUNDS_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <string>
#include <vector>

namespace smex::analysis {

/// What is wrong, as the end of a message ("reads x[i + 4] ..."): a call of an
/// opaque function that has no value (tdl::checkCall); the first read without
/// `else` that leaves its operand, or the first divisor within an index that is
/// 0, with the index variables for which that happens. Nothing if there is
/// none. `extents` are those of all index variables; `names` are what messages
/// call the operands.
///
/// The proof is by intervals (Bounds.h); where these are too wide, by cutting
/// the index space, down to single points. It ends after a bounded number of
/// cuts: what is not proven then is reported, too, in other words.
std::optional<std::string> strayRead(const tdl::Lambda &lambda,
                                     const std::vector<int64_t> &extents,
                                     const Shapes &shapes,
                                     const std::vector<std::string> &names);

} // namespace smex::analysis

#endif
