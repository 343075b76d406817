// Moves in a program, and repeated computes, from a schedule.
#include "compiler/offload/Policies.h"
#include "compiler/offload/Search.h"
#include "compiler/offload/ir/Passes.h"
#include "compiler/offload/ir/ProblemOf.h"

#include "mlir/IR/Builders.h"

#include <cmath>

namespace smex::offload {
#define GEN_PASS_DEF_MOVETOHOST
#include "compiler/offload/ir/Passes.h.inc"
} // namespace smex::offload

using namespace mlir;
using namespace smex;
using offload::Action;
using offload::ProgramProblem;

namespace {

class Moving {
public:
  Moving(exec::ProgramOp program, const ProgramProblem &of)
      : program(program), of(of), current(of.buffers),
        copies(of.buffers.size()), lastUse(of.buffers.size()),
        end(of.instructions.back()) {}

  void apply(const offload::Schedule &schedule) {
    for (const Action &action : schedule)
      switch (action.kind) {
      case Action::Kind::Store:
        store(size_t(action.what));
        break;
      case Action::Kind::Load:
        waiting.push_back(size_t(action.what));
        break;
      case Action::Kind::Run:
        if (size_t(action.what) < next)
          runAgain(size_t(action.what));
        else
          run(size_t(action.what));
        break;
      case Action::Kind::Drop: // nobody reads it from there any more
        if (isUnused(size_t(action.what)))
          startOnHost(size_t(action.what));
        break;
      }
    rename();
  }

  /// What all that runs again takes, each on the worker that takes longest.
  double repeatedSeconds() const { return seconds; }

private:
  /// Of the same tensor and regions; a new one.
  exec::BufferOp bufferLike(OpBuilder &builder, exec::BufferOp like,
                            exec::Space space) {
    auto made = cast<exec::BufferOp>(builder.clone(*like));
    made.setRole(exec::Role::Temporary);
    for (StringRef name : {"drawn", "range", "part_ranges", "recipe"})
      made->removeAttr(name);
    made.setSpace(space);
    return made;
  }

  /// It starts at either place, and leaves before anything reads it. Outputs
  /// are read in the end, on the device.
  bool isUnused(size_t t) const {
    return of.problem.tensors[t].start == offload::Start::Either &&
           !lastUse[t] && !copies[t] &&
           llvm::none_of(
               exec::BufferOp(of.buffers[t])->getUsers(),
               [](mlir::Operation *user) { return isa<exec::OutputOp>(user); });
  }

  void startOnHost(size_t t) {
    exec::BufferOp(of.buffers[t]).setSpace(exec::Space::Host);
    copies[t] = of.buffers[t];
  }

  /// As soon as it can be: behind its last use.
  void store(size_t t) {
    OpBuilder builder(program.getContext());
    builder.setInsertionPointAfter(lastUse[t]);
    copies[t] = bufferLike(builder, current[t], exec::Space::Host);
    exec::ToHostOp::create(builder, current[t].getLoc(), current[t], copies[t],
                           nodeOf(lastUse[t]), nullptr, nullptr);
  }

  /// The last operation stands for what is needed in the end.
  void run(size_t operation) {
    mlir::Operation *op = operation < of.instructions.size()
                              ? of.instructions[operation]
                              : nullptr;
    load(op);
    ++next;
    if (!op)
      return;
    for (int t : of.problem.operations[operation].reads)
      op->replaceUsesOfWith(valueOf(of.buffers[size_t(t)]),
                            valueOf(current[size_t(t)]));
    isUsedBy(operation, op);
  }

  /// Into a buffer of its own, before the next one of the list.
  void runAgain(size_t instruction) {
    load(of.instructions[instruction]);
    const offload::Operation &what = of.problem.operations[instruction];
    const auto result = size_t(what.writes.front());
    OpBuilder builder = atNext();
    current[result] =
        bufferLike(builder, of.buffers[result], exec::Space::Device);
    auto made =
        cast<exec::ComputeOp>(builder.clone(*of.instructions[instruction]));
    for (size_t k = 0; k < what.reads.size(); ++k)
      made.getInputsMutable()[unsigned(k)].assign(
          valueOf(current[size_t(what.reads[k])]));
    made.getToMutable().assign(valueOf(current[result]));
    isInserted(made);
    isUsedBy(instruction, made);
    seconds += of.seconds[instruction];
  }

  void isUsedBy(size_t instruction, mlir::Operation *op) {
    const offload::Operation &what = of.problem.operations[instruction];
    for (const std::vector<int> *list : {&what.reads, &what.writes})
      for (int t : *list)
        lastUse[size_t(t)] = op;
  }

  /// Before the next instruction of the list, behind all that is there already.
  OpBuilder atNext() {
    OpBuilder builder(program.getContext());
    if (next < of.instructions.size())
      builder.setInsertionPoint(of.instructions[next]);
    else
      builder.setInsertionPointAfter(end);
    return builder;
  }

  void isInserted(mlir::Operation *op) {
    if (next >= of.instructions.size())
      end = op;
  }

  /// What is named from outside: by outputs, and by updates.
  void rename() {
    for (size_t t = 0; t < current.size(); ++t) {
      exec::BufferOp before = of.buffers[t];
      const int next = of.problem.tensors[t].nextOf;
      const bool isOnHost =
          next >= 0 && exec::isOnHost(of.buffers[size_t(next)]);
      for (mlir::Operation *user :
           llvm::make_early_inc_range(before->getUsers())) {
        if (isa<exec::OutputOp>(user))
          user->replaceUsesOfWith(valueOf(before), valueOf(current[t]));
        if (auto update = dyn_cast<exec::UpdateOp>(user);
            update && update.getValue() == valueOf(before))
          update.getValueMutable().assign(
              valueOf(isOnHost ? copies[t] : current[t]));
      }
    }
  }

  /// What comes back for an instruction, or, null, for the end.
  void load(mlir::Operation *reader) {
    for (size_t t : std::exchange(waiting, {})) {
      OpBuilder builder = atNext();
      current[t] = bufferLike(builder, of.buffers[t], exec::Space::Device);
      isInserted(exec::FromHostOp::create(builder, current[t].getLoc(),
                                          copies[t], current[t], nodeOf(reader),
                                          nullptr, nullptr));
    }
  }

  static Value valueOf(exec::BufferOp buffer) { return buffer.getResult(); }

  static StringAttr nodeOf(mlir::Operation *op) {
    return op ? op->getAttrOfType<StringAttr>("node") : StringAttr();
  }

  exec::ProgramOp program;
  const ProgramProblem &of;
  std::vector<exec::BufferOp> current, copies; // on the device, on the host
  std::vector<mlir::Operation *> lastUse;
  std::vector<size_t> waiting; // tensors that come back for the next operation
  size_t next = 0;             // operation that has not run yet
  mlir::Operation *end;        // behind which comes what is needed in the end
  double seconds = 0;
};

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
    const ProgramProblem of = offload::problemOf(
        program, regions, each, {choices != "recompute", choices != "moves"},
        *machine);
    auto found = schedule(of.problem);
    if (!found) {
      program.emitError(found.error().message);
      return signalPassFailure();
    }
    Moving moving(program, of);
    moving.apply(found->schedule);
    if (found->traffic.total() > 0)
      program.setHostLowerBound(found->lowerBound);
    if (found->traffic.again > 0)
      program.setRecomputing(ArrayRef<int64_t>(
          {found->traffic.again,
           int64_t(std::llround(moving.repeatedSeconds() * 1e9))}));
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
