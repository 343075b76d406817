// Offloading as a pass on the execution graph; see Passes.td.
#ifndef SMEX_COMPILER_OFFLOAD_IR_PASSES_H
#define SMEX_COMPILER_OFFLOAD_IR_PASSES_H

#include "dialects/exec/ir/Exec.h"

#include "mlir/Pass/Pass.h"

namespace smex::offload {

#define GEN_PASS_DECL
#include "compiler/offload/ir/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/offload/ir/Passes.h.inc"

} // namespace smex::offload

#endif
