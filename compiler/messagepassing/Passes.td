#ifndef SMEX_MESSAGEPASSING_PASSES_TD
#define SMEX_MESSAGEPASSING_PASSES_TD

include "mlir/Pass/PassBase.td"

def SegmentReductions : Pass<"smex-segment-reductions", "mlir::ModuleOp"> {
  let summary = "turns reductions by condition into reductions over segments";
  let description = [{
    A reduction `where key[e] == v` looks at all terms for each result, or at
    all results for each term. Where the key is there before the model runs, a
    constant or an input, so are the terms of each result: the pass has them
    counted and put in order once (parameters or arguments with a
    #smex.recipe), and the lambda's loop then runs over its own terms
    only (Segments.h). The forward pass gets the edges of a graph
    by their destinations, the backward pass by their sources.
  }];
}

#endif
