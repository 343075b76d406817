// What 16-bit floats are summed in. A product of two f16 or bf16 numbers has
// more bits than they do, and a sum of many of them more than any: so a Sum or
// a Prod of them computes its terms and adds them up in f32, and rounds once,
// at the end.
//
//     (a: f16[2], b: f16[2]) -> f16: lambda i, j: Sum(lambda k: a[i, k] * b[k,
//     j])
//
// means what the lambda below says, rounded to f16:
//
//     (a: f16[2], b: f16[2]) -> f32: lambda i, j: Sum(lambda k: f32(a[i, k]) *
//     f32(b[k, j]))
//
// The second is also what a worker computes that has a part of the terms only.
// Max and Min do not round, so theirs stay as they are.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_ACCUMULATED_H
#define SMEX_DIALECTS_TDL_LAMBDA_ACCUMULATED_H

#include "dialects/tdl/lambda/Lambda.h"

namespace smex::tdl {

/// f16 or bf16.
inline bool is16Bit(DType type) {
  return type == DType::F16 || type == DType::BF16;
}

/// The element type of partial results of a reduction whose result is of type
/// `result`: f32 for a Sum or Prod of 16-bit floats, else `result`.
DType partialType(Reducer reducer, DType result);

/// The reduction before it is rounded to its result's type: the second lambda
/// above for the first one, canonical if the lambda is. Any other lambda as it
/// is.
Lambda accumulated(const Lambda &lambda);

} // namespace smex::tdl

#endif
