// Offloading as a pass on the execution graph; see Passes.td.
#ifndef SMEX_COMPILER_OFFLOAD_IR_PASSES_H
#define SMEX_COMPILER_OFFLOAD_IR_PASSES_H

#include "compiler/machine/Machine.h"
#include "dialects/exec/ir/Exec.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace smex::offload {

#define GEN_PASS_DECL
#include "compiler/offload/ir/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/offload/ir/Passes.h.inc"

/// On a program whose workers have more than one schedule.
constexpr llvm::StringLiteral unlikeSchedulesAttr = "smex.unlike_schedules";

/// On a machine that has been read: the option that names one is not looked at.
std::unique_ptr<mlir::Pass>
createMoveToHostOn(std::shared_ptr<const machines::Machine> machine,
                   MoveToHostOptions options);

} // namespace smex::offload

#endif
