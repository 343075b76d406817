// The opaque function of boxes that overlap.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_OPAQUEBOXES_H
#define SMEX_DIALECTS_TDL_LAMBDA_OPAQUEBOXES_H

#include "dialects/tdl/lambda/Opaque.h"

#include <vector>

namespace smex::tdl {

/// Of boxes [n, 4] with scores [n], those that are kept, best score first (of
/// equals, the first; what is no number is last), then -1; i64[n]. A box is not
/// kept if it shares more than `iou` of the union with one that is.
/// `arguments`: how many at the most, iou, a score, whether boxes must have
/// more than that, and whether a box is its centre and size (x, y, width,
/// height), not two corners (y, x, y, x).
Result<std::vector<int64_t>> shapeOfBoxes(const SliceShapes &slices,
                                          const std::vector<double> &arguments);
Result<Tensor> unsuppressedBoxes(const std::vector<Tensor> &slices,
                                 const std::vector<double> &arguments);

} // namespace smex::tdl

#endif
