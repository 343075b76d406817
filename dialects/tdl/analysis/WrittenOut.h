// A sum of few terms as an expression that has all of them: what a lambda can
// have inside of another expression, where a reduction cannot stand.
//
//     s: lambda i, j: Sum(lambda c: q[i, c] * k[j, c])
//     written out, 3 terms: lambda i, j: q[i, 0] * k[j, 0] + q[i, 2] * k[j, 2]
//                                        + q[i, 1] * k[j, 1]
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_WRITTENOUT_H
#define SMEX_DIALECTS_TDL_ANALYSIS_WRITTENOUT_H

#include "dialects/tdl/analysis/Compose.h"

#include <optional>

namespace smex::analysis {

/// A sum of floats as a map: all its terms, for reductions of these extents,
/// added up in the order of kernels for processors. Sums of 16-bit floats are
/// f32 until they are whole, as everywhere. Only few terms are worth it;
/// nothing if the lambda would be too large, or is no such sum.
std::optional<tdl::Lambda> writtenOut(Instance sum);

} // namespace smex::analysis

#endif
