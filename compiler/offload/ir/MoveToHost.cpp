// Moves in a program, and repeated computes: the schedule of each worker is
// searched for by itself.
#include "compiler/offload/BestSearch.h"
#include "compiler/offload/Policies.h"
#include "compiler/offload/ir/Moving.h"
#include "compiler/offload/ir/Passes.h"

#include "llvm/Support/Parallel.h"

#include <cmath>

namespace smex::offload {
#define GEN_PASS_DEF_MOVETOHOST
#include "compiler/offload/ir/Passes.h.inc"
} // namespace smex::offload

using namespace mlir;
using namespace smex;
using offload::ProgramProblem;

namespace {

struct MoveToHost : offload::impl::MoveToHostBase<MoveToHost> {
  using Base::Base;

  void runOnOperation() override {
    exec::ProgramOp program = getOperation();
    const auto workers = size_t(program.getWorkers());
    std::vector<int64_t> each(capacities.begin(), capacities.end());
    if (each.size() == 1)
      each.assign(workers, each.front());
    if (llvm::any_of(each, [](int64_t bytes) { return bytes < 0; })) {
      program.emitError("a capacity is negative");
      return signalPassFailure();
    }
    if (!each.empty() && each.size() != workers) {
      program.emitError() << each.size() << " capacities for " << workers
                          << " workers";
      return signalPassFailure();
    }
    if (mostStates < 1 || mostWays < 1) {
      program.emitError("a search of at least one state and one way");
      return signalPassFailure();
    }
    if (mostSchedules < 1) {
      program.emitError("at least one schedule");
      return signalPassFailure();
    }
    if (choices != "both" && choices != "moves" && choices != "recompute") {
      program.emitError() << "choices are both, moves or recompute, not \""
                          << choices << "\"";
      return signalPassFailure();
    }
    if (Status read = readMachine(); !read) {
      program.emitError(read.error().message);
      return signalPassFailure();
    }
    if (each.empty() || exec::instructions(program).empty())
      return;
    exec::Regions regions(program);
    const auto problemOf = [&](int most) {
      return offload::problemOf(program, regions, each,
                                {choices != "recompute", choices != "moves"},
                                *machine, size_t(most));
    };
    const ProgramProblem of = problemOf(mostSchedules);
    std::vector<offload::Problem> problems = of.problems;
    // Searches are not always exact: what is good for all together may be
    // better for one, too.
    if (problems.size() > 1)
      problems.push_back(problemOf(1).problems.front());
    std::vector<std::optional<Result<offload::Found>>> all(problems.size());
    llvm::parallelFor(0, all.size(), [&](size_t k) {
      all[k].emplace(schedule(std::move(problems[k])));
    });
    std::vector<offload::Found> found;
    for (size_t k = 0; k < all.size(); ++k) {
      Result<offload::Found> &own = *all[k];
      if (own)
        found.push_back(std::move(*own));
      else if (k < of.problems.size()) {
        program.emitError(own.error().message);
        return signalPassFailure();
      }
    }
    int64_t total = 0, again = 0, bound = 0;
    std::vector<offload::Schedule> schedules;
    for (size_t k = 0; k < of.problems.size(); ++k) {
      auto [schedule, traffic] = offload::rather(of.problems[k], found, k);
      total += traffic.total();
      again += traffic.again;
      bound += found[k].lowerBound;
      schedules.push_back(std::move(schedule));
    }
    const double seconds =
        offload::moveAsScheduled(program, regions, of, schedules);
    if (schedules.size() > 1)
      program->setDiscardableAttr(offload::unlikeSchedulesAttr,
                                  UnitAttr::get(&getContext()));
    if (total > 0)
      program.setHostLowerBound(bound);
    if (again > 0)
      program.setRecomputing(
          ArrayRef<int64_t>({again, int64_t(std::llround(seconds * 1e9))}));
  }

  std::shared_ptr<const machines::Machine> machine;

private:
  Status readMachine() {
    if (machine)
      return {};
    auto found = machines::findMachine(machineName);
    if (!found)
      return found.takeError();
    machine = std::make_shared<const machines::Machine>(std::move(*found));
    return {};
  }

  /// Where nothing moves, what is computed again may have no room in what is
  /// enough for each operation alone: then in little more.
  Result<offload::Found> schedule(offload::Problem problem) const {
    offload::SearchOptions options;
    options.mostStates = mostStates;
    options.mostWays = mostWays;
    // All choices of so few operations are tried.
    options.ahead = problem.operations.size() <= 16;
    auto found = offload::searchLimits(problem, options);
    if (found || problem.moves)
      return found;
    // Each half as far from what is too little as the one before.
    std::vector<int64_t> tooLittle = problem.capacities,
                         enough = offload::peakWithoutChoices(problem);
    constexpr int halvings = 6;
    for (int h = 0; h < halvings; ++h) {
      for (size_t m = 0; m < enough.size(); ++m)
        problem.capacities[m] =
            h == 0 ? enough[m] : tooLittle[m] + (enough[m] - tooLittle[m]) / 2;
      auto next = offload::searchLimits(problem, options);
      if (!next && h == 0)
        return next;
      (next ? enough : tooLittle) = problem.capacities;
      if (next)
        found = std::move(next);
    }
    return found;
  }
};

} // namespace

std::unique_ptr<Pass> smex::offload::createMoveToHostOn(
    std::shared_ptr<const machines::Machine> machine,
    MoveToHostOptions options) {
  auto pass = std::make_unique<MoveToHost>(std::move(options));
  pass->machine = std::move(machine);
  return pass;
}
