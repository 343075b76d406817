// The decisions on a semantic graph, refused where no program follows from
// them.
#ifndef SMEX_COMPILER_LOWERING_DECISIONS_H
#define SMEX_COMPILER_LOWERING_DECISIONS_H

#include "dialects/smex/ir/Smex.h"

namespace smex::lowering {

/// The module's smex.ways, which a program may have: no steps, and one worker,
/// where there is no such attribute. Else an error.
mlir::FailureOr<Ways> verifiedWays(mlir::ModuleOp module);

/// Every `cut` and `split` is a division in these steps, none of what numbers
/// the result of an opaque function, which is computed as a whole. Inputs have
/// names.
///
/// A tensor may be in terms where its operator is: a sum that is cut along what
/// it sums over, or a linear map of tensors in terms, divided into terms in the
/// same steps. It stays as it is made, and only such maps read it. All workers
/// that have elements have terms of them; 16-bit floats, whose sums are kept in
/// f32 until they are whole, are in no terms.
mlir::LogicalResult verifyDecisions(mlir::func::FuncOp main, const Ways &ways);

} // namespace smex::lowering

#endif
