#include "compiler/offload/Residency.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::offload;

Residency::Residency(const Problem &problem, bool dropsDead,
                     std::vector<int> order)
    : problem(problem), dropsDead(dropsDead), onDevice(problem.tensors.size()),
      onHost(onDevice), isHome(onDevice), isRead(onDevice),
      isLoadedFirst(onDevice), isPassedOn(onDevice),
      uses(problem.tensors.size()), hasRun(problem.operations.size()),
      used(size_t(problem.memories())) {
  if (order.empty()) {
    order.resize(problem.operations.size());
    std::iota(order.begin(), order.end(), 0);
  }
  for (size_t at = 0; at < order.size(); ++at) {
    const Operation &op = problem.operations[size_t(order[at])];
    for (int t : op.reads)
      uses[size_t(t)].emplace_back(at, false);
    for (int t : op.writes)
      uses[size_t(t)].emplace_back(at, true);
  }
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    onHost[t] = problem.tensors[t].start == Start::Host;
    isHome[t] = problem.tensors[t].start == Start::Either;
    if (problem.tensors[t].start != Start::Device && !isHome[t])
      continue;
    add(int(t));
    dropUnlessNeeded(int(t));
  }
}

bool Residency::isReadFrom(int tensor, size_t from) const {
  const auto &list = uses[size_t(tensor)];
  const auto next =
      std::lower_bound(list.begin(), list.end(), std::make_pair(from, false));
  return next != list.end() && !next->second;
}

int Residency::placeOf(int tensor) const {
  if (isHome[size_t(tensor)])
    return tensor;
  const int of = problem.tensors[size_t(tensor)].nextOf;
  return of >= 0 && isHome[size_t(of)] ? of : -1;
}

bool Residency::keepsPlace(int tensor) const {
  const int of = placeOf(tensor);
  return of >= 0 && problem.tensors[size_t(of)].keepsPlace;
}

bool Residency::mustBeStored(int tensor) const {
  const Tensor &what = problem.tensors[size_t(tensor)];
  return what.toHost || (what.nextOf >= 0 && !isHome[size_t(what.nextOf)]);
}

std::vector<int> Residency::evictable(int operation) const {
  const Operation &op = problem.operations[size_t(operation)];
  std::vector<int> list;
  for (int t = 0; t < int(onDevice.size()); ++t)
    if (onDevice[size_t(t)] &&
        (problem.tensors[size_t(t)].isMovable || !isNeeded(t)) &&
        std::find(op.reads.begin(), op.reads.end(), t) == op.reads.end())
      list.push_back(t);
  return list;
}

std::vector<int64_t> Residency::lacking(int operation) const {
  const Operation &op = problem.operations[size_t(operation)];
  std::vector<int64_t> before = used;
  std::vector<int> added;
  for (int t : op.reads)
    if (!onDevice[size_t(t)] &&
        std::find(added.begin(), added.end(), t) == added.end()) {
      added.push_back(t);
      for (size_t m = 0; m < before.size(); ++m)
        before[m] += problem.tensors[size_t(t)].bytes[m];
    }
  const bool isLast =
      op.over >= 0 && !isReadFrom(op.over, place + 1) && !keepsPlace(op.over);
  int under = isLast ? op.over : -1;
  for (int t : op.writes)
    if (const int of = placeOf(t); of >= 0)
      under = of;
  std::vector<int64_t> most = whileRunning(problem, op, before, under);
  for (size_t m = 0; m < most.size(); ++m)
    most[m] -= problem.capacities[m];
  return most;
}

void Residency::evict(int tensor) {
  if (!onDevice[size_t(tensor)])
    return;
  copy(tensor, /*isReadNow=*/false);
  drop(tensor);
}

void Residency::copy(int tensor, bool isReadNow) {
  if (const int of = placeOf(tensor); of >= 0) {
    isHome[size_t(of)] = false;
    onHost[size_t(of)] = true;
    isLoadedFirst[size_t(of)] = isReadNow || isRead[size_t(of)] || of != tensor;
  }
  store(tensor);
}

void Residency::store(int tensor) {
  if (onHost[size_t(tensor)])
    return;
  schedule.push_back({Action::Kind::Store, tensor});
  onHost[size_t(tensor)] = true;
}

Schedule Residency::finish() && {
  for (size_t t = 0; t < onDevice.size(); ++t)
    if (onDevice[t] && mustBeStored(int(t)))
      store(int(t));
  return withFirstLoads();
}

/// What had been on the device when it, or its next value, left has been there
/// from its first use on, and no longer than until the next value was written.
Schedule Residency::withFirstLoads() const {
  Schedule made;
  std::vector<bool> waits = isLoadedFirst, isThere(waits.size());
  for (size_t t = 0; t < waits.size(); ++t)
    if (waits[t])
      made.push_back({Action::Kind::Drop, int(t)});
  for (const Action &action : schedule) {
    const auto what = size_t(action.what);
    if (action.kind != Action::Kind::Run) {
      isThere[what] = action.kind != Action::Kind::Drop;
      made.push_back(action);
      continue;
    }
    const Operation &op = problem.operations[what];
    for (int t : op.reads)
      if (waits[size_t(t)]) {
        made.push_back({Action::Kind::Load, t});
        waits[size_t(t)] = false;
        isThere[size_t(t)] = true;
      }
    std::vector<int> read, left; // of what next values take the place of
    for (int t : op.writes)
      if (const int of = problem.tensors[size_t(t)].nextOf;
          of >= 0 && isLoadedFirst[size_t(of)] && isPassedOn[size_t(of)] &&
          isThere[size_t(of)])
        (std::count(op.reads.begin(), op.reads.end(), of) ? read : left)
            .push_back(of);
    for (int t : left)
      made.push_back({Action::Kind::Drop, t});
    made.push_back(action);
    for (int t : read)
      made.push_back({Action::Kind::Drop, t});
  }
  return made;
}

void Residency::run(int operation) {
  const Operation &op = problem.operations[size_t(operation)];
  for (int t : op.reads)
    if (!onDevice[size_t(t)]) {
      schedule.push_back({Action::Kind::Load, t});
      add(t);
    }
  schedule.push_back({Action::Kind::Run, operation});
  ++place;
  for (int t : op.reads)
    isRead[size_t(t)] = true;
  for (int t : op.writes) {
    if (const int of = placeOf(t); of >= 0) {
      isPassedOn[size_t(of)] = true;
      leave(of);
    }
    add(t);
    // What had a copy there before it is computed again still has it.
    if (!hasRun[size_t(operation)])
      onHost[size_t(t)] = problem.writesAll;
  }
  hasRun[size_t(operation)] = true;
  if (dropsDead) {
    for (int t : op.reads)
      dropUnlessNeeded(t);
    for (int t : op.writes)
      dropUnlessNeeded(t);
  } else if (op.over >= 0) {
    dropUnlessNeeded(op.over); // another tensor is there
  }
}

void Residency::drop(int tensor) {
  schedule.push_back({Action::Kind::Drop, tensor});
  leave(tensor);
}

void Residency::leave(int tensor) {
  onDevice[size_t(tensor)] = false;
  for (size_t m = 0; m < used.size(); ++m)
    used[m] -= problem.tensors[size_t(tensor)].bytes[m];
}

void Residency::dropUnlessNeeded(int tensor) {
  if (!onDevice[size_t(tensor)] || isNeeded(tensor))
    return;
  if (keepsPlace(tensor))
    return;
  if (mustBeStored(tensor))
    store(tensor);
  drop(tensor);
}

void Residency::add(int tensor) {
  onDevice[size_t(tensor)] = true;
  for (size_t m = 0; m < used.size(); ++m)
    used[m] += problem.tensors[size_t(tensor)].bytes[m];
}
