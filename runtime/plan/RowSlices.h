// Sums of wide rows that data says the place of, a slice of the features after
// the other. A graph's edges lead to rows in no order, of which a cache holds
// few where they are wide: of a slice of each row it holds many. But slices of
// rows lie far apart in memory, which caches with few places for each address
// take badly (of rows of 1 KiB, slices of 128 bytes share an eighth of the
// sets), so that a slice of all rows is copied to scratch memory first, where
// it is dense. The compiler sets the scratch aside, and processors' kernels
// use it if there is some.
#ifndef SMEX_RUNTIME_PLAN_ROWSLICES_H
#define SMEX_RUNTIME_PLAN_ROWSLICES_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::plan {

/// `Sum(lambda e: w[e] * x[src[e], f] where ..)`: f, x and e.
struct RowSlices {
  int variable = 0; // the output that is sliced, x's last dimension
  int operand = 0;  // x
  int term = 0;     // the reduction variable that data says the rows of
};

/// Nothing if the lambda is no such reduction, of any reducer and with whatever
/// else a term has; or if a term costs more than its rows, which each slice
/// would pay again.
std::optional<RowSlices> rowSlices(const tdl::Lambda &lambda);

/// Elements of a slice, in whole lines of a cache: as many as the scratch has
/// room for, 0 if it isn't worth it. `extents`: those of all index variables.
/// `shape`: of the operand, or of the part of it that is there.
int64_t sliceElements(const RowSlices &slices, const tdl::Lambda &lambda,
                      const std::vector<int64_t> &extents,
                      const std::vector<int64_t> &shape, int64_t scratchBytes);

/// The most scratch that is of use, bytes.
int64_t sliceScratch(const RowSlices &slices, const tdl::Lambda &lambda,
                     const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &shape);

} // namespace smex::plan

#endif
