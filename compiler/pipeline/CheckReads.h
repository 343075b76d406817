// Refuses a model whose lambdas would read beyond their operands.
#ifndef SMEX_COMPILER_PIPELINE_CHECKREADS_H
#define SMEX_COMPILER_PIPELINE_CHECKREADS_H

#include "dialects/smex/ir/Smex.h"

namespace smex::pipeline {

/// An error at each application that reads, without `else`, what its operand
/// has not, or whose index divides by 0 (dialects/tdl/analysis/InBounds.h), up
/// to a few of them.
mlir::LogicalResult checkReads(mlir::func::FuncOp main);

} // namespace smex::pipeline

#endif
