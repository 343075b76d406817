// What the recognizers of library kernels share.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_PRODUCTOFREADS_H
#define SMEX_DIALECTS_TDL_ANALYSIS_PRODUCTOFREADS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>

namespace smex::analysis {

/// The reads of operands 0 and 1 if the lambda is Sum of their product, nothing
/// converted on the way. There may be a guard.
std::optional<std::pair<tdl::ExprRef, tdl::ExprRef>>
productOfReads(const tdl::Lambda &lambda);

bool isZero(const tdl::ExprRef &e);
bool isIndex(const tdl::ExprRef &e, int index);

/// The number of groups that the channel index of a convolution's data stands
/// for, or 0; m and c number the index variables of the filter's channels.
int64_t groupsOf(const tdl::ExprRef &channel, int m, int c,
                 const std::vector<int64_t> &extents);

/// A sum of products of 16-bit floats before it is rounded (see
/// dialects/tdl/lambda/Accumulated.h) as what it is rounded to; any other
/// lambda as it is.
tdl::Lambda rounded(const tdl::Lambda &lambda);

} // namespace smex::analysis

#endif
