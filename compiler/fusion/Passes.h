// Rewrites of the semantic graph that make it smaller; see Passes.td.
#ifndef SMEX_COMPILER_FUSION_PASSES_H
#define SMEX_COMPILER_FUSION_PASSES_H

#include "dialects/smex/ir/Smex.h"

#include "mlir/Pass/Pass.h"

namespace smex::fusion {

#define GEN_PASS_DECL
#include "compiler/fusion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/fusion/Passes.h.inc"

} // namespace smex::fusion

#endif
