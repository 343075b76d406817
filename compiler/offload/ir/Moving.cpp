#include "compiler/offload/ir/Moving.h"

#include "compiler/offload/Merge.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace smex;
using offload::Action;
using offload::Joint;
using offload::ProgramProblem;
using offload::Schedule;

namespace {

class Moving {
public:
  Moving(exec::ProgramOp program, exec::Regions &regions,
         const ProgramProblem &of)
      : program(program), regions(regions), of(of), all(of.problems.size()),
        current(of.buffers), firstRun(of.buffers.size()),
        stored(of.buffers.size()), areHosts(of.buffers.size()),
        end(of.instructions.back()) {
    for (size_t k = 0; k < all; ++k)
      everyone.push_back(k);
    copies.assign(all, std::vector<exec::BufferOp>(of.buffers.size()));
    lastUse.assign(all, std::vector<mlir::Operation *>(of.buffers.size()));
  }

  void apply(const std::vector<Schedule> &schedules) {
    for (const Joint &joint : offload::merge(schedules)) {
      const auto what = size_t(joint.action.what);
      switch (joint.action.kind) {
      case Action::Kind::Store:
        for (size_t problem : joint.problems)
          store(what, problem);
        break;
      case Action::Kind::Load:
        load(what, joint);
        break;
      case Action::Kind::Run:
        if (what < next)
          runAgain(what, joint.problems);
        else
          run(what);
        break;
      case Action::Kind::Drop: // nobody reads it from there any more
        for (size_t problem : joint.problems)
          if (isUnused(what, problem))
            startOnHost(what, problem);
        break;
      }
    }
    placeOnHosts();
    rename();
  }

  double repeatedSeconds() const { return seconds; }

private:
  using Problems = std::vector<size_t>; // numbers of some of them

  /// Of the same tensor and regions; a new one.
  exec::BufferOp bufferLike(OpBuilder &builder, exec::BufferOp like,
                            exec::Space space) {
    auto made = cast<exec::BufferOp>(builder.clone(*like));
    made.setRole(exec::Role::Temporary);
    for (StringRef name :
         {"drawn", "range", "part_ranges", "recipe", "kept_on"})
      made->removeAttr(name);
    made.getKeptAsMutable().clear();
    made.setSpace(space);
    return made;
  }

  /// Workers of the other problems, as far as they have something of it.
  SmallVector<int64_t> without(const Problems &problems,
                               exec::BufferOp buffer) {
    SmallVector<int64_t> workers;
    const std::vector<Box> &boxes = regions.of(buffer);
    for (size_t w = 0; w < boxes.size(); ++w)
      if (!isEmpty(boxes[w]) && !llvm::is_contained(problems, of.problemOf[w]))
        workers.push_back(int64_t(w));
    return workers;
  }

  /// The others have what was there before.
  void keep(exec::BufferOp made, exec::BufferOp before,
            const Problems &problems) {
    const SmallVector<int64_t> others = without(problems, made);
    if (others.empty()) {
      made.removeKeptOnAttr();
      made.getKeptAsMutable().clear();
      return;
    }
    made.setKeptOn(others);
    made.getKeptAsMutable().assign(valueOf(before));
  }

  /// It starts at either place, and leaves before anything reads it. Outputs
  /// are read in the end, on the device.
  bool isUnused(size_t t, size_t problem) const {
    return of.problems[problem].tensors[t].start == offload::Start::Either &&
           !lastUse[problem][t] && !copies[problem][t] &&
           llvm::none_of(
               exec::BufferOp(of.buffers[t])->getUsers(),
               [](mlir::Operation *user) { return isa<exec::OutputOp>(user); });
  }

  void startOnHost(size_t t, size_t problem) {
    copies[problem][t] = of.buffers[t];
    areHosts[t].push_back(problem);
  }

  /// Inputs and parameters: of others, on the device.
  void placeOnHosts() {
    for (size_t t = 0; t < areHosts.size(); ++t) {
      if (areHosts[t].empty())
        continue;
      exec::BufferOp buffer = of.buffers[t];
      buffer.setSpace(exec::Space::Host);
      if (const auto others = without(areHosts[t], buffer); !others.empty())
        buffer.setKeptOn(others);
    }
  }

  /// As soon as it can be: behind its last use. All that do what uses it there
  /// have it there, and one copy. A next value has one copy alone, which is
  /// what the parameter's name stands for in the end.
  void store(size_t t, size_t problem) {
    const bool isNext = of.problems[problem].tensors[t].nextOf >= 0;
    for (Copy &copy : stored[t])
      if (isNext || llvm::is_contained(copy.users, problem)) {
        copy.problems.push_back(problem);
        copies[problem][t] = copy.buffer;
        return keep(copy.buffer, copy.of, copy.problems);
      }
    mlir::Operation *use =
        isNext && all > 1 ? firstRun[t] : lastUse[problem][t];
    OpBuilder builder(program.getContext());
    builder.setInsertionPointAfter(use);
    exec::BufferOp from = read(t, use);
    Copy copy = {bufferLike(builder, from, exec::Space::Host),
                 from,
                 usersOf(use),
                 {problem}};
    keep(copy.buffer, from, copy.problems);
    copies[problem][t] = copy.buffer;
    exec::ToHostOp::create(builder, from.getLoc(), from, copy.buffer,
                           nodeOf(use), nullptr, nullptr);
    stored[t].push_back(std::move(copy));
  }

  /// The buffer of the tensor that an instruction reads or writes.
  exec::BufferOp read(size_t t, mlir::Operation *use) const {
    std::vector<exec::BufferOp> used = exec::read(use);
    used.push_back(exec::written(use));
    for (exec::BufferOp each : used)
      if (versions.lookup(each) == t + 1)
        return each;
    return of.buffers[t];
  }

  /// The last operation stands for what is needed in the end.
  void run(size_t operation) {
    mlir::Operation *op = operation < of.instructions.size()
                              ? of.instructions[operation]
                              : nullptr;
    ++next;
    if (!op)
      return;
    for (int t : of.problems.front().operations[operation].reads)
      op->replaceUsesOfWith(valueOf(of.buffers[size_t(t)]),
                            valueOf(current[size_t(t)]));
    isUsedBy(operation, op, everyone);
  }

  /// Into a buffer of its own, before the next one of the list.
  void runAgain(size_t instruction, const Problems &problems) {
    const offload::Operation &what =
        of.problems.front().operations[instruction];
    const auto result = size_t(what.writes.front());
    OpBuilder builder = atNext();
    newVersion(builder, result, problems);
    auto made =
        cast<exec::ComputeOp>(builder.clone(*of.instructions[instruction]));
    for (size_t k = 0; k < what.reads.size(); ++k)
      made.getInputsMutable()[unsigned(k)].assign(
          valueOf(current[size_t(what.reads[k])]));
    made.getToMutable().assign(valueOf(current[result]));
    isInserted(made);
    isUsedBy(instruction, made, problems);
    double longest = 0;
    for (size_t w = 0; w < of.problemOf.size(); ++w)
      if (llvm::is_contained(problems, of.problemOf[w]))
        longest = std::max(longest, of.seconds[instruction][w]);
    seconds += longest;
  }

  void isUsedBy(size_t instruction, mlir::Operation *op,
                const Problems &problems) {
    const offload::Operation &what =
        of.problems.front().operations[instruction];
    for (const std::vector<int> *list : {&what.reads, &what.writes})
      for (int t : *list) {
        for (size_t problem : problems)
          lastUse[problem][size_t(t)] = op;
        if (problems.size() == all)
          firstRun[size_t(t)] = op;
      }
    if (problems.size() < all)
      users[op] = problems;
  }

  /// Who does an instruction.
  const Problems &usersOf(mlir::Operation *op) const {
    const auto some = users.find(op);
    return some == users.end() ? everyone : some->second;
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
      const int parameter = of.problems.front().tensors[t].nextOf;
      const bool isOnHost =
          parameter >= 0 && exec::isOnHost(of.buffers[size_t(parameter)]);
      for (mlir::Operation *user :
           llvm::make_early_inc_range(before->getUsers())) {
        if (isa<exec::OutputOp>(user))
          user->replaceUsesOfWith(valueOf(before), valueOf(current[t]));
        if (auto update = dyn_cast<exec::UpdateOp>(user);
            update && update.getValue() == valueOf(before))
          update.getValueMutable().assign(
              valueOf(isOnHost ? stored[t].front().buffer : current[t]));
      }
    }
  }

  /// What comes back for an instruction, or, null, for the end: from where each
  /// has its copy.
  void load(size_t t, const Joint &joint) {
    const auto reader = size_t(joint.reader);
    mlir::Operation *op =
        reader < of.instructions.size() ? of.instructions[reader] : nullptr;
    Problems left = joint.problems;
    while (!left.empty()) {
      exec::BufferOp copy = copies[left.front()][t];
      Problems some, others;
      for (size_t problem : left)
        (copies[problem][t] == copy ? some : others).push_back(problem);
      OpBuilder builder = atNext();
      newVersion(builder, t, some);
      isInserted(exec::FromHostOp::create(builder, current[t].getLoc(), copy,
                                          current[t], nodeOf(op), nullptr,
                                          nullptr));
      left = std::move(others);
    }
  }

  void newVersion(OpBuilder &builder, size_t t, const Problems &problems) {
    exec::BufferOp made =
        bufferLike(builder, of.buffers[t], exec::Space::Device);
    keep(made, current[t], problems);
    versions[made] = t + 1;
    current[t] = made;
  }

  static Value valueOf(exec::BufferOp buffer) { return buffer.getResult(); }

  static StringAttr nodeOf(mlir::Operation *op) {
    return op ? op->getAttrOfType<StringAttr>("node") : StringAttr();
  }

  /// On the host, of the buffer that those of these problems had who did the
  /// instruction behind which it was stored.
  struct Copy {
    exec::BufferOp buffer, of;
    Problems users, problems;
  };

  exec::ProgramOp program;
  exec::Regions &regions;
  const ProgramProblem &of;
  const size_t all; // problems
  Problems everyone;
  std::vector<exec::BufferOp> current; // on the device, by tensor
  /// By buffer that comes back or is computed again: its tensor, and 1.
  llvm::DenseMap<mlir::Operation *, size_t> versions;
  // By problem and tensor.
  std::vector<std::vector<exec::BufferOp>> copies; // on the host
  std::vector<std::vector<mlir::Operation *>> lastUse;
  std::vector<mlir::Operation *> firstRun; // by tensor: the last use of all
  std::vector<std::vector<Copy>> stored;   // by tensor
  std::vector<Problems> areHosts; // by tensor: it starts on the host there
  llvm::DenseMap<mlir::Operation *, Problems> users; // unless all are
  size_t next = 0;      // operation that has not run yet
  mlir::Operation *end; // behind which comes what is needed in the end
  double seconds = 0;
};

} // namespace

double smex::offload::moveAsScheduled(exec::ProgramOp program,
                                      exec::Regions &regions,
                                      const ProgramProblem &of,
                                      const std::vector<Schedule> &schedules) {
  Moving moving(program, regions, of);
  moving.apply(schedules);
  return moving.repeatedSeconds();
}
