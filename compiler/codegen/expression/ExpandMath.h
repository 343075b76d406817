// Replaces what would become calls of the C library, or has no one meaning for
// NaN and -0, by sequences of IEEE operations (FloatMath.h).
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_EXPANDMATH_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace smex::codegen {

/// Elementary functions of the math dialect, arith.remf, arith.maximumf and
/// minimumf, on f32, f64 and (the last two) vectors of them.
void populateExpandMath(mlir::RewritePatternSet &patterns);

/// A pass on any operation that does so.
std::unique_ptr<mlir::Pass> createExpandMathPass();

} // namespace smex::codegen

#endif
