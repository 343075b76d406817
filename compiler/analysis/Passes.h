// Analyses of lambdas that can be printed; see Passes.td.
#ifndef SMEX_COMPILER_ANALYSIS_PASSES_H
#define SMEX_COMPILER_ANALYSIS_PASSES_H

#include "dialects/tdl/ir/Tdl.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace smex::analysis {

#define GEN_PASS_DECL
#include "compiler/analysis/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/analysis/Passes.h.inc"

} // namespace smex::analysis

#endif
