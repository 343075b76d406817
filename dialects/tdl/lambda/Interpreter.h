// The reference result of a lambda, written for reading first: a loop over the
// coordinates, a block at a time, and the body for each. Library kernels,
// generated kernels and strategies are all checked against it, and the
// front-end folds constants with it.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_INTERPRETER_H
#define SMEX_DIALECTS_TDL_LAMBDA_INTERPRETER_H

#include "dialects/support/Box.h"
#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"

namespace smex::tdl {

/// An operand as a worker sees it: the part `box` of a tensor of extents
/// `shape`; `bytes` is that part, dense and row-major.
struct OperandView {
  std::vector<int64_t> shape;
  Box box;
  const std::byte *bytes;
};

/// Evaluates the lambda for the index variables in `indices` (outputs, then
/// reductions: a part of the reduction gives a partial result). The result has
/// the extents of the output part, and the lambda's type. Errors name the
/// operand and coordinate: a read outside the operand's shape without `else`,
/// or outside its box (a strategy that did not fetch enough), an integer
/// division by zero, an opaque function that does not exist.
/// Reductions of 16-bit floats accumulate in f32, of f32 in f64; integers wrap.
/// `if`, `and` and `or` evaluate only what decides them, as in Python.
Result<Tensor> interpret(const Lambda &lambda, const Box &indices,
                         const std::vector<OperandView> &operands);

/// The whole lambda on whole tensors: `extents` of every index variable.
Result<Tensor> interpret(const Lambda &lambda,
                         const std::vector<int64_t> &extents,
                         const std::vector<const Tensor *> &operands);

/// a (op) b element by element, in place in `a`: how partial results are put
/// together (case 2 of section 3.4.2).
void combine(Reducer reducer, Tensor &a, const Tensor &b);

} // namespace smex::tdl

#endif
