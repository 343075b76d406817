// Moves in a program, from a schedule.
#include "compiler/offload/Search.h"
#include "compiler/offload/ir/Passes.h"
#include "compiler/offload/ir/ProblemOf.h"

#include "mlir/IR/Builders.h"

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
        copies(of.buffers.size()), lastUse(of.buffers.size()) {}

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
        run(action.what);
        break;
      case Action::Kind::Drop: // nobody reads it from there any more
        if (isUnused(size_t(action.what)))
          startOnHost(size_t(action.what));
        break;
      }
    rename();
  }

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
  void run(int operation) {
    const auto instruction = size_t(operation);
    if (instruction == of.instructions.size()) {
      OpBuilder builder(program.getContext());
      builder.setInsertionPointAfter(of.instructions.back());
      for (size_t t : std::exchange(waiting, {}))
        load(builder, t, nullptr);
      return;
    }
    mlir::Operation *op = of.instructions[instruction];
    OpBuilder builder(op);
    for (size_t t : std::exchange(waiting, {}))
      load(builder, t, nodeOf(op));
    for (int t : of.problem.operations[size_t(operation)].reads)
      op->replaceUsesOfWith(valueOf(of.buffers[size_t(t)]),
                            valueOf(current[size_t(t)]));
    for (const std::vector<int> *list :
         {&of.problem.operations[size_t(operation)].reads,
          &of.problem.operations[size_t(operation)].writes})
      for (int t : *list)
        lastUse[size_t(t)] = op;
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

  void load(OpBuilder &builder, size_t t, StringAttr node) {
    current[t] = bufferLike(builder, of.buffers[t], exec::Space::Device);
    exec::FromHostOp::create(builder, current[t].getLoc(), copies[t],
                             current[t], node, nullptr, nullptr);
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
    if (each.empty() || exec::instructions(program).empty())
      return;
    exec::Regions regions(program);
    const ProgramProblem of = offload::problemOf(program, regions, each);
    offload::SearchOptions options;
    options.mostStates = mostStates;
    options.mostWays = mostWays;
    auto found = offload::search(of.problem, options);
    if (!found) {
      program.emitError(found.error().message);
      return signalPassFailure();
    }
    Moving(program, of).apply(found->schedule);
    if (found->traffic.total() > 0)
      program.setHostLowerBound(found->lowerBound);
  }
};

} // namespace
