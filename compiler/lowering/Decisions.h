// The decisions on a semantic graph, refused where no program follows from
// them.
#ifndef SMEX_COMPILER_LOWERING_DECISIONS_H
#define SMEX_COMPILER_LOWERING_DECISIONS_H

#include "dialects/smex/ir/Smex.h"

namespace smex::lowering {

/// The module's smex.ways, which a program may have: no steps, and one worker,
/// where there is no such attribute. Else an error.
mlir::FailureOr<Ways> verifiedWays(mlir::ModuleOp module);

/// Every `cut` and `split` is a division in these steps. None is into terms,
/// which follow from how an operator is cut, and none of what numbers the
/// result of an opaque function, which is computed as a whole. Inputs have
/// names.
mlir::LogicalResult verifyDecisions(mlir::func::FuncOp main, const Ways &ways);

} // namespace smex::lowering

#endif
