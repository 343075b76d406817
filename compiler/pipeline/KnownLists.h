// Lists of integers that are constants of a model, such as the sources of a
// graph's edges, with their values: by them the search, and what follows it,
// know which rows are read, and times of plans how many edges each GPU has.
#ifndef SMEX_COMPILER_PIPELINE_KNOWNLISTS_H
#define SMEX_COMPILER_PIPELINE_KNOWNLISTS_H

#include "compiler/emit/Weights.h"
#include "dialects/smex/ir/Smex.h"

namespace smex::pipeline {

/// Of the module's constants, those of integers of rank 1 or 2. `inGuards`: of
/// them only those that guards read, which say how many terms of a sum count.
/// Errors: a file of the model that cannot be read.
Result<analysis::NamedLists>
knownLists(mlir::ModuleOp module, const emit::Weights &weights, bool inGuards);

} // namespace smex::pipeline

#endif
