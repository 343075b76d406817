// What edges make of their nodes, computed anew by each of its readers. How two
// lambdas become one is said by Compose.h and Interchange.h, with which tensors
// that is worth it by Unstored.h; here only: whether all readers can.
#include "compiler/messagepassing/Interchange.h"
#include "compiler/messagepassing/Passes.h"
#include "compiler/messagepassing/Unstored.h"
#include "dialects/smex/ir/Application.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/analysis/WrittenOut.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace smex::messagepassing {
#define GEN_PASS_DEF_RECOMPUTEMESSAGES
#include "compiler/messagepassing/Passes.h.inc"
} // namespace smex::messagepassing

using namespace mlir;
using namespace smex;
using namespace smex::messagepassing;
using semantic::Application;
using semantic::ApplyOp;
using semantic::ParameterOp;

namespace {

/// A sum inside of another expression has a term of the text for each of its
/// own.
constexpr int64_t mostWrittenOut = 128;

/// A sum of the results of applications, over their last dimensions.
struct Term {
  Application of;
  int summed = 0; // so many
};
using Terms = std::vector<Term>;

class Recomputing {
public:
  Recomputing(ModuleOp module, func::FuncOp main, bool ofAnySize)
      : module(module), main(main), lambdas(module, "recomputed"),
        unstored(main, lambdas, ofAnySize) {
    for (Operation &op : main.getBody().front())
      if (isa<ParameterOp, ApplyOp>(op))
        names.insert(semantic::tensorName(op.getResult(0)));
    for (BlockArgument input : main.getArguments())
      names.insert(semantic::tensorName(input));
  }

  void run() {
    std::vector<std::pair<ApplyOp, Terms>> made;
    // What one reader needs stored, all others may as well read.
    do {
      made.clear();
      unstored.update();
    } while (!rewriteAll(made));
    for (auto &[apply, terms] : made)
      replace(apply, terms);
    for (auto &[apply, terms] : made)
      apply.getResult().replaceAllUsesWith(replaced[apply.getResult()]);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isa<ApplyOp>(op) && op.use_empty() &&
          (replaced.contains(op.getResult(0)) ||
           unstored.contains(op.getResult(0))))
        op.erase();
    semantic::eraseUnusedLambdas(module);
  }

private:
  const tdl::Lambda &lambdaOf(ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
  }

  /// What readers that are stored themselves become. False if a reader needs a
  /// tensor that was not to be stored, which it now is.
  bool rewriteAll(std::vector<std::pair<ApplyOp, Terms>> &made) {
    for (Operation &op : main.getBody().front()) {
      auto apply = dyn_cast<ApplyOp>(op);
      if (!apply || unstored.contains(apply.getResult()) ||
          llvm::none_of(apply.getInputs(), [&](mlir::Value operand) {
            return unstored.contains(operand);
          }))
        continue;
      Application as{lambdaOf(apply), apply.getExtents().vec(),
                     SmallVector<mlir::Value>(apply.getInputs())};
      if (semantic::hasLibraryKernel(as.lambda, as.extents, as.operands)) {
        for (mlir::Value operand : apply.getInputs())
          if (unstored.contains(operand))
            unstored.store(operand);
        return false;
      }
      Terms terms;
      if (mlir::Value needed = expand(apply, {std::move(as), 0}, terms)) {
        unstored.store(needed);
        return false;
      }
      made.emplace_back(apply, std::move(terms));
    }
    return true;
  }

  /// The application, which is the reader's in part, without operands that are
  /// not stored, maps first. Gives one that must be stored, if there is.
  mlir::Value expand(ApplyOp reader, Term term, Terms &made) {
    int sum = -1;
    for (int i = 0; i < int(term.of.operands.size()); ++i) {
      mlir::Value operand = term.of.operands[size_t(i)];
      if (!unstored.contains(operand))
        continue;
      auto producer = operand.getDefiningOp<ApplyOp>();
      if (!analysis::isMap(lambdaOf(producer))) {
        sum = sum < 0 ? i : sum;
        continue;
      }
      auto composed =
          semantic::composed(term.of, i, producer, lambdaOf(producer));
      if (!composed)
        return operand;
      return expand(reader, {std::move(*composed), term.summed}, made);
    }
    if (sum < 0) {
      made.push_back(std::move(term));
      return nullptr;
    }
    mlir::Value operand = term.of.operands[size_t(sum)];
    auto producer = operand.getDefiningOp<ApplyOp>();
    const std::vector<int64_t> extents = producer.getExtents().vec();
    const analysis::Instance inner{lambdaOf(producer), extents};
    auto split =
        interchange({term.of.lambda, term.of.extents}, sum, inner,
                    semantic::sharedOperands(term.of.operands, producer));
    if (split && unstored.hasRoomFor(*split, reader, operand))
      return expandSplit(reader, term, producer, std::move(*split), made);
    const int64_t terms = termsOf(producer);
    const bool canWrite =
        terms <= mostWrittenOut && !tdl::is16Bit(inner.lambda.result);
    const auto map = canWrite ? analysis::writtenOut(inner) : std::nullopt;
    auto composed =
        map ? semantic::composed(term.of, sum, producer, *map) : std::nullopt;
    if (!composed)
      return operand;
    return expand(reader, {std::move(*composed), term.summed}, made);
  }

  mlir::Value expandSplit(ApplyOp reader, const Term &term, ApplyOp producer,
                          Interchanged split, Terms &made) {
    if (mlir::Value needed = expand(
            reader,
            {applied(std::move(split.terms), split.extents, term.of, producer),
             term.summed + split.added},
            made))
      return needed;
    if (!split.rest)
      return nullptr;
    return expand(
        reader,
        {applied(std::move(*split.rest), term.of.extents, term.of, producer),
         term.summed},
        made);
  }

  static int64_t termsOf(ApplyOp sum) {
    int64_t terms = 1;
    const int64_t rank =
        cast<RankedTensorType>(sum.getResult().getType()).getRank();
    for (int64_t extent : sum.getExtents().drop_front(size_t(rank)))
      if (__builtin_mul_overflow(terms, extent, &terms))
        return std::numeric_limits<int64_t>::max();
    return terms;
  }

  static Application applied(analysis::Composition made,
                             const std::vector<int64_t> &extents,
                             const Application &reader, ApplyOp producer) {
    auto operands = semantic::operandsOf(made, reader.operands, producer);
    return {std::move(made.lambda), extents, std::move(operands)};
  }

  void replace(ApplyOp apply, const Terms &terms) {
    OpBuilder builder(apply);
    const auto type = cast<RankedTensorType>(apply.getResult().getType());
    SmallVector<mlir::Value> summed;
    for (const Term &term : terms) {
      ArrayRef<int64_t> extents = term.of.extents;
      const bool isLast = terms.size() == 1 && term.summed == 0;
      mlir::Value value = insert(builder, apply, term.of.lambda,
                                 term.of.operands, extents, !isLast);
      if (term.summed > 0) {
        const int rank = int(type.getRank()) + term.summed;
        value = insert(
            builder, apply, sumOfLast(term.of.lambda.result, rank, term.summed),
            {value}, extents.take_front(size_t(rank)), terms.size() > 1);
      }
      summed.push_back(value);
    }
    if (summed.size() > 1)
      summed = {insert(builder, apply,
                       sumOf(terms.front().of.lambda.result,
                             int(type.getRank()), int(summed.size())),
                       summed, type.getShape(), false)};
    replaced[apply.getResult()] = summed.front();
  }

  /// A part of the application's result has a name of its own.
  mlir::Value insert(OpBuilder &builder, ApplyOp apply,
                     const tdl::Lambda &lambda, ArrayRef<mlir::Value> operands,
                     ArrayRef<int64_t> extents, bool isPart) {
    SmallVector<mlir::Value> now;
    for (mlir::Value operand : operands) {
      const auto found = replaced.find(operand);
      now.push_back(found == replaced.end() ? operand : found->second);
    }
    const auto type = cast<RankedTensorType>(apply.getResult().getType())
                          .clone(extents.take_front(size_t(lambda.rank())));
    auto made = semantic::applyInstead(builder, apply, type,
                                       lambdas.symbolOf(lambda), now, extents);
    if (isPart)
      made.setName(newName(apply.getName()));
    return made.getResult();
  }

  std::string newName(llvm::StringRef of) {
    for (int i = 1;; ++i) {
      std::string name = of.str() + ".part" + std::to_string(i);
      if (names.insert(name).second)
        return name;
    }
  }

  ModuleOp module;
  func::FuncOp main;
  tdl::LambdaSymbols lambdas;
  llvm::StringSet<> names; // of all tensors
  Unstored unstored;
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

struct RecomputeMessages
    : messagepassing::impl::RecomputeMessagesBase<RecomputeMessages> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Recomputing(getOperation(), main, ofAnySize).run();
  }
};

} // namespace
