#include "compiler/placement/MemoryModel.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::placement;

MemoryModel::MemoryModel(const Problem &problem, Placement &placement,
                         const Schedule &schedule)
    : moments(problem, schedule), problem(problem), placement(placement),
      heads(placement.size(), -1), hasParts(placement.size()),
      moves(placement.size()), whichAffected(placement.size(), -1) {
  for (const Edge &edge : problem.graph.edges)
    if (edge.part > 0)
      hasParts[size_t(edge.from)] = true;
  listReaders();
  const Lifetimes lifetimes(problem, placement, moments);
  measure(lifetimes);
  for (const Buffer &buffer : lifetimes.buffers) {
    Entry &entry = entries[size_t(entryOrNew(buffer.task, buffer.device))];
    entry.buffer = buffer;
    entry.cursor = 0, entry.first = readerCount(buffer.task) - 1;
    settle(entry);
  }
}

void MemoryModel::listReaders() {
  const TaskGraph &graph = problem.graph;
  std::vector<int> byFinish(graph.tasks.size());
  std::iota(byFinish.begin(), byFinish.end(), 0);
  std::sort(byFinish.begin(), byFinish.end(), [&](int a, int b) {
    return std::pair(moments.free[size_t(b)], b) <
           std::pair(moments.free[size_t(a)], a);
  });
  const auto visit = [&](auto read) {
    for (int task : byFinish) {
      for (int e : problem.adjacency.into(task)) {
        if (graph.edges[size_t(e)].onlyOrders())
          continue;
        const int from = graph.edges[size_t(e)].from;
        read(from, Reader{task, false});
        if (const int target = graph.tasks[size_t(from)].target; target >= 0)
          read(target, Reader{task, true});
      }
      if (const int target = graph.tasks[size_t(task)].target; target >= 0)
        read(target, Reader{task, true});
    }
  };
  readerOffsets.assign(graph.tasks.size() + 1, 0);
  visit([&](int task, Reader) { ++readerOffsets[size_t(task) + 1]; });
  std::partial_sum(readerOffsets.begin(), readerOffsets.end(),
                   readerOffsets.begin());
  readers.resize(size_t(readerOffsets.back()));
  std::vector<int> next(readerOffsets.begin(), readerOffsets.end() - 1);
  visit([&](int task, Reader reader) {
    readers[size_t(next[size_t(task)]++)] = reader;
  });
}

void MemoryModel::measure(const Lifetimes &lifetimes) {
  const size_t devices = size_t(problem.devices.count);
  std::vector<std::vector<int>> when(devices, {0});
  std::vector<std::vector<int64_t>> bytes(devices);
  for (size_t d = 0; d < devices; ++d)
    bytes[d] = {lifetimes.residualBytes[d]};
  const ByMoment coming(lifetimes.buffers, &Buffer::from, moments.count);
  const ByMoment going(lifetimes.buffers, &Buffer::to, moments.count + 1);
  const auto change = [&](int moment, const Buffer &buffer, int sign) {
    const size_t d = size_t(buffer.device);
    if (when[d].back() != moment) {
      when[d].push_back(moment);
      bytes[d].push_back(bytes[d].back());
    }
    bytes[d].back() += sign * buffer.bytes;
  };
  for (int moment = 0; moment < moments.count; ++moment) {
    for (int b : going.at(moment))
      change(moment, lifetimes.buffers[size_t(b)], -1);
    for (int b : coming.at(moment))
      change(moment, lifetimes.buffers[size_t(b)], 1);
  }
  for (size_t d = 0; d < devices; ++d)
    uses.emplace_back(std::move(when[d]), bytes[d]);
}

int MemoryModel::entryOf(int task, int device) const {
  int entry = heads[size_t(task)];
  while (entry >= 0 && entries[size_t(entry)].buffer.device != device)
    entry = entries[size_t(entry)].next;
  return entry;
}

int MemoryModel::entryOrNew(int task, int device) {
  if (const int entry = entryOf(task, device); entry >= 0)
    return entry;
  Entry entry;
  entry.buffer.task = task, entry.buffer.device = device;
  entry.cursor = readerCount(task), entry.first = -1;
  entry.next = heads[size_t(task)];
  heads[size_t(task)] = int(entries.size());
  entries.push_back(entry);
  return int(entries.size()) - 1;
}

const Buffer *MemoryModel::buffer(int task, int device) const {
  const int entry = entryOf(task, device);
  return entry < 0 || entries[size_t(entry)].buffer.last < 0
             ? nullptr
             : &entries[size_t(entry)].buffer;
}

/// From where the cursor stands to the last reader that is here.
void MemoryModel::settle(Entry &entry) {
  Buffer &buffer = entry.buffer;
  const bool own = placement[size_t(buffer.task)] == buffer.device;
  const Reader *list = readers.data() + readerOffsets[size_t(buffer.task)];
  const int count = readerCount(buffer.task);
  const auto isHere = [&](const Reader &reader) {
    return placement[size_t(reader.task)] == buffer.device &&
           (!reader.throughReference || own);
  };
  while (entry.cursor < count && !isHere(list[entry.cursor]))
    ++entry.cursor;
  buffer.last = own ? buffer.task : -1;
  if (entry.cursor < count) {
    int reader = list[entry.cursor].task;
    for (int other = entry.cursor + 1;
         other < count &&
         moments.free[size_t(list[other].task)] == moments.free[size_t(reader)];
         ++other)
      if (isHere(list[other]) && endsBefore(problem.graph, moments, buffer.task,
                                            reader, list[other].task))
        reader = list[other].task;
    if (!own ||
        moments.free[size_t(reader)] > moments.free[size_t(buffer.task)])
      buffer.last = reader;
  }
  if (buffer.last < 0) {
    buffer.from = buffer.to = 0, buffer.bytes = 0;
    return;
  }
  buffer.to = endOf(problem.graph, moments, buffer.task, buffer.last);
  if (own) {
    buffer.from = moments.start[size_t(buffer.task)];
    if (problem.graph.tasks[size_t(buffer.task)].kept)
      buffer.to = moments.count, buffer.last = buffer.task;
    return;
  }
  while (!isHere(list[entry.first]))
    --entry.first;
  buffer.from =
      startOfCopy(problem.graph, moments, buffer.task, list[entry.first].task);
}

void MemoryModel::affect(int task, int reader, int64_t bytes) {
  int &which = whichAffected[size_t(task)];
  if (which < 0) {
    which = int(affected.size());
    affected.push_back({task, readerCount(task), -1, 0});
  }
  if (reader < 0)
    return;
  Affected &there = affected[size_t(which)];
  const auto first = readers.begin() + readerOffsets[size_t(task)];
  const int moment = moments.free[size_t(reader)];
  const auto end = first + readerCount(task);
  const auto found = std::partition_point(first, end, [&](const Reader &other) {
    return moments.free[size_t(other.task)] > moment;
  });
  // Others may be done with it at the same moment.
  const auto behind =
      std::partition_point(found, end, [&](const Reader &other) {
        return moments.free[size_t(other.task)] == moment;
      });
  there.cursor = std::min(there.cursor, int(found - first));
  there.first = std::max(there.first, int(behind - first) - 1);
  there.bytes = std::max(there.bytes, bytes);
}

void MemoryModel::collect(const std::vector<int> &tasks) {
  affected.clear();
  for (int task : tasks) {
    affect(task, -1, 0);
    if (const int target = problem.graph.tasks[size_t(task)].target;
        target >= 0)
      affect(target, task, 0);
    for (int e : problem.adjacency.into(task)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      if (edge.onlyOrders())
        continue;
      affect(edge.from, task, edge.bytes);
      if (const int target = problem.graph.tasks[size_t(edge.from)].target;
          target >= 0)
        affect(target, task, 0);
    }
  }
}

/// Once the tasks are placed anew: what is left of the output on the device
/// where they were, or what comes to where they are.
void MemoryModel::update(const Affected &each, int device, bool gains) {
  const Task &task = problem.graph.tasks[size_t(each.task)];
  const bool own = placement[size_t(each.task)] == device;
  const bool isThere = !own || task.memory == MemoryKind::Normal;
  int number = entryOf(each.task, device);
  const bool hasReaders = gains && each.cursor < readerCount(each.task);
  if (number < 0 && (!isThere || !(moves[size_t(each.task)] || hasReaders)))
    return;
  number = entryOrNew(each.task, device);
  Entry &entry = entries[size_t(number)];
  changes.push_back({number, entry});
  count(entry.buffer, -1);
  if (!isThere) {
    entry.buffer.bytes = 0, entry.buffer.last = -1;
    entry.buffer.from = entry.buffer.to = 0;
    entry.cursor = readerCount(each.task), entry.first = -1;
    return;
  }
  if (moves[size_t(each.task)]) { // no copy was here that is an output now, nor
                                  // the other way round
    entry.cursor = 0, entry.first = readerCount(each.task) - 1;
    entry.buffer.bytes = task.bytes;
    if (!own) {
      entry.buffer.bytes = 0;
      for (int e : problem.adjacency.outOf(each.task))
        if (const Edge &edge = problem.graph.edges[size_t(e)];
            placement[size_t(edge.to)] == device)
          entry.buffer.bytes = std::max(entry.buffer.bytes, edge.bytes);
    }
  } else if (gains) {
    entry.cursor = std::min(entry.cursor, each.cursor);
    entry.first = std::max(entry.first, each.first);
    if (!own)
      entry.buffer.bytes = std::max(entry.buffer.bytes, each.bytes);
  }
  if (!own && hasParts[size_t(each.task)])
    entry.buffer.bytes = bytesOfCopy(problem, placement, each.task, device);
  settle(entry);
  count(entry.buffer, 1);
}

bool MemoryModel::hasRoom(int device, int64_t limit, int64_t residual) const {
  const UseOverTime &use = uses[size_t(device)];
  if (residual > 0)
    return use.most(0, moments.count) <= limit;
  for (const Change &change : changes) {
    const Buffer &now = entries[size_t(change.entry)].buffer;
    if (now.device == device && now.from < now.to &&
        use.most(now.from, now.to) > limit)
      return false;
  }
  return true;
}

bool MemoryModel::move(const std::vector<int> &tasks, int from, int to,
                       int64_t limit, int relieved, std::vector<int> &changed) {
  const int64_t before = uses[size_t(from)].at(relieved);
  int64_t residual = 0;
  for (int task : tasks) {
    moves[size_t(task)] = true;
    placement[size_t(task)] = to;
    if (problem.graph.tasks[size_t(task)].memory == MemoryKind::Residual)
      residual += problem.graph.tasks[size_t(task)].bytes;
  }
  collect(tasks);
  changes.clear();
  uses[size_t(from)].addAlways(-residual);
  uses[size_t(to)].addAlways(residual);
  for (const Affected &each : affected) {
    update(each, from, false);
    update(each, to, true);
  }
  const bool moved =
      hasRoom(to, limit, residual) && uses[size_t(from)].at(relieved) < before;
  if (moved) {
    changed.clear();
    for (const Change &change : changes) {
      const Buffer &now = entries[size_t(change.entry)].buffer;
      if (now.device == from && now.last >= 0 &&
          now.last != change.before.buffer.last)
        changed.push_back(now.task);
    }
  } else {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      Entry &entry = entries[size_t(change->entry)];
      count(entry.buffer, -1);
      entry = change->before;
      count(entry.buffer, 1);
    }
    uses[size_t(from)].addAlways(residual);
    uses[size_t(to)].addAlways(-residual);
    for (int task : tasks)
      placement[size_t(task)] = from;
  }
  for (int task : tasks)
    moves[size_t(task)] = false;
  for (const Affected &each : affected)
    whichAffected[size_t(each.task)] = -1;
  return moved;
}
