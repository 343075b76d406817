// Refuses a model whose lambdas would read beyond their operands.
#ifndef SMEX_COMPILER_PIPELINE_CHECKREADS_H
#define SMEX_COMPILER_PIPELINE_CHECKREADS_H

#include "compiler/frontend/Model.h"

namespace smex::pipeline {

/// A line for each application that reads, without `else`, what its operand has
/// not, or whose index divides by 0 (dialects/tdl/analysis/InBounds.h): with
/// its node, up to a few of them.
Status checkReads(const frontend::Model &model);

} // namespace smex::pipeline

#endif
