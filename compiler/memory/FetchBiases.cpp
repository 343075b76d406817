// Fetches of biases, put before the matrix products that they are added to.
#include "compiler/memory/Arena.h"
#include "compiler/memory/Epilogues.h"
#include "compiler/memory/Passes.h"
#include "compiler/memory/Planner.h"

namespace smex::memory {
#define GEN_PASS_DEF_FETCHBIASES
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

/// An operation that was moved, and what came behind it.
using Moved = std::pair<Operation *, Operation *>;

void move(Operation *op, Operation *before, std::vector<Moved> &moved) {
  moved.emplace_back(op, op->getNextNode());
  op->moveBefore(before);
}

struct FetchBiases : memory::impl::FetchBiasesBase<FetchBiases> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    exec::Regions regions(program);
    const tdl::LambdaTable lambdas(program->getParentOp());
    const auto epilogues = memory::possibleEpilogues(program, regions, lambdas);
    if (epilogues.empty())
      return;
    const auto bytes = [&] {
      return memory::planArena(program, regions, -1, /*onGpus=*/false,
                               /*packingSteps=*/0)
          .bytes;
    };
    const auto before = bytes();
    std::vector<Moved> moved;
    for (const memory::PossibleEpilogue &each : epilogues)
      if (exec::FetchOp fetch = lateFetch(each)) {
        move(exec::bufferOf(fetch.getTo()), each.product, moved);
        move(fetch, each.product, moved);
      }
    if (moved.empty())
      return;
    for (const auto [most, now] : llvm::zip(before, bytes()))
      if (!memory::isNearEnough(now, most)) {
        for (const auto &[op, next] : llvm::reverse(moved))
          op->moveBefore(next);
        return;
      }
  }

private:
  /// The only instruction that writes the bias, if it could as well come before
  /// the product, and does not.
  static exec::FetchOp lateFetch(memory::PossibleEpilogue epilogue) {
    if (!epilogue.bias ||
        memory::isWrittenBefore(epilogue.bias, epilogue.product))
      return {};
    exec::FetchOp found;
    for (Operation *user : epilogue.bias->getUsers()) {
      if (isa<exec::OutputOp, exec::UpdateOp>(user) ||
          exec::written(user) != epilogue.bias)
        continue;
      if (found || !isa<exec::FetchOp>(user))
        return {};
      found = cast<exec::FetchOp>(user);
    }
    return found && memory::isWrittenBefore(exec::bufferOf(found.getFrom()),
                                            epilogue.product)
               ? found
               : exec::FetchOp();
  }
};

} // namespace
