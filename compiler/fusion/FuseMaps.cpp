// Composition of maps into their readers. What is sound and no loss is said by
// analysis/Compose.h; here only: who reads what, and that a library kernel is
// not lost.
#include "compiler/analysis/Compose.h"
#include "compiler/analysis/ConvolutionGradient.h"
#include "compiler/fusion/Passes.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace smex::fusion {
#define GEN_PASS_DEF_FUSEMAPS
#include "compiler/fusion/Passes.h.inc"
} // namespace smex::fusion

using namespace mlir;
using namespace smex;
using semantic::ApplyOp;

namespace {

bool hasLibraryKernel(const tdl::Lambda &lambda,
                      const std::vector<int64_t> &extents,
                      mlir::ValueRange operands) {
  if (analysis::matchContraction(lambda) ||
      analysis::matchConvolution(lambda, extents))
    return true;
  analysis::Shapes shapes;
  for (mlir::Value operand : operands)
    shapes.push_back(
        cast<RankedTensorType>(operand.getType()).getShape().vec());
  return analysis::matchConvolutionGradient(lambda, extents, shapes)
      .has_value();
}

class Fusion {
public:
  explicit Fusion(ModuleOp module) : module(module) {
    for (auto op : module.getOps<tdl::LambdaOp>()) {
      symbols[op.getText().str()] = op.getSymNameAttr();
      if (auto lambda = tdl::parseLambda(op.getText()))
        lambdas[op.getSymNameAttr()] =
            std::make_shared<const tdl::Lambda>(std::move(*lambda));
    }
  }

  void run(func::FuncOp main) {
    // Readers come after what they read, so a chain collapses into its end one
    // producer at a time, in one sweep.
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
      if (auto apply = dyn_cast<ApplyOp>(op))
        while (ApplyOp fused = fuseOne(apply))
          apply = fused;
    llvm::DenseSet<StringAttr> used;
    module.walk(
        [&](ApplyOp apply) { used.insert(apply.getLambdaAttr().getAttr()); });
    for (auto op : llvm::make_early_inc_range(module.getOps<tdl::LambdaOp>()))
      if (!used.contains(op.getSymNameAttr()))
        op.erase();
  }

private:
  const tdl::Lambda &lambdaOf(ApplyOp apply) const {
    return *lambdas.at(apply.getLambdaAttr().getAttr());
  }

  /// The application with one of its operands' producers composed into it, in
  /// the place of both; null if there is none to compose.
  ApplyOp fuseOne(ApplyOp consumer) {
    const tdl::Lambda &lambda = lambdaOf(consumer);
    const std::vector<int64_t> extents = consumer.getExtents().vec();
    const bool library =
        hasLibraryKernel(lambda, extents, consumer.getInputs());
    for (auto [i, operand] : llvm::enumerate(consumer.getInputs())) {
      auto producer = operand.getDefiningOp<ApplyOp>();
      if (!producer || !operand.hasOneUse() ||
          !analysis::fusable(lambda, int(i), lambdaOf(producer)) ||
          keepsMoreAlive(consumer, producer))
        continue;
      const std::vector<int64_t> producerExtents = producer.getExtents().vec();
      std::vector<int> same;
      for (mlir::Value input : producer.getInputs()) {
        auto inputs = consumer.getInputs();
        const auto at = llvm::find(inputs, input);
        same.push_back(at == inputs.end() ? -1 : int(at - inputs.begin()));
      }
      const auto composed =
          analysis::compose({lambda, extents}, int(i),
                            {lambdaOf(producer), producerExtents}, same);
      if (!composed)
        continue;
      SmallVector<mlir::Value> operands;
      for (const auto &origin : composed->operands)
        operands.push_back((origin.producer ? producer : consumer)
                               .getInputs()[size_t(origin.operand)]);
      if (library && !hasLibraryKernel(composed->lambda, extents, operands))
        continue;
      return replace(consumer, producer, *composed, operands);
    }
    return {};
  }

  /// Composed, the producer is computed where the consumer is, and what it
  /// reads lives until then in place of its result. That is more than before if
  /// it is several tensors of that size, unless all else that the consumer
  /// reads is there already when the producer is computed, so that the two may
  /// move together. A sum that grows with each gradient is the example.
  static bool keepsMoreAlive(ApplyOp consumer, ApplyOp producer) {
    const int64_t size = elementsOf(producer.getResult());
    int64_t large = 0;
    for (mlir::Value input : producer.getInputs())
      large += !input.getDefiningOp<semantic::ParameterOp>() &&
               2 * elementsOf(input) > size;
    if (large < 2)
      return false;
    return llvm::any_of(consumer.getInputs(), [&](mlir::Value input) {
      auto other = input.getDefiningOp<ApplyOp>();
      return other && other != producer && producer->isBeforeInBlock(other);
    });
  }

  static int64_t elementsOf(mlir::Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  }

  ApplyOp replace(ApplyOp consumer, ApplyOp producer,
                  const analysis::Composition &composed,
                  ArrayRef<mlir::Value> operands) {
    OpBuilder builder(consumer);
    auto fused = ApplyOp::create(
        builder, consumer.getLoc(), consumer.getResult().getType(),
        symbolOf(composed.lambda), operands, consumer.getExtentsAttr(),
        consumer.getNameAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr());
    consumer.getResult().replaceAllUsesWith(fused.getResult());
    consumer.erase();
    producer.erase();
    return fused;
  }

  FlatSymbolRefAttr symbolOf(const tdl::Lambda &lambda) {
    const std::string text = tdl::toString(lambda);
    const auto [entry, isNew] = symbols.try_emplace(text);
    if (isNew) {
      OpBuilder builder(module.getBodyRegion());
      entry->second = builder.getStringAttr("fused_" + Twine(next++));
      tdl::LambdaOp::create(builder, module.getLoc(), entry->second,
                            builder.getStringAttr(text));
      lambdas[entry->second] = std::make_shared<const tdl::Lambda>(lambda);
    }
    return FlatSymbolRefAttr::get(entry->second);
  }

  ModuleOp module;
  std::map<std::string, StringAttr> symbols; // by text
  llvm::DenseMap<StringAttr, std::shared_ptr<const tdl::Lambda>> lambdas;
  int next = 0;
};

struct FuseMaps : fusion::impl::FuseMapsBase<FuseMaps> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Fusion(getOperation()).run(main);
  }
};

} // namespace
