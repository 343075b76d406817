#include "compiler/lowering/Decisions.h"

#include "dialects/exec/ir/Exec.h"
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

static StepSet stepsOf(DivisionAttr division,
                       llvm::function_ref<bool(const Division &)> isSuch) {
  StepSet steps = 0;
  for (size_t s = 0; division && s < division.getValue().size(); ++s)
    if (isSuch(division.getValue()[s]))
      steps |= StepSet(1) << s;
  return steps;
}

/// The steps in which it is divided into terms.
static StepSet termSteps(DivisionAttr division) {
  return stepsOf(division, [](const Division &each) { return each.isTerm(); });
}

/// The steps in which a sum is cut along what it sums over; an error where no
/// terms come of that.
static FailureOr<StepSet> summedSteps(ApplyOp apply, const tdl::Lambda &lambda,
                                      const Ways &ways) {
  const size_t rank = size_t(lambda.rank());
  const StepSet steps =
      stepsOf(apply.getSplitAttr(), [rank](const Division &each) {
        return each.isPart() && size_t(each.dimension()) >= rank;
      });
  if (lambda.reducer != tdl::Reducer::Sum ||
      tdl::partialType(lambda.reducer, lambda.result) != lambda.result)
    return apply.emitOpError("has a result in terms, but is no sum of ")
           << "floats of 32 or 64 bits or of integers";
  for (const Box &box : sharesOf(apply.getExtents().vec(),
                                 apply.getSplitAttr().getValue(), ways))
    if (isEmpty(box) && !isEmpty(front(box, rank)))
      return apply.emitOpError("has a result in terms, of which some workers "
                               "have none");
  return steps;
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
  FailureOr<StepSet> made = split;
  if (!split && apply.getSplitAttr())
    made = summedSteps(apply, lambda, ways);
  if (failed(made))
    return failure();
  Divisions of = apply.getSplitAttr() ? apply.getSplitAttr().getValue()
                                      : Divisions(ways.size());
  for (size_t s = 0; s < of.size(); ++s)
    if (*made >> s & 1)
      of[s] = Division::term(Reducer::Sum);
  if (semantic::cutOf(apply.getResult()).getValue() != of)
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
