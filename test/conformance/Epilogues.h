// A program of the execution IR whose products have epilogues, written by hand:
// one's bias is fetched, the other has none.
#ifndef SMEX_TEST_CONFORMANCE_EPILOGUES_H
#define SMEX_TEST_CONFORMANCE_EPILOGUES_H

#include "runtime/executor/Feed.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/MLIRContext.h"

namespace smex::conformance {

struct Epilogues {
  plan::Plan plan; // on two workers, and on one
  std::vector<runtime::Feed> feeds;
  Tensor output;
  int64_t count = 0; // of epilogues that both workers do in a step
};

Result<Epilogues> epilogues(mlir::MLIRContext &context,
                            const std::vector<std::string> &targets);

} // namespace smex::conformance

#endif
