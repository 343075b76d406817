#include "compiler/offload/Residency.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

Residency::Residency(const Problem &problem, bool dropsDead)
    : problem(problem), dropsDead(dropsDead), onDevice(problem.tensors.size()),
      onHost(onDevice), readers(problem.tensors.size()),
      used(size_t(problem.memories())) {
  for (const Operation &op : problem.operations)
    for (int t : op.reads)
      ++readers[size_t(t)];
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    onHost[t] = problem.tensors[t].start == Start::Host;
    if (problem.tensors[t].start != Start::Device)
      continue;
    place(int(t));
    dropUnlessNeeded(int(t));
  }
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
  std::vector<int64_t> most = before;
  for (int t : op.writes)
    for (size_t m = 0; m < most.size(); ++m)
      most[m] += problem.tensors[size_t(t)].bytes[m];
  const bool isLast =
      op.over >= 0 && readers[size_t(op.over)] ==
                          std::count(op.reads.begin(), op.reads.end(), op.over);
  for (size_t m = 0; m < most.size(); ++m) {
    if (isLast)
      most[m] = std::max(before[m],
                         most[m] - problem.tensors[size_t(op.over)].bytes[m]);
    most[m] -= problem.capacities[m];
  }
  return most;
}

void Residency::evict(int tensor) {
  store(tensor);
  drop(tensor);
}

void Residency::store(int tensor) {
  if (onHost[size_t(tensor)])
    return;
  schedule.push_back({Action::Kind::Store, tensor});
  onHost[size_t(tensor)] = true;
}

Schedule Residency::finish() && {
  for (size_t t = 0; t < onDevice.size(); ++t)
    if (onDevice[t] && problem.tensors[t].toHost)
      store(int(t));
  return std::move(schedule);
}

void Residency::run(int operation) {
  const Operation &op = problem.operations[size_t(operation)];
  for (int t : op.reads)
    if (!onDevice[size_t(t)]) {
      schedule.push_back({Action::Kind::Load, t});
      place(t);
    }
  schedule.push_back({Action::Kind::Run, operation});
  for (int t : op.reads)
    --readers[size_t(t)];
  for (int t : op.writes) {
    place(t);
    onHost[size_t(t)] = problem.writesAll;
  }
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
  onDevice[size_t(tensor)] = false;
  for (size_t m = 0; m < used.size(); ++m)
    used[m] -= problem.tensors[size_t(tensor)].bytes[m];
}

void Residency::dropUnlessNeeded(int tensor) {
  if (!onDevice[size_t(tensor)] || isNeeded(tensor))
    return;
  if (problem.tensors[size_t(tensor)].toHost)
    store(tensor);
  drop(tensor);
}

void Residency::place(int tensor) {
  onDevice[size_t(tensor)] = true;
  for (size_t m = 0; m < used.size(); ++m)
    used[m] += problem.tensors[size_t(tensor)].bytes[m];
}
