// What a plan can hold (runtime/plan/Load.h): a model that is larger is refused
// by name, and not by the plan's validation, whose errors are defects.
#ifndef SMEX_COMPILER_PIPELINE_PLANLIMITS_H
#define SMEX_COMPILER_PIPELINE_PLANLIMITS_H

#include "dialects/smex/ir/Smex.h"
#include "runtime/plan/Plan.h"

namespace smex::pipeline {

/// An error, with a line for each, where values have more bytes than a tensor
/// of a plan, or reductions more terms.
Status checkPlanLimits(const std::string &model, mlir::func::FuncOp main);

/// An error where a worker needs more bytes than a plan can place.
Status checkPlanLimits(const std::string &model,
                       const plan::Partitioned &partitioned);

} // namespace smex::pipeline

#endif
