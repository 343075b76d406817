// One worker's arena. All writes to it are its own, and each of its queues is
// in order, so instruction numbers are a time per queue that everything can be
// placed on: -1 is before the step, when inputs are scattered, `end` after it,
// when outputs are gathered. What the other queue or another worker does is
// placed by what order guarantees: not before the writes that have completed
// when it starts, and over before the first instruction of this queue that
// starts only then.
#include "runtime/plan/Epilogue.h"
#include "runtime/plan/Life.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Subject.h"
#include "runtime/plan/Tiling.h"

#include <map>

using namespace smex;
using namespace smex::plan;

namespace {

/// The host's bytes are counted from here on, where no device's are.
constexpr int64_t hostBegin = 4 * sizeLimit;

class Memory {
public:
  Memory(const Subject &subject, int worker, const Order &order,
         const std::vector<RemoteRead> &remote, Findings &findings)
      : subject(subject), program(subject.program), findings(findings),
        names(subject.names), worker(worker), order(order), remote(remote),
        lives(program.buffers.size()), used(queuesOf(program)),
        end(int(program.instructions.size())) {}

  void run() {
    for (const Queue queue : used) {
      completed[size_t(queue)] = order.completedBefore(worker, queue);
      after[size_t(queue)] = order.firstAfter(worker, queue);
    }
    workspace();
    writes();
    ownReads();
    for (const RemoteRead &each : remote)
      read(each.reader, each.buffer, each.region);
    outputs();
    if (!sweep())
      listConflicts();
  }

private:
  int storage(int buffer) const {
    return subject.partitioned.storage(worker, buffer);
  }

  void workspace() {
    const Worker &own = subject.partitioned.workers[size_t(worker)];
    const int64_t lo = own.workspaceOffset, hi = lo + own.workspaceBytes;
    for (size_t b = 0; b < lives.size(); ++b) {
      if (storage(int(b)) != int(b))
        continue; // the bytes of another one
      const bool isHost =
          subject.partitioned.space(worker, int(b)) == Space::Host;
      lives[b].lo =
          subject.partitioned.offset(worker, int(b)) + (isHost ? hostBegin : 0);
      lives[b].hi = lives[b].lo +
                    volume(subject.box(worker, int(b))) *
                        smex::byteSize(elementType(subject.program, int(b)));
      if (std::max(lo, lives[b].lo) < std::min(hi, lives[b].hi))
        findings.add(
            FindingKind::Overlap, names.gpu(worker), ": ", names.buffer(int(b)),
            " lies in the workspace of the libraries, bytes ", lo, " .. ", hi);
    }
  }

  void writes() {
    const auto source = [&](int buffer, bool parameter, int next) {
      Life &life = lives[size_t(buffer)];
      life.source = true;
      life.parameter = parameter;
      // A parameter's next value may be put where it is once it is not needed.
      life.stays =
          parameter && (next < 0 || lives[size_t(storage(next))].lo != life.lo);
      add(buffer, -1, subject.box(worker, buffer));
    };
    for (const Port &input : program.inputs)
      source(input.buffer, false, -1);
    for (const Parameter &parameter : program.parameters)
      source(parameter.buffer, true, parameter.next);
    for (int i = 0; i < end; ++i) {
      const int to = program.instructions[size_t(i)].to;
      const Life &life = lives[size_t(to)];
      auto box = subject.written(worker, i);
      if (!box)
        continue;
      if (life.source)
        findings.add(FindingKind::Rewritten, names.instruction(worker, i),
                     " writes ", names.buffer(to), ", which is ",
                     life.parameter ? "a parameter" : "an input");
      else
        add(to, i, std::move(*box));
    }
    for (size_t b = 0; b < lives.size(); ++b)
      if (lives[b].writes.size() > 1)
        onceEach(int(b));
  }

  void add(int buffer, int time, Box box) {
    if (isEmpty(box))
      return;
    Life &life = lives[size_t(buffer)];
    life.writes.push_back({time, std::move(box)});
    for (const Queue queue : used)
      if (time < 0 || queueAt(time) == queue) {
        Tenancy &own = life.on[size_t(queue)];
        own.start = std::min(own.start, time);
      }
    if (life.stays)
      use(life, end);
    else if (time < 0)
      use(life, time);
    else
      use(life, {worker, time}, true);
  }

  Queue queueAt(int instruction) const {
    return queueOf(program.instructions[size_t(instruction)].op);
  }

  /// Before the step or after it.
  static void use(Life &life, int time) {
    for (Tenancy &own : life.on)
      own.ownEnd = std::max(own.ownEnd, time);
  }

  void use(Life &life, WorkerInstruction step, bool writes) {
    for (const Queue queue : used) {
      Tenancy &own = life.on[size_t(queue)];
      if (step.worker == worker && queueAt(step.instruction) == queue) {
        own.ownEnd = std::max(own.ownEnd, step.instruction);
      } else {
        const int until = lastWith(queue, step);
        if (until > own.otherEnd) {
          own.otherEnd = until;
          own.other = step;
          own.writes = writes;
        }
      }
    }
  }

  /// Up to which instruction the queue may be while the other's is under way.
  int lastWith(Queue queue, WorkerInstruction step) const {
    return after[size_t(queue)][order.id(step.worker, step.instruction)] - 1;
  }
  /// Of the queue, what has completed when the other's starts.
  int completedWhen(Queue queue, WorkerInstruction step) const {
    return completed[size_t(queue)][order.id(step.worker, step.instruction)];
  }

  /// Several instructions may fill a buffer together, but no element twice: who
  /// reads it could see either value.
  void onceEach(int buffer) {
    std::vector<const Box *> boxes;
    const std::vector<Write> &writes = lives[size_t(buffer)].writes;
    for (const Write &write : writes)
      boxes.push_back(&write.box);
    if (const auto twice = findOverlap(boxes))
      findings.add(
          FindingKind::Rewritten,
          names.instruction(worker, writes[size_t(twice->second)].time),
          " writes elements of ", names.buffer(buffer), " that ",
          names.instruction(writes[size_t(twice->first)].time), " has written");
  }

  /// What of the region is not written when the step starts, or is not at all.
  std::optional<Box> missingAt(std::optional<WorkerInstruction> step,
                               int buffer, const Box &region) const {
    std::vector<const Box *> boxes;
    for (const Write &write : lives[size_t(buffer)].writes) {
      if (step && write.time >= 0 &&
          write.time >= completedWhen(queueAt(write.time), *step))
        continue;
      if (contains(write.box, region))
        return std::nullopt;
      boxes.push_back(&write.box);
    }
    return missingPart(region, boxes);
  }

  /// Why a region is not ready: written too late, or by nobody.
  std::string lateness(WorkerInstruction reader, int buffer,
                       const Box &missing) const {
    for (const Write &write : lives[size_t(buffer)].writes)
      if (!isEmpty(intersect(write.box, missing)))
        return (reader.worker == worker && write.time >= reader.instruction
                    ? ", before "
                    : ", and does not wait until ") +
               names.instruction(worker, write.time) + " has written it";
    return ", which nothing writes";
  }

  void read(WorkerInstruction reader, int of, const Box &region) {
    const int buffer = storage(of);
    use(lives[size_t(buffer)], reader, false);
    if (const auto missing = missingAt(reader, buffer, region))
      findings.add(FindingKind::NotReady,
                   names.instruction(reader.worker, reader.instruction),
                   " reads ", toString(*missing), " of ", names.buffer(buffer),
                   reader.worker == worker ? "" : " on " + names.gpu(worker),
                   lateness(reader, buffer, *missing));
  }

  void ownReads() {
    for (int i = 0; i < end; ++i) {
      if (!subject.written(worker, i))
        continue;
      const Instruction &instruction = program.instructions[size_t(i)];
      if (instruction.op != Opcode::Compute) {
        for (const Piece &piece : piecesOf(subject.partitioned, worker, i))
          if (piece.worker == worker)
            read({worker, i}, instruction.from, piece.box);
        continue;
      }
      readOperands(i, i);
      // Done with the product, the map reads its bias then.
      if (const int product = instruction.epilogueOf;
          product >= 0 && subject.written(worker, product))
        readOperands(product, i, productOperand(program, i));
    }
  }

  /// What instruction `reader` reads of the operands of instruction `of`.
  void readOperands(int reader, int of, int except = -1) {
    // What it reads beyond what is held is a finding of checkMeaning.
    const Instruction &instruction = program.instructions[size_t(of)];
    const std::vector<Box> regions = subject.regions(worker, of);
    for (size_t k = 0; k < regions.size(); ++k) {
      const int buffer = instruction.operands[k];
      const Box region = intersect(regions[k], subject.box(worker, buffer));
      if (int(k) != except && !isEmpty(region))
        read({worker, reader}, buffer, region);
    }
  }

  void outputs() {
    for (const Port &output : program.outputs)
      outlives(output.buffer, "output \"" + output.name + "\"");
    for (const Parameter &parameter : program.parameters)
      if (parameter.next >= 0)
        outlives(parameter.next,
                 "the next value of parameter \"" + parameter.name + "\"");
  }

  void outlives(int of, const std::string &what) {
    const int buffer = storage(of);
    use(lives[size_t(buffer)], end);
    if (const auto missing =
            missingAt(std::nullopt, buffer, subject.box(worker, buffer)))
      findings.add(FindingKind::NotReady, names.gpu(worker), ": ", what,
                   ": nothing writes ", toString(*missing), " of ",
                   names.buffer(buffer));
  }

  static bool writesElsewhere(const Life &life) {
    for (const Queue queue : queues)
      if (queue != Queue::Computing && life.on[size_t(queue)].isWritten())
        return true;
    return false;
  }

  /// A map may put each element of its result where it read the operand's.
  bool isInPlace(int from, int to) const {
    const Life &a = lives[size_t(from)], &b = lives[size_t(to)];
    const Tenancy &before = a.on[size_t(Queue::Computing)];
    const int start = b.start();
    if (start < 0 || writesElsewhere(b) || before.ownEnd != start ||
        before.otherEnd >= start)
      return false;
    const Instruction &instruction = program.instructions[size_t(start)];
    if (instruction.op != Opcode::Compute || instruction.to != to ||
        program.kernels[size_t(instruction.kernel)].kind !=
            KernelKind::Generated)
      return false;
    if (a.lo != b.lo || a.hi != b.hi ||
        subject.box(worker, from) != subject.box(worker, to))
      return false;
    bool isOperand = false;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      if (storage(instruction.operands[k]) != from)
        continue;
      isOperand = true;
      if (!subject.readsAtResult(instruction.kernel, int(k)))
        return false;
    }
    return isOperand;
  }

  std::vector<int> byStart() const {
    std::vector<int> order;
    for (size_t b = 0; b < lives.size(); ++b)
      if (lives[b].live())
        order.push_back(int(b));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return lives[size_t(a)].start() < lives[size_t(b)].start();
    });
    return order;
  }

  /// Whether no two lives share bytes. In the order of the list, each buffer
  /// takes its bytes over from who had them last: if that one is done with
  /// them, so are all before it.
  bool sweep() const {
    struct Run {
      int64_t hi;
      int buffer;
    };
    std::map<int64_t, Run> last; // by first byte; disjoint
    for (int b : byStart()) {
      const Life &life = lives[size_t(b)];
      auto at = last.upper_bound(life.lo);
      if (at != last.begin() && std::prev(at)->second.hi > life.lo)
        --at;
      while (at != last.end() && at->first < life.hi) {
        const auto [lo, run] = *at;
        if (!lives[size_t(run.buffer)].isOverBefore(life) &&
            !isInPlace(run.buffer, b))
          return false;
        at = last.erase(at);
        if (lo < life.lo)
          last[lo] = {life.lo, run.buffer};
        if (run.hi > life.hi)
          at = last.emplace(life.hi, run).first;
      }
      last[life.lo] = {life.hi, b};
    }
    return true;
  }

  /// Not clever, for there is something to find: all pairs that are live at
  /// once.
  void listConflicts() {
    constexpr int most = 10000; // per worker: then a plan is broken enough
    int found = 0;
    std::vector<int> active;
    for (int b : byStart()) {
      const Life &life = lives[size_t(b)];
      active.erase(std::remove_if(active.begin(), active.end(),
                                  [&](int a) {
                                    return lives[size_t(a)].end() <
                                           life.start();
                                  }),
                   active.end());
      for (int a : active) {
        const Life &other = lives[size_t(a)];
        if (std::max(other.lo, life.lo) >= std::min(other.hi, life.hi) ||
            other.isOverBefore(life) || isInPlace(a, b))
          continue;
        conflict(a, b);
        if (++found == most)
          return;
      }
      active.push_back(b);
    }
  }

  /// `b` is written while `a` is live.
  void conflict(int a, int b) {
    const Life &older = lives[size_t(a)], &newer = lives[size_t(b)];
    const auto place = [&](int buffer) {
      const Life &life = lives[size_t(buffer)];
      const bool isHost = life.lo >= hostBegin;
      const int64_t begin = isHost ? hostBegin : 0;
      return names.buffer(buffer) + " (bytes " +
             std::to_string(life.lo - begin) + " .. " +
             std::to_string(life.hi - begin) + (isHost ? " on the host)" : ")");
    };
    if (newer.start() < 0)
      return findings.add(FindingKind::Overlap, names.gpu(worker), ": ",
                          place(b), " and ", place(a),
                          " hold inputs or parameters in the same memory");
    const std::string writes = names.instruction(worker, newer.start()) +
                               " writes " + place(b) + " over " + place(a) +
                               ", which ";
    if (older.stays)
      return findings.add(FindingKind::Rewritten, writes,
                          "is a parameter and must outlive the step");
    if (older.localEnd() >= newer.start())
      return findings.add(FindingKind::Overlap, writes, "is live until ",
                          older.localEnd() >= end
                              ? "the end of the step"
                              : names.instruction(older.localEnd()));
    for (int q = 0; q < queueCount; ++q)
      if (const Tenancy &own = older.on[q];
          newer.on[q].isWritten() && own.end() >= newer.on[q].start)
        return findings.add(
            FindingKind::Reused, writes,
            names.instruction(own.other.worker, own.other.instruction),
            own.writes ? " may still write" : " may still read");
  }

  const Subject &subject;
  const Program &program;
  Findings &findings;
  const Names &names;
  const int worker;
  const Order &order;
  const std::vector<RemoteRead> &remote;
  std::vector<Life> lives; // per buffer
  const std::vector<Queue> used;
  // Per queue, of every instruction of every worker.
  std::array<std::vector<int>, queueCount> completed, after;
  const int end;
};

} // namespace

void plan::checkMemory(const Subject &subject, int worker, const Order &order,
                       const std::vector<RemoteRead> &remote,
                       Findings &findings) {
  Memory(subject, worker, order, remote, findings).run();
}
