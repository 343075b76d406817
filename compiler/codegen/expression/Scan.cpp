#include "compiler/codegen/expression/Scan.h"

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprRef;

namespace {

/// What the rest of the guard and the body leave of the lambda.
ExprRef termWithout(const tdl::Lambda &lambda,
                    const std::vector<ExprRef> &parts, size_t without) {
  ExprRef guard = tdl::constant(1, DType::Bool);
  for (size_t p = 0; p < parts.size(); ++p)
    if (p != without)
      guard = tdl::binary(BinaryOp::And, guard, parts[p]);
  return tdl::select(guard, makeConditionsExplicit(lambda.body),
                     tdl::identity(lambda.reducer, lambda.result));
}

} // namespace

std::optional<Scan> codegen::findScan(const tdl::Lambda &lambda) {
  if (!lambda.guard)
    return std::nullopt;
  const auto parts = conjuncts(makeConditionsExplicit(lambda.guard));
  for (size_t p = 0; p < parts.size(); ++p) {
    if (readsData(parts[p]))
      continue;
    const ExprRef term = termWithout(lambda, parts, p);
    for (int k = lambda.rank(); k < lambda.indexCount(); ++k) {
      const std::optional<Cut> cut = cutOf(parts[p], k);
      if (!cut)
        continue;
      // The point may move with outputs only, not with other reductions.
      bool onlyOutputs = true;
      for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
        onlyOutputs &= !uses(cut->numerator, r);
      for (int i = 0; onlyOutputs && i < lambda.rank(); ++i) {
        const auto moves = linearIn(cut->numerator, i);
        if (moves && !uses(term, i))
          return Scan{i, k, *cut, cut->below == (moves->factor > 0), term};
      }
    }
  }
  return std::nullopt;
}
