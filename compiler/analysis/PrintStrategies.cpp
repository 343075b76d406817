#include "compiler/analysis/Passes.h"
#include "dialects/tdl/analysis/Strategies.h"

namespace smex::analysis {
#define GEN_PASS_DEF_PRINTSTRATEGIES
#include "compiler/analysis/Passes.h.inc"
} // namespace smex::analysis

using namespace smex;

namespace {

struct PrintStrategies : analysis::impl::PrintStrategiesBase<PrintStrategies> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](tdl::LambdaOp op) {
      const tdl::Lambda &lambda = op.getLambda().getValue();
      llvm::outs() << "@" << op.getSymName() << "\n";
      for (const analysis::Strategy &strategy : analysis::strategies(lambda))
        llvm::outs() << "  " << analysis::toString(strategy, lambda) << "\n";
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
