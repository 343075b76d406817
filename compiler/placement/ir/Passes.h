// Placement as a pass; see Passes.td.
#ifndef SMEX_COMPILER_PLACEMENT_IR_PASSES_H
#define SMEX_COMPILER_PLACEMENT_IR_PASSES_H

#include "compiler/machine/Machine.h"
#include "compiler/machine/Profile.h"
#include "dialects/smex/ir/Smex.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <optional>

namespace smex::placement {

#define GEN_PASS_DECL
#include "compiler/placement/ir/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/placement/ir/Passes.h.inc"

/// On a module where placement has failed for want of memory: bytes of each
/// GPU, the smallest limit found to work for tasks. What a plan takes besides
/// may be more than is known of it here, where groups and replicas exchange
/// what they cut, so that no message names it before there is a plan.
constexpr llvm::StringLiteral enoughBytesAttr = "smex.enough_bytes";

/// Where operators take their time: a machine, and what was measured, if
/// anything was.
struct Site {
  machines::Machine machine;
  std::optional<machines::Profile> profile;
};

/// The tasks of a module, named as what they make, and a machine's links, as
/// `smexc place` reads them (TaskGraphJson.h). An error if the machine has
/// fewer GPUs, but for one.
Result<std::string> emitTaskGraph(mlir::ModuleOp module, const Site &site,
                                  int64_t gpus,
                                  std::optional<int64_t> memoryBytes);

/// For a site that has been read: the options that name files are not looked
/// at.
std::unique_ptr<mlir::Pass> createPlaceOn(std::shared_ptr<const Site> site,
                                          PlaceOptions options);

} // namespace smex::placement

#endif
