// One worker's arena. All writes to it are its own and in program order, so its
// instruction numbers are a time that everything can be placed on: -1 is before
// the step, when inputs are scattered, `end` after it, when outputs are
// gathered. What another worker reads is placed by what order guarantees: not
// before the writes that have completed when it starts, and over before the
// first instruction here that waits for it.
#include "runtime/plan/Subject.h"
#include "runtime/plan/Tiling.h"

#include <map>
#include <numeric>
#include <queue>

using namespace smex;
using namespace smex::plan;

namespace {

struct Write {
  int time;
  Box box;
};

/// When a buffer's bytes must not be touched.
struct Life {
  std::vector<Write> writes; // in order of time
  int start = 0;             // the first of them
  int localEnd = -2;         // last write, read, or gathering of this worker
  int remoteEnd = -2;        // up to here another worker may still be reading,
  Step reader{0, 0};         // namely in this instruction
  int64_t lo = 0, hi = 0;    // bytes of the arena
  bool source = false, parameter = false;
  bool stays = false; // a parameter that nothing in its place replaces

  int end() const { return std::max(localEnd, remoteEnd); }
  bool live() const { return !writes.empty() && lo < hi; }
};

class Memory {
public:
  Memory(const Subject &subject, int worker, const Order *order,
         const std::vector<Read> &reads, const std::vector<RemoteRead> &remote)
      : subject(subject), program(subject.program), findings(subject.findings),
        names(subject.names), worker(worker), order(order), reads(reads),
        remote(remote), lives(program.buffers.size()),
        end(int(program.instructions.size())) {}

  void run() {
    workspace();
    writes();
    for (const Read &read : reads)
      localRead(read);
    ownPieces();
    if (order && !remote.empty())
      remoteReads();
    outputs();
    if (!sweep())
      listConflicts();
  }

private:
  void workspace() {
    const Worker &own = subject.partitioned.workers[size_t(worker)];
    const int64_t lo = own.workspaceOffset, hi = lo + own.workspaceBytes;
    for (size_t b = 0; b < lives.size(); ++b) {
      lives[b].lo = own.buffers[b].offset;
      lives[b].hi =
          lives[b].lo + volume(own.buffers[b].box) *
                            smex::byteSize(subject.tensorOf(int(b)).type.dtype);
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
      life.stays = parameter && (next < 0 || lives[size_t(next)].lo != life.lo);
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
    if (life.writes.empty())
      life.start = time;
    life.writes.push_back({time, std::move(box)});
    life.localEnd = life.stays ? end : time;
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

  /// What of the region is not written before `time`.
  std::optional<Box> missingAt(int time, int buffer, const Box &region) const {
    const std::vector<Write> &writes = lives[size_t(buffer)].writes;
    std::vector<const Box *> boxes;
    for (const Write &write : writes) {
      if (write.time >= time)
        break;
      if (contains(write.box, region))
        return std::nullopt;
      boxes.push_back(&write.box);
    }
    return missingPart(region, boxes);
  }

  /// Why a region is not ready: written too late, or by nobody.
  std::string lateness(int buffer, const Box &missing, bool elsewhere) const {
    for (const Write &write : lives[size_t(buffer)].writes)
      if (!isEmpty(intersect(write.box, missing)))
        return (elsewhere ? ", and does not wait until " : ", before ") +
               names.instruction(worker, write.time) + " has written it";
    return ", which nothing writes";
  }

  void localRead(const Read &read) {
    Life &life = lives[size_t(read.buffer)];
    life.localEnd = std::max(life.localEnd, read.instruction);
    if (const auto missing =
            missingAt(read.instruction, read.buffer, read.region))
      findings.add(FindingKind::NotReady,
                   names.instruction(worker, read.instruction), " reads ",
                   toString(*missing), " of ", names.buffer(read.buffer),
                   lateness(read.buffer, *missing, false));
  }

  void ownPieces() {
    for (int i = 0; i < end; ++i)
      for (const Piece &piece : subject.share(worker, i).pieces)
        if (piece.worker == worker)
          localRead({i, program.instructions[size_t(i)].from, piece.box});
  }

  void remoteReads() {
    const std::vector<int> completed = order->completedBefore(worker);
    const std::vector<int> after = order->firstAfter(worker);
    for (const RemoteRead &read : remote) {
      const size_t id = order->id(read.reader.worker, read.reader.instruction);
      Life &life = lives[size_t(read.buffer)];
      if (after[id] - 1 > life.remoteEnd) {
        life.remoteEnd = after[id] - 1;
        life.reader = read.reader;
      }
      if (const auto missing =
              missingAt(completed[id], read.buffer, *read.region))
        findings.add(
            FindingKind::NotReady,
            names.instruction(read.reader.worker, read.reader.instruction),
            " reads ", toString(*missing), " of ", names.buffer(read.buffer),
            " on ", names.gpu(worker), lateness(read.buffer, *missing, true));
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

  void outlives(int buffer, const std::string &what) {
    lives[size_t(buffer)].localEnd = end;
    if (const auto missing =
            missingAt(end, buffer, subject.box(worker, buffer)))
      findings.add(FindingKind::NotReady, names.gpu(worker), ": ", what,
                   ": nothing writes ", toString(*missing), " of ",
                   names.buffer(buffer));
  }

  /// A map may put each element of its result where it read the operand's.
  bool isInPlace(int from, int to) const {
    const Life &a = lives[size_t(from)], &b = lives[size_t(to)];
    if (b.start < 0 || a.localEnd != b.start || a.remoteEnd >= b.start)
      return false;
    const Instruction &instruction = program.instructions[size_t(b.start)];
    if (instruction.op != Opcode::Compute || instruction.to != to ||
        program.kernels[size_t(instruction.kernel)].kind !=
            KernelKind::Generated)
      return false;
    if (a.lo != b.lo || a.hi != b.hi ||
        subject.box(worker, from) != subject.box(worker, to))
      return false;
    bool isOperand = false;
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      if (instruction.operands[k] != from)
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
      return lives[size_t(a)].start < lives[size_t(b)].start;
    });
    return order;
  }

  /// Whether no two lives share bytes: the live buffers in order of offset, as
  /// time passes.
  bool sweep() const {
    std::map<int64_t, int> active; // by first byte
    using Death = std::pair<int, int>;
    std::priority_queue<Death, std::vector<Death>, std::greater<>> deaths;
    for (int b : byStart()) {
      const Life &life = lives[size_t(b)];
      for (; !deaths.empty() && deaths.top().first < life.start; deaths.pop()) {
        const auto dead = active.find(lives[size_t(deaths.top().second)].lo);
        if (dead != active.end() && dead->second == deaths.top().second)
          active.erase(dead);
      }
      auto next = active.upper_bound(life.lo);
      if (next != active.begin() &&
          lives[size_t(std::prev(next)->second)].hi > life.lo)
        --next;
      while (next != active.end() && next->first < life.hi) {
        if (!isInPlace(next->second, b))
          return false;
        next = active.erase(next);
      }
      active[life.lo] = b;
      deaths.push({life.end(), b});
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
                                    return lives[size_t(a)].end() < life.start;
                                  }),
                   active.end());
      for (int a : active) {
        const Life &other = lives[size_t(a)];
        if (std::max(other.lo, life.lo) >= std::min(other.hi, life.hi) ||
            isInPlace(a, b))
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
      return names.buffer(buffer) + " (bytes " + std::to_string(life.lo) +
             " .. " + std::to_string(life.hi) + ")";
    };
    if (newer.start < 0)
      return findings.add(FindingKind::Overlap, names.gpu(worker), ": ",
                          place(b), " and ", place(a),
                          " hold inputs or parameters in the same memory");
    const std::string writes = names.instruction(worker, newer.start) +
                               " writes " + place(b) + " over " + place(a) +
                               ", which ";
    if (older.stays)
      return findings.add(FindingKind::Rewritten, writes,
                          "is a parameter and must outlive the step");
    if (older.localEnd >= newer.start)
      return findings.add(FindingKind::Overlap, writes, "is live until ",
                          older.localEnd >= end
                              ? "the end of the step"
                              : names.instruction(older.localEnd));
    findings.add(
        FindingKind::Reused, writes,
        names.instruction(older.reader.worker, older.reader.instruction),
        " may still read");
  }

  const Subject &subject;
  const Program &program;
  Findings &findings;
  const Names &names;
  const int worker;
  const Order *order;
  const std::vector<Read> &reads;
  const std::vector<RemoteRead> &remote;
  std::vector<Life> lives; // per buffer
  const int end;
};

} // namespace

void plan::checkMemory(const Subject &subject, int worker, const Order *order,
                       const std::vector<Read> &reads,
                       const std::vector<RemoteRead> &remote) {
  Memory(subject, worker, order, reads, remote).run();
}
