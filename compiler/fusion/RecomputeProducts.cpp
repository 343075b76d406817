// An attention's scores, and all that has their shape, computed anew by each of
// their readers: products of few terms that are larger than what they are made
// of, and maps of such products. How two lambdas become one is said by
// Compose.h and WrittenOut.h, what code is generated for well by
// NestedProduct.h; here only: whether all readers can.
#include "compiler/fusion/Passes.h"
#include "dialects/smex/ir/Application.h"
#include "dialects/tdl/analysis/Contraction.h"
#include "dialects/tdl/analysis/NestedProduct.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/analysis/WrittenOut.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace smex::fusion {
#define GEN_PASS_DEF_RECOMPUTEPRODUCTS
#include "compiler/fusion/Passes.h.inc"
} // namespace smex::fusion

using namespace mlir;
using namespace smex;
using namespace smex::fusion;
using semantic::Application;
using semantic::ApplyOp;

namespace {

/// A product's terms, which every reader computes: up to so many take a GPU's
/// matrix units no longer than its memory takes for the result, which would be
/// written once and read by each.
constexpr int64_t mostTerms = 128;
/// The product is so many times as large as its operands, or it is stored.
constexpr int64_t leastGain = 2;

class Recomputing {
public:
  Recomputing(ModuleOp module, func::FuncOp main)
      : module(module), main(main), lambdas(module, "nested") {}

  void run() {
    std::vector<std::pair<ApplyOp, Application>> made;
    // What one reader needs stored, all others may as well read.
    do {
      made.clear();
      findUnstored();
    } while (!rewriteAll(made));
    // What is replaced may be read by others that are made.
    std::vector<std::pair<ApplyOp, ApplyOp>> replaced;
    for (auto &[apply, now] : made) {
      OpBuilder builder(apply);
      replaced.emplace_back(
          apply,
          semantic::applyInstead(builder, apply, apply.getResult().getType(),
                                 lambdas.symbolOf(now.lambda), now.operands,
                                 apply.getExtents()));
    }
    for (auto [apply, instead] : replaced)
      apply.getResult().replaceAllUsesWith(instead.getResult());
    for (auto [apply, instead] : replaced)
      apply.erase();
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isa<ApplyOp>(op) && unstored.contains(op.getResult(0)) &&
          op.use_empty())
        op.erase();
    semantic::eraseUnusedLambdas(module);
  }

private:
  const tdl::Lambda &lambdaOf(ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
  }

  void findUnstored() {
    unstored.clear();
    for (Operation &op : main.getBody().front()) {
      auto apply = dyn_cast<ApplyOp>(op);
      if (!apply || stored.contains(apply.getResult()) ||
          !llvm::all_of(apply->getUsers(),
                        [](Operation *user) { return isa<ApplyOp>(user); }))
        continue;
      if (isLargeProduct(apply) ||
          (analysis::isMap(lambdaOf(apply)) && readsUnstored(apply)))
        unstored.insert(apply.getResult());
    }
  }

  bool readsUnstored(ApplyOp apply) const {
    return llvm::any_of(apply.getInputs(), [&](mlir::Value operand) {
      return unstored.contains(operand);
    });
  }

  bool isLargeProduct(ApplyOp apply) const {
    const tdl::Lambda &lambda = lambdaOf(apply);
    if (!tdl::is16Bit(lambda.result) || lambda.reductions.size() != 1 ||
        apply.getExtents().back() > mostTerms ||
        !analysis::matchContraction(lambda))
      return false;
    int64_t operands = 0;
    for (mlir::Value operand : apply.getInputs())
      operands += bytesOf(operand);
    return bytesOf(apply.getResult()) >= leastGain * operands;
  }

  static int64_t bytesOf(mlir::Value value) {
    return *byteCount(semantic::tensorType(value.getType()));
  }

  /// What readers that are stored themselves become. False if a reader needs
  /// what was not to be stored, which it now is.
  bool rewriteAll(std::vector<std::pair<ApplyOp, Application>> &made) {
    bool all = true;
    for (Operation &op : main.getBody().front()) {
      auto apply = dyn_cast<ApplyOp>(op);
      if (!apply || unstored.contains(apply.getResult()) ||
          !readsUnstored(apply))
        continue;
      if (auto now = rewritten(apply)) {
        made.emplace_back(apply, std::move(*now));
        continue;
      }
      all = false;
      for (mlir::Value operand : apply.getInputs())
        if (unstored.contains(operand))
          stored.insert(operand);
    }
    return all;
  }

  /// The application without operands that are not stored.
  std::optional<Application> rewritten(ApplyOp apply) {
    Application now{lambdaOf(apply), apply.getExtents().vec(),
                    SmallVector<mlir::Value>(apply.getInputs())};
    while (true) {
      const auto operand =
          llvm::find_if(now.operands, [&](mlir::Value operand) {
            return unstored.contains(operand);
          });
      if (operand == now.operands.end())
        break;
      auto made = composed(now, int(operand - now.operands.begin()));
      if (!made)
        return std::nullopt;
      now = std::move(*made);
    }
    if (!analysis::matchNestedProduct(now.lambda))
      return std::nullopt;
    return now;
  }

  std::optional<Application> composed(const Application &reader, int operand) {
    auto producer = reader.operands[size_t(operand)].getDefiningOp<ApplyOp>();
    const tdl::Lambda &lambda = lambdaOf(producer);
    if (analysis::isMap(lambda))
      return semantic::composed(reader, operand, producer, lambda);
    const auto map =
        analysis::writtenOut({lambda, producer.getExtents().vec()});
    return map ? semantic::composed(reader, operand, producer, *map)
               : std::nullopt;
  }

  ModuleOp module;
  func::FuncOp main;
  tdl::LambdaSymbols lambdas;
  llvm::DenseSet<mlir::Value> unstored, stored;
};

struct RecomputeProducts
    : fusion::impl::RecomputeProductsBase<RecomputeProducts> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Recomputing(getOperation(), main).run();
  }
};

} // namespace
