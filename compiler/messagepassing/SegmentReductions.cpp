// What is sound is said by Segments.h; here only: which tensors are known
// before the model runs, and where the lists derived from them come from.
#include "compiler/messagepassing/Passes.h"
#include "compiler/messagepassing/Segments.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <limits>
#include <map>

namespace smex::messagepassing {
#define GEN_PASS_DEF_SEGMENTREDUCTIONS
#include "compiler/messagepassing/Passes.h.inc"
} // namespace smex::messagepassing

using namespace mlir;
using namespace smex;
using namespace smex::messagepassing;
using semantic::ApplyOp;
using semantic::ParameterOp;

namespace {

/// The parameter, if it is a list of integers that never changes, and of which
/// something is known.
ParameterOp knownList(mlir::Value value) {
  auto parameter = value.getDefiningOp<ParameterOp>();
  if (!parameter || !parameter.getConstant() || !parameter.getRange())
    return {};
  const smex::TensorType type = semantic::tensorType(value.getType());
  const bool isList = type.rank() == 1 && isInteger(type.dtype);
  return isList ? parameter : ParameterOp();
}

class Rewriting {
public:
  explicit Rewriting(ModuleOp module)
      : module(module), lambdas(module, "segment") {}

  void run(func::FuncOp main) {
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
      if (auto apply = dyn_cast<ApplyOp>(op))
        rewrite(apply);
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
      if (isa<ParameterOp>(op) && knownList(op.getResult(0)) && op.use_empty())
        op.erase();
    semantic::eraseUnusedLambdas(module);
  }

private:
  void rewrite(ApplyOp apply) {
    Known known;
    for (mlir::Value operand : apply.getInputs()) {
      known.emplace_back();
      if (ParameterOp list = knownList(operand))
        known.back() = {(*list.getRange())[0], (*list.getRange())[1]};
    }
    if (llvm::none_of(known, [](const auto &range) { return bool(range); }))
      return;
    const tdl::Lambda lambda =
        withoutCertain(lambdas[apply.getLambdaAttr().getAttr()], known);
    apply.setLambdaAttr(lambdas.symbolOf(lambda));
    const auto by = segmentation(lambda, known);
    if (!by)
      return;
    const int64_t results = apply.getExtents()[size_t(by->variable)];
    const int64_t terms = apply.getExtents()[size_t(by->term)];
    ParameterOp key = knownList(apply.getInputs()[size_t(by->key)]);
    if (semantic::tensorType(key.getType()).shape[0] != terms)
      return; // the loop does not go over the whole list
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    const DType numbers =
        std::max(results, terms) < most ? DType::I32 : DType::I64;
    const auto made =
        segmented(lambda, *by, known, key.getAscending(), numbers);
    if (!made)
      return;
    SmallVector<mlir::Value> operands;
    for (const Source &source : made->operands)
      operands.push_back(operandFor(apply, key, source, results, numbers));
    SmallVector<int64_t> extents(apply.getExtents());
    if (made->counts)
      extents.resize(size_t(made->lambda.rank()));
    OpBuilder builder(apply);
    auto result = ApplyOp::create(
        builder, apply.getLoc(), apply.getResult().getType(),
        lambdas.symbolOf(made->lambda), operands,
        builder.getDenseI64ArrayAttr(extents), apply.getNameAttr(),
        DenseI64ArrayAttr(), DenseI64ArrayAttr());
    apply.getResult().replaceAllUsesWith(result.getResult());
    apply.erase();
  }

  mlir::Value operandFor(ApplyOp apply, ParameterOp key, const Source &source,
                         int64_t results, DType numbers) {
    const int64_t terms = semantic::tensorType(key.getType()).shape[0];
    if (source.kind == Source::Kind::Offsets)
      return derived("offsets", {key}, {numbers, {results + 1}});
    if (source.kind == Source::Kind::Order)
      return derived("order", {key}, {numbers, {terms}});
    mlir::Value operand = apply.getInputs()[size_t(source.of)];
    if (source.kind == Source::Kind::Gathered)
      return derived("gathered", {knownList(operand), key}, {numbers, {terms}});
    return operand;
  }

  /// One parameter per distinct derivation, right behind what it is made of.
  mlir::Value derived(StringRef derivation, SmallVector<ParameterOp> of,
                      const smex::TensorType &type) {
    SmallVector<StringRef> names;
    for (ParameterOp parameter : of)
      names.push_back(parameter.getName());
    std::string name = names[0].str() + "." + derivation.str();
    if (names.size() > 1)
      name = (names[0] + ".by." + names[1]).str();
    // One key may be that of different numbers of results.
    mlir::Value &found = made[{name, type.shape[0]}];
    if (found)
      return found;
    if (const int64_t same = ++times[name]; same > 1)
      name += "." + std::to_string(same);
    Operation *last = of[0];
    for (ParameterOp parameter : of)
      if (last->isBeforeInBlock(parameter))
        last = parameter;
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfter(last);
    auto parameter =
        ParameterOp::create(builder, last->getLoc(),
                            semantic::toMlirType(type, module.getContext()),
                            builder.getStringAttr(name));
    parameter.setConstant(true);
    parameter.setDerivation(derivation);
    parameter.setOfAttr(builder.getStrArrayAttr(names));
    return found = parameter.getResult();
  }

  ModuleOp module;
  tdl::LambdaSymbols lambdas;
  std::map<std::pair<std::string, int64_t>, mlir::Value> made;
  std::map<std::string, int64_t> times;
};

struct SegmentReductions
    : messagepassing::impl::SegmentReductionsBase<SegmentReductions> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Rewriting(getOperation()).run(main);
  }
};

} // namespace
