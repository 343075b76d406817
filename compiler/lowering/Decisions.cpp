#include "compiler/lowering/Decisions.h"

#include "dialects/exec/ir/Exec.h"
#include "dialects/tdl/analysis/Strategies.h"

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
  const auto isTerm = [](const Division &each) { return each.isTerm(); };
  if (llvm::any_of(division.getValue(), isTerm))
    return emitError(loc, "has a division into terms");
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

LogicalResult lowering::verifyDecisions(func::FuncOp main, const Ways &ways) {
  for (BlockArgument input : main.getArguments())
    if (failed(verifyInput(input, ways)))
      return failure();
  const tdl::LambdaTable lambdas(main->getParentOp());
  for (Operation &op : main.getBody().front()) {
    for (Value result : op.getResults())
      if (failed(verifyCut(result, ways)))
        return failure();
    if (auto apply = dyn_cast<ApplyOp>(op))
      if (failed(verifySplit(apply, lambdas[apply.getLambdaAttr().getAttr()],
                             ways)))
        return failure();
  }
  return success();
}
