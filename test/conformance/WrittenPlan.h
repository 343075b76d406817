// Plans of programs of the execution IR that are written by hand.
#ifndef SMEX_TEST_CONFORMANCE_WRITTENPLAN_H
#define SMEX_TEST_CONFORMANCE_WRITTENPLAN_H

#include "dialects/support/Result.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <functional>

namespace smex::conformance {

/// Of the programs @whole and @partitioned in `text`, after the passes that
/// `addPasses` adds to each. Its flops are left to the caller.
Result<plan::Plan>
planOf(mlir::MLIRContext &context, const char *text,
       const std::vector<std::string> &targets, bool library,
       const std::function<void(mlir::OpPassManager &)> &addPasses);

} // namespace smex::conformance

#endif
