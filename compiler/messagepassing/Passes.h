// Rewrites of the semantic graph for message passing; see Passes.td.
#ifndef SMEX_COMPILER_MESSAGEPASSING_PASSES_H
#define SMEX_COMPILER_MESSAGEPASSING_PASSES_H

#include "dialects/smex/ir/Smex.h"

#include "mlir/Pass/Pass.h"

namespace smex::messagepassing {

#define GEN_PASS_DECL
#include "compiler/messagepassing/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/messagepassing/Passes.h.inc"

} // namespace smex::messagepassing

#endif
