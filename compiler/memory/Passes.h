// Static memory and synchronization; see Passes.td.
#ifndef SMEX_COMPILER_MEMORY_PASSES_H
#define SMEX_COMPILER_MEMORY_PASSES_H

#include "compiler/memory/Planner.h"
#include "dialects/exec/ir/Exec.h"

#include "mlir/Pass/Pass.h"

namespace smex::memory {

#define GEN_PASS_DECL
#include "compiler/memory/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/memory/Passes.h.inc"

} // namespace smex::memory

#endif
