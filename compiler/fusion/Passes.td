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

#endif
