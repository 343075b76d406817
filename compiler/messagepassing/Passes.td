#ifndef SMEX_MESSAGEPASSING_PASSES_TD
#define SMEX_MESSAGEPASSING_PASSES_TD

include "mlir/Pass/PassBase.td"

def RecomputeMessages : Pass<"smex-recompute-messages", "mlir::ModuleOp"> {
  let summary = "computes numbers of edges anew where they are read";
  let description = [{
    What edges make of their nodes (the coefficients of an attention, and their
    gradients) is larger than what it is made of, and grows with the edges. Where
    all its readers can, they compute it themselves, forward and backward, and it
    is never stored. A map is composed into its readers. A sum (over features) in
    a sum (over edges) changes places with it, where the outer sum's terms are
    affine in it (Interchange.h).

    A tensor is stored all the same if no sum over edges reads it, by itself or
    through others that are not stored, if it is an output, if a library computes with
    it, if a reader is not of such a kind, if it is less than twice as large as
    what it is made of (inputs and parameters apart, which are there in any case),
    or if its readers together would spend more than 256 operations per byte of
    it.

    With `of-any-size` the same tensors are stored whatever the size of the
    graph: those are not, of the others, that would be larger in graphs of
    enough edges. So what is rounded, and when, does not depend on it.
  }];
  let options = [
    Option<"ofAnySize", "of-any-size", "bool", /*default=*/"false",
           "what is stored does not depend on the graph's size">,
  ];
}

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
