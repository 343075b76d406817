// Puts the list of instructions into an order that hides transfers behind
// computing; see Overlap.h.
#include "compiler/memory/Arena.h"
#include "compiler/memory/OverlapProblem.h"
#include "compiler/memory/Passes.h"
#include "compiler/memory/Planner.h"

#include "mlir/IR/Builders.h"

namespace smex::memory {
#define GEN_PASS_DEF_OVERLAPTRANSFERS
#include "compiler/memory/Passes.h.inc"
} // namespace smex::memory

using namespace mlir;
using namespace smex;

namespace {

class Overlapping {
public:
  /// `capacities`: bytes of each worker, or none.
  Overlapping(exec::ProgramOp program, const memory::Rates &rates,
              ArrayRef<int64_t> capacities)
      : program(program), capacities(capacities.vec()),
        list(exec::instructions(program)), regions(program),
        problem(memory::overlapProblemOf(program, regions, rates, capacities)) {
  }

  /// Packed, the same bytes alive can take more; so less is moved until no
  /// arena is larger than the largest of the list as it was, or only as much as
  /// packing leaves to chance, nor larger than its worker has room for. Where
  /// each worker does something else, what one of them had room for can be too
  /// much for another: then each has its own.
  void overlap(int lookAhead) {
    if (llvm::all_of(problem.tasks, [](const memory::Task &task) {
          return task.queue == Queue::Computing;
        }))
      return;
    const memory::Arena before = memory::planArena(
        program, regions, -1, /*onGpus=*/false, /*packingSteps=*/0);
    const auto isKept = [&](bool areAlike, double share) {
      apply(memory::overlap(problem.tasks, problem.storage, lookAhead, share,
                            areAlike ? problem.room : memory::Room()));
      const memory::Arena after = memory::planArena(
          program, regions, -1, /*onGpus=*/false, /*packingSteps=*/0);
      return isNoLarger(before.bytes, after.bytes, capacities) &&
             isNoLarger(before.hostBytes, after.hostBytes, {});
    };
    if (lookAhead > 0)
      for (const bool areAlike : {true, false})
        for (const double share : {1.0, 0.98, 0.95, 0.9})
          if (isKept(areAlike, share))
            return;
    apply(memory::overlap(problem.tasks, problem.storage, /*lookAhead=*/0));
  }

private:
  /// GPUs are alike: what one needs, all of them have, up to the capacities.
  static bool isNoLarger(ArrayRef<int64_t> before, ArrayRef<int64_t> after,
                         ArrayRef<int64_t> capacities) {
    if (after.empty())
      return true;
    const int64_t most = *llvm::max_element(before);
    for (size_t w = 0; w < after.size(); ++w) {
      const int64_t room =
          capacities.empty()
              ? most
              : std::max(before[w], std::min(most, capacities[w]));
      if (!memory::isNearEnough(after[w], room))
        return false;
    }
    return true;
  }

  void apply(const memory::Overlapped &found) {
    Block *block = &program.getBody().front();
    std::vector<Operation *> rest; // what refers to results
    for (Operation &op : *block)
      if (isa<exec::OutputOp, exec::UpdateOp>(op))
        rest.push_back(&op);
    const auto last = [&](Operation *op) {
      op->moveBefore(block, block->end());
    };
    Builder builder(program.getContext());
    llvm::DenseSet<Operation *> seen; // buffers that have their place
    for (size_t at = 0; at < list.size(); ++at) {
      Operation *op = list[size_t(found.order[at])];
      exec::BufferOp to = exec::written(op);
      if (seen.insert(to).second)
        last(to);
      last(op);
      op->removeAttr("beside");
      if (found.beside[at] > 0)
        op->setAttr("beside", builder.getI64IntegerAttr(found.beside[at]));
    }
    for (Operation *op : rest)
      last(op);
  }

  exec::ProgramOp program;
  std::vector<int64_t> capacities;
  std::vector<Operation *> list;
  exec::Regions regions;
  const memory::OverlapProblem problem;
};

struct OverlapTransfers : memory::impl::OverlapTransfersBase<OverlapTransfers> {
  using Base::Base;

  void runOnOperation() override {
    if (!(memoryRate > 0) || !(flopsRate > 0) || !(launch >= 0) ||
        hostCost < 0 ||
        llvm::any_of(linkCosts, [](int64_t cost) { return cost < 1; })) {
      getOperation().emitError("rates of a machine must be positive");
      return signalPassFailure();
    }
    if (lookAhead < 0) {
      getOperation().emitError(
          "look-ahead: a number of instructions, 0 or more");
      return signalPassFailure();
    }
    if (linkGroups.size() != linkCosts.size()) {
      getOperation().emitError("a cost for each level of links");
      return signalPassFailure();
    }
    if (!capacities.empty() &&
        capacities.size() != size_t(getOperation().getWorkers())) {
      getOperation().emitError() << capacities.size() << " capacities for "
                                 << getOperation().getWorkers() << " workers";
      return signalPassFailure();
    }
    const memory::Rates rates = {memoryRate, flopsRate, launch, costsOfSteps(),
                                 hostCost};
    Overlapping(getOperation(), rates,
                std::vector<int64_t>(capacities.begin(), capacities.end()))
        .overlap(lookAhead);
  }

private:
  /// What a step parts is in the smallest group that holds what it divides.
  std::vector<int64_t> costsOfSteps() {
    std::vector<int64_t> costs;
    if (linkGroups.empty())
      return costs;
    const ArrayRef<int64_t> ways = getOperation().getWays();
    int64_t group = getOperation().getWorkers();
    for (int64_t k : ways) {
      size_t level = 0;
      while (level + 1 < linkGroups.size() && linkGroups[level] < group)
        ++level;
      costs.push_back(linkCosts[level]);
      group /= k;
    }
    return costs;
  }
};

} // namespace
