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

    With `sums-apart`, what adds up several sums, such as the gradients of a
    weight that each timestep reads, is not composed into what does more than
    that, as an optimizer's step: workers that have terms of each of these sums
    can then add up their own before any of them crosses.
  }];
  let options = [
    Option<"sumsApart", "sums-apart", "bool", /*default=*/"false",
           "leave sums of sums apart from what reads them">,
  ];
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

def PadProducts : Pass<"smex-pad-products", "mlir::ModuleOp"> {
  let summary = "pads the rows of large products of 16-bit floats";
  let description = [{
    GPUs' libraries compute a product of 16-bit floats several times as fast
    where the rows of its operands and of its result are multiples of 16 bytes.
    In a large contraction, an index variable that is the innermost dimension of
    a large operand or of the result gets an extent that is a multiple of 8, or
    of 8 for each of `ways` parts, if that adds no more than an eighth: operands
    are padded with zeros, once for all products that read them, and what is too
    much of a result is cut off.

    Then maps are fused again (smex-fuse-maps), so that a map writes the padded
    tensor itself, and readers of a product read their part of it.

    A product is padded if it has `min-flops`, and `flops-per-byte` for each
    byte that would be copied if nothing could be fused. That is more than three
    times as many as where padding gains what copies take: on an H200, a flop
    with odd rows takes 7 fs longer (17 instead of 4 ms for a GPT's three
    products with its words, 1.9e12 flops), and a byte that is copied 0.5 ps.
  }];
  let options = [
    Option<"minFlops", "min-flops", "int64_t", /*default=*/"1 << 30",
           "of a product">,
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"1 << 20",
           "of a tensor whose rows are padded">,
    Option<"flopsPerByte", "flops-per-byte", "int64_t", /*default=*/"256",
           "of a product, for each byte that may have to be copied">,
    Option<"ways", "ways", "int64_t", /*default=*/"1",
           "parts of a row, if it is divided, that are padded alike">,
    Option<"fuse", "fuse", "bool", /*default=*/"true",
           "fuse maps again, where anything is padded">,
    Option<"sumsApart", "sums-apart", "bool", /*default=*/"false",
           "then leave sums of sums apart from what reads them">,
  ];
}

#endif
