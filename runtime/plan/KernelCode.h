// Which code a generated kernel needs. An unrolled network reads row 0, row 1,
// row 2, .. of its input, each by a lambda of its own; their code differs in
// nothing but where the operand begins, which the caller says anyway.
#ifndef SMEX_RUNTIME_PLAN_KERNELCODE_H
#define SMEX_RUNTIME_PLAN_KERNELCODE_H

#include "dialects/support/Box.h"
#include "dialects/tdl/lambda/Lambda.h"

namespace smex::plan {

/// Per operand and dimension of a lambda, a constant that is part of every
/// coordinate it is read at: 5 for `x[i + 5] + x[i + 7]`. 0 where coordinates
/// are compared with the operand's extent (by a read with `else`, by one at a
/// place that data says, or by the lambda itself), and in all of a lambda where
/// data says which terms count: code may work out from it which coordinates are
/// read, none of which is below 0.
using Shifts = std::vector<std::vector<int64_t>>;
Shifts shiftsOf(const tdl::Lambda &lambda);

/// The lambda that is compiled: the same without these constants. It computes
/// the same where the first element of each operand's buffer is at the
/// coordinates of the original less the shifts.
tdl::Lambda codeOf(const tdl::Lambda &lambda);

/// What a call of a generated kernel says of an operand.
struct CalledOperand {
  const Box *box = nullptr; // what the buffer has of the tensor
  const std::vector<int64_t> *shape = nullptr; // the tensor's
};
/// The `numbers` of a call (README.md): of `indices` to be computed, into a
/// buffer that has `result` of its tensor.
std::vector<int64_t> callNumbers(const Box &indices, const Box &result,
                                 const std::vector<CalledOperand> &operands,
                                 const Shifts &shifts);

} // namespace smex::plan

#endif
