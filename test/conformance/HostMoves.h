// A program of the execution IR that keeps a buffer on the host for a while,
// written by hand: all four queues have something to do.
#ifndef SMEX_TEST_CONFORMANCE_HOSTMOVES_H
#define SMEX_TEST_CONFORMANCE_HOSTMOVES_H

#include "runtime/executor/Feed.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/MLIRContext.h"

namespace smex::conformance {

struct HostMoves {
  plan::Plan plan; // on several workers, and on one
  std::vector<runtime::Feed> feeds;
  Tensor output;
};

/// Memory is planned and waits are inserted; with `overlap`, moves are put
/// where they hide behind other instructions. At most 64 `workers`, of 64
/// elements.
Result<HostMoves> hostMoves(mlir::MLIRContext &context, bool overlap,
                            int workers,
                            const std::vector<std::string> &targets);

} // namespace smex::conformance

#endif
