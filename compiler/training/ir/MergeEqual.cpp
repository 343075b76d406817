#include "compiler/training/ir/Passes.h"

#include "llvm/ADT/StringSet.h"

#include <map>

namespace smex::training {
#define GEN_PASS_DEF_MERGEEQUAL
#include "compiler/training/ir/Passes.h.inc"
} // namespace smex::training

using namespace mlir;
using namespace smex;
using semantic::ApplyOp;

namespace {

/// The output that training makes small, and multiples of it: their gradients
/// come first, and all others follow from these.
llvm::StringSet<> lossNames(func::FuncOp main) {
  llvm::StringSet<> names;
  for (OpOperand &output :
       main.getBody().front().getTerminator()->getOpOperands()) {
    const Value loss = output.get();
    if (!main.getResultAttr(output.getOperandNumber(), semantic::lossAttr))
      continue;
    names.insert(semantic::tensorName(loss));
    for (Operation *user : loss.getUsers())
      if (auto apply = dyn_cast<ApplyOp>(user);
          apply && apply.getInputs().size() == 1)
        names.insert(apply.getName());
  }
  return names;
}

struct MergeEqual : training::impl::MergeEqualBase<MergeEqual> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    const llvm::StringSet<> losses = lossNames(main);
    const tdl::LambdaTable lambdas(getOperation());
    /// By lambda and extents, then operands.
    std::map<std::tuple<const void *, const void *, std::vector<const void *>>,
             ApplyOp>
        known;
    bool isAdded = false;
    for (auto apply : llvm::make_early_inc_range(main.getOps<ApplyOp>())) {
      const auto of = apply.getGradientOf();
      isAdded |= of && losses.contains(*of);
      // An opaque function may draw numbers, and differently each time.
      if (lambdas[apply.getLambdaAttr().getAttr()].body->kind ==
          tdl::ExprKind::Opaque)
        continue;
      std::vector<const void *> operands;
      for (Value operand : apply.getInputs())
        operands.push_back(operand.getAsOpaquePointer());
      const auto [entry, isNew] = known.try_emplace(
          {apply.getLambdaAttr().getAsOpaquePointer(),
           apply.getExtentsAttr().getAsOpaquePointer(), std::move(operands)},
          apply);
      if (isNew || !isAdded)
        continue;
      apply.getResult().replaceAllUsesWith(entry->second.getResult());
      apply.erase();
    }
  }
};

} // namespace
