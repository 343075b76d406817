#ifndef SMEX_FUSION_PASSES_TD
#define SMEX_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseMaps : Pass<"smex-fuse-maps", "mlir::ModuleOp"> {
  let summary = "composes element-wise chains into one lambda";
  let description = [{
    A map that one operator reads, each element once, is substituted into that
    operator's lambda: the tensor between them is never stored, and the search
    has one variable less (thesis section 3.5.1, coalescing).

    A library kernel reads and writes by strides: a weight that is only put in
    another order is read by all such kernels as it is, and one whose result a
    single map reads in another order computes it in that order.
  }];
}

def RecomputeProducts : Pass<"smex-recompute-products", "mlir::ModuleOp"> {
  let summary = "computes an attention's scores anew where they are read";
  let description = [{
    A product of 16-bit floats of at most 128 terms that is at least twice as
    large as its operands, and maps that read it, are computed by each of their
    readers and never stored, if all of these are then sums over products with
    products inside (NestedProduct.h): a softmax's largest score, its sum, the
    sum of values that it weighs, and all their gradients. The operands, and
    numbers of each row, are all that is stored, as FlashAttention has it.
  }];
}

#endif
