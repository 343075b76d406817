#ifndef SMEX_ANALYSIS_PASSES_TD
#define SMEX_ANALYSIS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrintStrategies : Pass<"smex-print-strategies", "mlir::ModuleOp"> {
  let summary = "prints how each lambda can be parallelized";
  let description = [{
    One row per strategy (thesis section 3.4.2): the index variable that is cut,
    whether results are concatenated or reduced, and the part of each operand
    that a worker then needs.
  }];
}

#endif
