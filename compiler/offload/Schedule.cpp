#include "compiler/offload/Schedule.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

namespace {

class Replay {
public:
  explicit Replay(const Problem &problem)
      : problem(problem), onDevice(problem.tensors.size()), onHost(onDevice),
        isHome(onDevice), isRead(onDevice), isPast(onDevice),
        hasRun(problem.operations.size()), readers(problem.tensors.size()),
        again(costsAgain(problem)), used(size_t(problem.memories())) {
    traffic.peak.resize(used.size());
    for (const Operation &op : problem.operations) {
      for (int t : op.reads)
        ++readers[size_t(t)];
    }
    for (size_t t = 0; t < problem.tensors.size(); ++t) {
      onHost[t] = problem.tensors[t].start == Start::Host;
      isHome[t] = problem.tensors[t].start == Start::Either;
      if (problem.tensors[t].start == Start::Device || isHome[t])
        place(int(t));
    }
  }

  /// `taken`: a tensor that is dropped behind it at once; -1: none.
  Status take(const Action &action, int taken = -1) {
    if (action.kind == Action::Kind::Run)
      return run(action.what, taken);
    if (action.what < 0 || action.what >= int(problem.tensors.size()))
      return fail("there is no tensor ", action.what);
    const auto t = size_t(action.what);
    const Tensor &tensor = problem.tensors[t];
    switch (action.kind) {
    case Action::Kind::Load:
      if (!onHost[t] || onDevice[t] || !problem.mayMove(action.what))
        return fail("\"", tensor.name, "\" is not to be loaded");
      traffic.loaded += tensor.moved;
      place(action.what);
      return fits(tensor.name, used);
    case Action::Kind::Store:
      if (!onDevice[t] || onHost[t] || isHome[t] || !problem.moves)
        return fail("\"", tensor.name, "\" is not to be stored");
      traffic.stored += tensor.moved;
      onHost[t] = true;
      return {};
    default:
      if (!onDevice[t])
        return fail("\"", tensor.name, "\" is dropped, but not there");
      if ((!tensor.isMovable && again[t] < 0 && readers[t] > 0) ||
          (isHome[t] && (isRead[t] || !problem.moves) &&
           (readers[t] > 0 || tensor.keepsPlace)) ||
          (tensor.nextOf >= 0 && isHome[size_t(tensor.nextOf)]))
        return fail("\"", tensor.name, "\" may not leave the device");
      if (isHome[t] && !isRead[t]) { // it begins on the host, then
        isHome[t] = false;
        onHost[t] = true;
      }
      leave(action.what);
      return {};
    }
  }

  Result<Traffic> finish() {
    for (size_t o = 0; o < hasRun.size(); ++o)
      if (!hasRun[o])
        return fail("operation \"", problem.operations[o].name,
                    "\" does not run");
    for (size_t t = 0; t < onHost.size(); ++t)
      if (problem.tensors[t].toHost && !onHost[t])
        return fail("\"", problem.tensors[t].name,
                    "\" is not on the host at the end");
    for (size_t t = 0; t < onHost.size(); ++t)
      if (const int of = problem.tensors[t].nextOf; of >= 0)
        if (!(isHome[size_t(of)] ? onDevice : onHost)[t])
          return fail("\"", problem.tensors[t].name,
                      "\" is not where its value was before");
    return traffic;
  }

private:
  void place(int tensor) {
    onDevice[size_t(tensor)] = true;
    for (size_t m = 0; m < used.size(); ++m)
      used[m] += problem.tensors[size_t(tensor)].bytes[m];
  }

  void leave(int tensor) {
    onDevice[size_t(tensor)] = false;
    for (size_t m = 0; m < used.size(); ++m)
      used[m] -= problem.tensors[size_t(tensor)].bytes[m];
  }

  Status fits(const std::string &name, const std::vector<int64_t> &bytes) {
    for (size_t m = 0; m < bytes.size(); ++m) {
      if (bytes[m] > problem.capacities[m])
        return fail("at \"", name, "\", ", bytes[m], " bytes are there of ",
                    problem.capacities[m]);
      traffic.peak[m] = std::max(traffic.peak[m], bytes[m]);
    }
    return {};
  }

  Status run(int index, int taken) {
    if (index < 0 || index >= int(hasRun.size()))
      return fail("there is no operation ", index);
    const Operation &op = problem.operations[size_t(index)];
    const bool isAgain = hasRun[size_t(index)];
    if (isAgain && (op.again < 0 || onDevice[size_t(op.writes.front())]))
      return fail("operation \"", op.name, "\" is not to run again");
    hasRun[size_t(index)] = true;
    traffic.again += isAgain ? op.again : 0;
    const std::vector<int64_t> before = used;
    for (int t : op.reads) {
      if (!onDevice[size_t(t)] || isPast[size_t(t)])
        return fail("\"", op.name, "\" reads \"",
                    problem.tensors[size_t(t)].name, "\", which is not there");
      readers[size_t(t)] -= !isAgain;
      isRead[size_t(t)] = true;
    }
    // One that runs again may read it yet.
    const bool isOver =
        op.over >= 0 &&
        (readers[size_t(op.over)] == 0 || again[size_t(op.over)] >= 0) &&
        op.over == taken;
    int under = isOver ? op.over : -1;
    for (int t : op.writes) {
      const int of = problem.tensors[size_t(t)].nextOf;
      if (of >= 0)
        isPast[size_t(of)] = true;
      if (of < 0 || !isHome[size_t(of)])
        continue;
      under = of;
      leave(of);
    }
    // What is written over has left already where its next value is written.
    std::vector<int64_t> most = used;
    for (int t : op.writes) {
      place(t);
      for (size_t m = 0; m < most.size(); ++m)
        most[m] += problem.tensors[size_t(t)].bytes[m];
    }
    for (size_t m = 0; m < most.size(); ++m) {
      if (under >= 0 && onDevice[size_t(under)])
        most[m] -= problem.tensors[size_t(under)].bytes[m];
      most[m] = std::max(most[m], before[m]);
    }
    if (Status enough = fits(op.name, most); !enough)
      return enough;
    if (problem.writesAll && !isAgain)
      for (int t : op.writes)
        if (Status stored = take({Action::Kind::Store, t}); !stored)
          return stored;
    return {};
  }

  const Problem &problem;
  std::vector<bool> onDevice, onHost;
  /// Of what starts at either place: whether that is the device; and of all,
  /// whether an operation has read it, or written its next value.
  std::vector<bool> isHome, isRead, isPast;
  std::vector<bool> hasRun;
  std::vector<int> readers;   // that have not run yet, per tensor
  std::vector<int64_t> again; // costs, per tensor
  std::vector<int64_t> used;  // of each memory
  Traffic traffic;
};

} // namespace

Result<Traffic> smex::offload::replay(const Problem &problem,
                                      const Schedule &schedule) {
  Replay state(problem);
  for (size_t i = 0; i < schedule.size(); ++i) {
    const Action &action = schedule[i];
    int dropped = -1;
    if (action.kind == Action::Kind::Run && action.what >= 0 &&
        action.what < int(problem.operations.size()))
      for (size_t j = i + 1;
           j < schedule.size() && (schedule[j].kind == Action::Kind::Drop ||
                                   schedule[j].kind == Action::Kind::Store);
           ++j)
        if (schedule[j].kind == Action::Kind::Drop &&
            schedule[j].what == problem.operations[size_t(action.what)].over)
          dropped = schedule[j].what;
    if (Status taken = state.take(action, dropped); !taken)
      return taken.takeError();
  }
  return state.finish();
}
