#include "compiler/training/ir/Passes.h"

namespace smex::training {
#define GEN_PASS_DEF_DROPUNUSED
#include "compiler/training/ir/Passes.h.inc"
} // namespace smex::training

using namespace mlir;
using namespace smex;

namespace {

struct DropUnused : training::impl::DropUnusedBase<DropUnused> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isa<semantic::ParameterOp, semantic::ApplyOp>(op) && op.use_empty())
        op.erase();
    semantic::eraseUnusedLambdas(getOperation());
  }
};

} // namespace
