#include "compiler/fusion/SumsOfSums.h"

#include "dialects/tdl/analysis/Linear.h"
#include "dialects/tdl/lambda/Accumulated.h"

using namespace mlir;
using namespace smex;
using namespace smex::fusion;
using semantic::ApplyOp;

namespace {

/// 16-bit floats are kept in f32 until their sum is whole.
bool isSum(const tdl::Lambda &lambda) {
  return lambda.reducer == tdl::Reducer::Sum &&
         tdl::partialType(lambda.reducer, lambda.result) == lambda.result;
}

/// Adds the sums that the application adds up to `sums`.
bool collect(ApplyOp apply, LambdaOf lambdaOf, SmallVectorImpl<ApplyOp> &sums) {
  if (!analysis::isLinearMap(lambdaOf(apply)))
    return false;
  for (mlir::Value operand : apply.getInputs()) {
    auto maker = operand.getDefiningOp<ApplyOp>();
    if (!maker || !operand.hasOneUse())
      return false;
    if (isSum(lambdaOf(maker)))
      sums.push_back(maker);
    else if (!collect(maker, lambdaOf, sums))
      return false;
  }
  return true;
}

} // namespace

size_t fusion::sumsIn(ApplyOp apply, LambdaOf lambdaOf) {
  SmallVector<ApplyOp> sums;
  if (!collect(apply, lambdaOf, sums))
    return 0;
  for (ApplyOp sum : sums)
    if (sum.getExtents() != sums.front().getExtents())
      return 0;
  return sums.size();
}
