// Composition of maps into their readers. What is sound and no loss is said by
// analysis/Compose.h; here only: who reads what, and that a library kernel is
// not lost. Transpositions go away at either end of a library kernel, which
// reads and writes by strides.
#include "compiler/fusion/Orders.h"
#include "compiler/fusion/Passes.h"
#include "compiler/fusion/SumsOfSums.h"
#include "dialects/smex/ir/Application.h"
#include "dialects/tdl/analysis/Compose.h"
#include "dialects/tdl/analysis/NestedProduct.h"
#include "dialects/tdl/analysis/Properties.h"

#include "mlir/IR/Builders.h"

namespace smex::fusion {
#define GEN_PASS_DEF_FUSEMAPS
#include "compiler/fusion/Passes.h.inc"
} // namespace smex::fusion

using namespace mlir;
using namespace smex;
using namespace smex::fusion;
using semantic::ApplyOp;
using semantic::hasLibraryKernel;

namespace {

/// A product with products inside, which there is code for as for a library's.
bool isNested(const tdl::Lambda &lambda) {
  return analysis::matchNestedProduct(lambda).has_value();
}

/// Two lambdas as one, and its symbol, once it has any.
struct Composed {
  analysis::Composition composition;
  FlatSymbolRefAttr symbol;
};

class Fusion {
public:
  Fusion(ModuleOp module, bool sumsApart)
      : module(module), sumsApart(sumsApart), lambdas(module, "fused") {}

  void run(func::FuncOp main) {
    // Readers come after what they read, so a chain collapses into its end one
    // producer at a time, in one sweep.
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
      if (auto apply = dyn_cast<ApplyOp>(op)) {
        while (ApplyOp fused = fuseOne(apply))
          apply = fused;
        turnProducers(apply);
      }
    semantic::eraseUnusedLambdas(module);
  }

private:
  const tdl::Lambda &lambdaOf(ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
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
      if (!producer || !isFusable(consumer, int(i), producer) ||
          (sumsApart && isSumOfSums(producer) && !isSumOfSums(consumer)))
        continue;
      if (operand.hasOneUse() ? keepsMoreAlive(consumer, producer)
          : library ? !isWeightInOtherOrder(producer)
                    : !isCheapExpansion(producer) && !isCheapCopy(producer))
        continue;
      std::optional<Composed> &composed = compose(consumer, int(i), producer);
      if (!composed)
        continue;
      const analysis::Composition &made = composed->composition;
      const auto operands =
          semantic::operandsOf(made, consumer.getInputs(), producer);
      if ((library && !hasLibraryKernel(made.lambda, extents, operands)) ||
          (isNested(lambda) && !isNested(made.lambda)))
        continue;
      if (!composed->symbol)
        composed->symbol = lambdas.symbolOf(made.lambda);
      return replace(consumer, producer, composed->symbol, operands);
    }
    return {};
  }

  bool isSumOfSums(ApplyOp apply) const {
    return sumsIn(apply, [this](ApplyOp each) -> const tdl::Lambda & {
             return lambdaOf(each);
           }) > 1;
  }

  /// As analysis::fusable; large models ask it of the same lambdas again and
  /// again.
  bool isFusable(ApplyOp consumer, int operand, ApplyOp producer) {
    const auto [known, isNew] = fusable.try_emplace(
        std::tuple(consumer.getLambdaAttr().getAsOpaquePointer(), operand,
                   producer.getLambdaAttr().getAsOpaquePointer()));
    if (isNew)
      known->second =
          analysis::fusable(lambdaOf(consumer), operand, lambdaOf(producer));
    return known->second;
  }

  std::optional<Composed> &compose(ApplyOp consumer, int operand,
                                   ApplyOp producer) {
    const std::vector<int> same =
        semantic::sharedOperands(consumer.getInputs(), producer);
    const auto [known, isNew] = compositions.try_emplace(
        std::tuple(consumer.getLambdaAttr().getAsOpaquePointer(),
                   consumer.getExtentsAttr().getAsOpaquePointer(), operand,
                   producer.getLambdaAttr().getAsOpaquePointer(),
                   producer.getExtentsAttr().getAsOpaquePointer(), same));
    if (!isNew)
      return known->second;
    const std::vector<int64_t> extents = consumer.getExtents().vec(),
                               inner = producer.getExtents().vec();
    if (auto made = analysis::compose({lambdaOf(consumer), extents}, operand,
                                      {lambdaOf(producer), inner}, same))
      known->second = Composed{std::move(*made), {}};
    return known->second;
  }

  /// Composed, the producer is computed where the consumer is, and what it
  /// reads lives until then in place of its result. That is more than before if
  /// it is several tensors of that size, unless all else that the consumer
  /// reads is there already when the producer is computed, so that the two may
  /// move together, or nothing of that size is computed in between. A sum that
  /// grows with each gradient is the example.
  static bool keepsMoreAlive(ApplyOp consumer, ApplyOp producer) {
    const int64_t size = elementsOf(producer.getResult());
    if (!computesLarge(producer, consumer, size))
      return false;
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

  /// Whether any application between the two has a result about as large.
  static bool computesLarge(ApplyOp producer, ApplyOp consumer, int64_t size) {
    constexpr int most = 64; // what is further apart has some in between
    Operation *at = consumer->getPrevNode();
    for (int i = 0; i < most && at && at != producer; ++i) {
      auto apply = dyn_cast<ApplyOp>(at);
      if (apply && 2 * elementsOf(apply.getResult()) > size)
        return true;
      at = at->getPrevNode();
    }
    return at != producer;
  }

  /// Whoever reads a weight in another order may as well do so by itself, where
  /// that costs nothing: the weight is there all the time.
  bool isWeightInOtherOrder(ApplyOp producer) const {
    const tdl::Lambda &lambda = lambdaOf(producer);
    return analysis::isMap(lambda) &&
           lambda.body->kind == tdl::ExprKind::Read &&
           llvm::none_of(lambda.body->children, tdl::readsData) &&
           producer.getInputs()[0].getDefiningOp<semantic::ParameterOp>();
  }

  /// No more than a few additions, products and choices.
  bool isCheap(ApplyOp producer) const {
    const tdl::Lambda &lambda = lambdaOf(producer);
    constexpr int64_t mostFlops = 4;
    if (!analysis::isMap(lambda) || analysis::flopsPerPoint(lambda) > mostFlops)
      return false;
    bool cheap = true;
    tdl::walk(lambda.body, [&](const tdl::ExprRef &e) {
      cheap &= e->kind != tdl::ExprKind::Unary ||
               e->unary == tdl::UnaryOp::Neg || e->unary == tdl::UnaryOp::Not;
      cheap &= e->kind != tdl::ExprKind::Binary || !tdl::readsData(e) ||
               isCheap(e->binary);
    });
    return cheap;
  }

  /// Larger than all that it is made of, and cheap: every reader computes it
  /// anew, in the backward pass, too, and it is never stored. What edges read
  /// of their ends is the example (thesis section 4.3.2).
  bool isCheapExpansion(ApplyOp producer) const {
    // Lists of numbers that a graph is given by are there in any case.
    int64_t read = 0;
    for (mlir::Value input : producer.getInputs())
      if (!isListOfNumbers(input))
        read += elementsOf(input);
    return isCheap(producer) && elementsOf(producer.getResult()) >= 2 * read;
  }

  /// Made, element by element, of one tensor that takes hardly more bytes, and
  /// cheap: readers may as well read that one. A conversion of 16-bit floats,
  /// an attention's scores without those of words to come, and a product
  /// without what its rows are padded with are examples. Only where all readers
  /// can, or both tensors would have to be kept.
  bool isCheapCopy(ApplyOp producer) {
    constexpr int64_t muchLess = 16, hardlyMore = 8;
    const int64_t size = elementsOf(producer.getResult());
    int64_t bytes = 0;
    for (auto [i, input] : llvm::enumerate(producer.getInputs()))
      if (muchLess * elementsOf(input) > size) {
        bytes += bytesOf(input);
        if (!readsOwnPlace(lambdaOf(producer), int(i)))
          return false;
      }
    if (bytes - bytes / hardlyMore > bytesOf(producer.getResult()) ||
        !isCheap(producer))
      return false;
    return llvm::all_of(producer.getResult().getUses(), [&](OpOperand &use) {
      auto reader = dyn_cast<ApplyOp>(use.getOwner());
      return reader &&
             isFusable(reader, int(use.getOperandNumber()), producer) &&
             !hasLibraryKernel(lambdaOf(reader), reader.getExtents().vec(),
                               reader.getInputs()) &&
             compose(reader, int(use.getOperandNumber()), producer);
    });
  }

  /// x[i, j] for the element i, j. Another order or shape stays: it may be
  /// divided in ways that its readers' places in it are not.
  static bool readsOwnPlace(const tdl::Lambda &lambda, int operand) {
    bool own = true;
    tdl::walk(lambda.body, [&](const tdl::ExprRef &e) {
      if (e->kind != tdl::ExprKind::Read || e->operand != operand)
        return;
      own &= !e->otherwise && int(e->children.size()) == lambda.rank();
      for (size_t d = 0; own && d < e->children.size(); ++d)
        own = e->children[d]->kind == tdl::ExprKind::Index &&
              e->children[d]->index == int(d);
    });
    return own;
  }

  static bool isListOfNumbers(mlir::Value value) {
    if (auto parameter = value.getDefiningOp<semantic::ParameterOp>())
      return parameter.getConstant();
    const smex::TensorType type = semantic::tensorType(value.getType());
    return isa<BlockArgument>(value) && type.rank() == 1 &&
           isInteger(type.dtype);
  }

  static bool isCheap(tdl::BinaryOp op) {
    using tdl::BinaryOp;
    return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul ||
           op == BinaryOp::Min || op == BinaryOp::Max || op == BinaryOp::And ||
           op == BinaryOp::Or || tdl::isComparison(op);
  }

  /// A library kernel writes its result in any order: in that of its only
  /// reader, if that is a map.
  void turnProducers(ApplyOp consumer) {
    if (!analysis::isMap(lambdaOf(consumer)))
      return;
    for (unsigned i = 0; i < consumer.getInputs().size(); ++i) {
      mlir::Value operand = consumer.getInputs()[i];
      auto producer = operand.getDefiningOp<ApplyOp>();
      if (!producer || !operand.hasOneUse())
        continue;
      const auto order = orderOfReader(lambdaOf(consumer), int(i));
      if (!order)
        continue;
      const tdl::Lambda turned = withOutputs(lambdaOf(producer), *order);
      const std::vector<int64_t> extents = producer.getExtents().vec();
      std::vector<int64_t> turnedExtents = extents;
      SmallVector<int64_t> shape;
      for (size_t d = 0; d < order->size(); ++d) {
        turnedExtents[d] = extents[size_t((*order)[d])];
        shape.push_back(turnedExtents[d]);
      }
      if (!hasLibraryKernel(lambdaOf(producer), extents,
                            producer.getInputs()) ||
          !hasLibraryKernel(turned, turnedExtents, producer.getInputs()))
        continue;
      OpBuilder builder(producer);
      auto type = cast<RankedTensorType>(operand.getType());
      auto result = semantic::applyInstead(builder, producer, type.clone(shape),
                                           lambdas.symbolOf(turned),
                                           producer.getInputs(), turnedExtents);
      const tdl::Lambda reader =
          readInOrder(lambdaOf(consumer), int(i), *order);
      consumer.getInputsMutable()[i].set(result.getResult());
      consumer.setLambdaAttr(lambdas.symbolOf(reader));
      producer.erase();
    }
  }

  static int64_t elementsOf(mlir::Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  }

  static int64_t bytesOf(mlir::Value value) {
    return *byteCount(semantic::tensorType(value.getType()));
  }

  ApplyOp replace(ApplyOp consumer, ApplyOp producer, FlatSymbolRefAttr lambda,
                  ArrayRef<mlir::Value> operands) {
    OpBuilder builder(consumer);
    auto fused = semantic::applyInstead(builder, consumer,
                                        consumer.getResult().getType(), lambda,
                                        operands, consumer.getExtents());
    consumer.getResult().replaceAllUsesWith(fused.getResult());
    consumer.erase();
    if (producer.getResult().use_empty())
      producer.erase();
    return fused;
  }

  ModuleOp module;
  const bool sumsApart;
  tdl::LambdaSymbols lambdas;
  // Lambdas and extents are unique in the context.
  std::map<std::tuple<const void *, int, const void *>, bool> fusable;
  std::map<std::tuple<const void *, const void *, int, const void *,
                      const void *, std::vector<int>>,
           std::optional<Composed>>
      compositions;
};

struct FuseMaps : fusion::impl::FuseMapsBase<FuseMaps> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Fusion(getOperation(), sumsApart).run(main);
  }
};

} // namespace
