#include "compiler/lowering/Decisions.h"

#include "dialects/exec/ir/Exec.h"
#include "dialects/support/Terms.h"
#include "dialects/tdl/analysis/Linear.h"
#include "dialects/tdl/analysis/Strategies.h"
#include "dialects/tdl/lambda/Accumulated.h"

using namespace mlir;
using namespace smex;
using semantic::ApplyOp;
using semantic::DivisionAttr;

FailureOr<Ways> lowering::verifiedWays(ModuleOp module) {
  const Attribute attribute = module->getAttr(semantic::waysAttr);
  if (!attribute)
    return Ways();
  const auto ways = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!ways)
    return module.emitError("has smex.ways that are no array<i64>");
  if (failed(exec::verifyWays([&] { return module.emitError(); }, ways)))
    return failure();
  return ways.asArrayRef().vec();
}

static LogicalResult verify(Location loc, DivisionAttr division, size_t rank,
                            const Ways &ways) {
  if (!division)
    return success();
  const Status fits = validate(division.getValue(), rank, ways);
  return fits ? success()
              : LogicalResult(emitError(loc) << "has a division that is none: "
                                             << fits.error().message);
}

static LogicalResult verifyCut(Value value, const Ways &ways) {
  return verify(value.getLoc(), semantic::cutOf(value),
                semantic::tensorType(value.getType()).shape.size(), ways);
}

static LogicalResult verifyInput(BlockArgument input, const Ways &ways) {
  if (semantic::tensorName(input).empty())
    return emitError(input.getLoc(), "has an input without a smex.name");
  return verifyCut(input, ways);
}

static LogicalResult verifySplit(ApplyOp apply, const tdl::Lambda &lambda,
                                 const Ways &ways) {
  const DivisionAttr split = apply.getSplitAttr();
  if (!split)
    return success();
  if (failed(verify(apply.getLoc(), split, apply.getExtents().size(), ways)))
    return failure();
  const std::vector<int> cuttable = analysis::cuttableIndices(lambda);
  for (const Division &division : split.getValue())
    if (division.isPart() &&
        !llvm::is_contained(cuttable, division.dimension()))
      return apply.emitOpError("cuts index variable ")
             << division.dimension() << " of " << apply.getLambdaAttr()
             << ", which numbers the result of an opaque function";
  return success();
}

/// Nothing is decided of what has no division.
static Divisions divisionsOf(DivisionAttr division) {
  return division ? division.getValue() : Divisions();
}

static StepSet termSteps(DivisionAttr division) {
  return smex::termSteps(divisionsOf(division));
}

/// A sum whose result is left in terms makes one for each worker that has part
/// of the result.
static LogicalResult verifyMakesTerms(ApplyOp apply, const tdl::Lambda &lambda,
                                      const Ways &ways) {
  if (lambda.reducer != tdl::Reducer::Sum ||
      tdl::partialType(lambda.reducer, lambda.result) != lambda.result)
    return apply.emitOpError("has a result in terms, but is no sum of ")
           << "floats of 32 or 64 bits or of integers";
  for (const Box &box : sharesOf(apply.getExtents().vec(),
                                 apply.getSplitAttr().getValue(), ways))
    if (isEmpty(box) && !isEmpty(front(box, size_t(lambda.rank()))))
      return apply.emitOpError("has a result in terms, of which some workers "
                               "have none");
  return success();
}

/// What is in terms stays as it is made, and is added up as it is.
static LogicalResult verifyTerms(ApplyOp apply, const tdl::Lambda &lambda,
                                 const Ways &ways) {
  const StepSet split = termSteps(apply.getSplitAttr()),
                result = termSteps(semantic::cutOf(apply.getResult()));
  for (Value operand : apply.getInputs())
    if (termSteps(semantic::cutOf(operand)) != split)
      return apply.emitOpError("reads \"")
             << semantic::tensorName(operand)
             << "\", which is in other terms than the operator";
  if (split && !analysis::isLinearMap(lambda))
    return apply.emitOpError("is divided into terms, but ")
           << apply.getLambdaAttr() << " is no linear map";
  if (!result)
    return success();
  if (!split && apply.getSplitAttr() &&
      failed(verifyMakesTerms(apply, lambda, ways)))
    return failure();
  const Divisions made =
      apply.getSplitAttr()
          ? leftInTerms(apply.getSplitAttr().getValue(), size_t(lambda.rank()))
          : Divisions(ways.size());
  if (divisionsOf(semantic::cutOf(apply.getResult())) != made)
    return apply.emitOpError("has a result in other terms than it makes");
  return success();
}

/// Only operators make and read what is in terms.
static LogicalResult verifyUses(Value value) {
  if (!termSteps(semantic::cutOf(value)))
    return success();
  if (!value.getDefiningOp<ApplyOp>())
    return emitError(value.getLoc(), "is in terms, which only what an operator "
                                     "makes may be");
  for (Operation *user : value.getUsers())
    if (!isa<ApplyOp>(user))
      return emitError(value.getLoc(), "has \"")
             << semantic::tensorName(value)
             << "\" in terms, but others than operators use it";
  return success();
}

LogicalResult lowering::verifyDecisions(func::FuncOp main, const Ways &ways) {
  for (BlockArgument input : main.getArguments())
    if (failed(verifyInput(input, ways)) || failed(verifyUses(input)))
      return failure();
  const tdl::LambdaTable lambdas(main->getParentOp());
  for (Operation &op : main.getBody().front()) {
    for (Value result : op.getResults())
      if (failed(verifyCut(result, ways)) || failed(verifyUses(result)))
        return failure();
    if (auto apply = dyn_cast<ApplyOp>(op)) {
      const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
      if (failed(verifySplit(apply, lambda, ways)) ||
          failed(verifyTerms(apply, lambda, ways)))
        return failure();
    }
  }
  return success();
}
