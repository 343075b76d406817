// The training step as passes on the semantic graph; see Passes.td.
#ifndef SMEX_COMPILER_TRAINING_IR_PASSES_H
#define SMEX_COMPILER_TRAINING_IR_PASSES_H

#include "compiler/training/TrainingGraph.h"
#include "dialects/smex/ir/Smex.h"

#include "mlir/Pass/Pass.h"

namespace smex::training {

#define GEN_PASS_DECL
#include "compiler/training/ir/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/training/ir/Passes.h.inc"

/// Numbers that the options do not give are the optimizer's own.
std::unique_ptr<mlir::Pass> createTrainingStep(const TrainingOptions &options);

} // namespace smex::training

#endif
