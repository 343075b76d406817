#include "compiler/placement/Relieving.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// Readers that a residual task takes along, at most.
constexpr size_t kMostCompanions = 64;

} // namespace

Relieving::Relieving(const Problem &problem, const Members &members,
                     const Schedule &schedule, Placement &placement,
                     std::vector<char> &fixed)
    : problem(problem), members(members), schedule(schedule),
      placement(placement), fixed(fixed), model(problem, placement, schedule),
      knapsack(placement.size()), denied(placement.size()),
      work(size_t(problem.devices.count) + 1), stamps(placement.size(), -1),
      counted(placement.size(), -1) {
  for (size_t t = 0; t < placement.size(); ++t)
    work[size_t(placement[t])] += problem.graph.tasks[t].seconds;
}

const std::vector<int> &Relieving::leavingWith(int task) {
  ++stamp;
  leaving.clear();
  const int device = placement[size_t(task)];
  const auto take = [&](int first) {
    for (int member : members.with(first))
      if (stamps[size_t(member)] != stamp) {
        stamps[size_t(member)] = stamp;
        leaving.push_back(member);
      }
  };
  take(task);
  const size_t alone = leaving.size();
  for (size_t i = 0; i < leaving.size(); ++i) {
    const int member = leaving[i];
    if (problem.graph.tasks[size_t(member)].memory != MemoryKind::Residual)
      continue;
    for (int e : problem.adjacency.outOf(member)) {
      const int reader = problem.graph.edges[size_t(e)].to;
      if (placement[size_t(reader)] != device || fixed[size_t(reader)])
        continue;
      take(reader);
      if (leaving.size() > alone + kMostCompanions) {
        // Too many: they stay.
        for (; leaving.size() > alone; leaving.pop_back())
          stamps[size_t(leaving.back())] = -1;
        return leaving;
      }
    }
  }
  return leaving;
}

int64_t Relieving::potential(int task, int moment) {
  leavingWith(task);
  const int device = placement[size_t(task)];
  int64_t bytes = 0;
  const auto countOnce = [&](int maker, const Buffer &buffer) {
    if (counted[size_t(maker)] == stamp)
      return;
    counted[size_t(maker)] = stamp;
    bytes += buffer.bytes;
  };
  const auto isThere = [&](const Buffer *buffer) {
    return buffer && buffer->from <= moment && moment < buffer->to;
  };
  const auto countRead = [&](int maker) {
    const Buffer *buffer = model.buffer(maker, device);
    if (isThere(buffer) && stamps[size_t(buffer->last)] == stamp)
      countOnce(maker, *buffer);
  };
  for (int member : leaving) {
    const Task &each = problem.graph.tasks[size_t(member)];
    if (each.memory == MemoryKind::Residual)
      bytes += each.bytes;
    if (each.target >= 0)
      countRead(each.target);
    for (int e : problem.adjacency.into(member)) {
      const int from = problem.graph.edges[size_t(e)].from;
      countRead(from);
      if (const int target = problem.graph.tasks[size_t(from)].target;
          target >= 0 && placement[size_t(target)] == device)
        countRead(target);
    }
    if (each.memory == MemoryKind::Normal)
      if (const Buffer *buffer = model.buffer(member, device);
          isThere(buffer) && (moment < model.moments.free[size_t(member)] ||
                              stamps[size_t(buffer->last)] == stamp))
        countOnce(member, *buffer);
  }
  return bytes;
}

double Relieving::moveCost(int task) {
  leavingWith(task);
  const int device = placement[size_t(task)];
  double cost = 0;
  const auto stays = [&](int other) {
    return placement[size_t(other)] == device && stamps[size_t(other)] != stamp;
  };
  for (int member : leaving) {
    cost += problem.graph.tasks[size_t(member)].seconds;
    for (int e : problem.adjacency.into(member)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      if (stays(edge.from))
        cost += problem.devices.transferSeconds(edge.bytes);
    }
    for (int e : problem.adjacency.outOf(member)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      if (stays(edge.to))
        cost += problem.devices.transferSeconds(edge.bytes);
    }
  }
  return cost;
}

void Relieving::offer(int task, int moment) {
  const int first = problem.unions[size_t(task)];
  if (fixed[size_t(first)] || denied[size_t(first)])
    return;
  const int64_t bytes = potential(first, moment);
  if (bytes > knapsack.offered(first))
    knapsack.offer(first, moveCost(first), bytes);
}

bool Relieving::takeAway(int task, int device, int64_t limit, int moment) {
  const std::vector<int> tasks = leavingWith(task);
  // Where it communicates most, then where there is least to do.
  std::vector<double> with(size_t(problem.devices.count) + 1);
  for (int each : tasks) {
    for (int e : problem.adjacency.into(each)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      with[size_t(placement[size_t(edge.from)])] +=
          problem.devices.transferSeconds(edge.bytes);
    }
    for (int e : problem.adjacency.outOf(each)) {
      const Edge &edge = problem.graph.edges[size_t(e)];
      with[size_t(placement[size_t(edge.to)])] +=
          problem.devices.transferSeconds(edge.bytes);
    }
  }
  std::vector<int> targets;
  for (int d = 0; d < problem.devices.count; ++d)
    if (d != device)
      targets.push_back(d);
  std::sort(targets.begin(), targets.end(), [&](int a, int b) {
    return std::tuple(-with[size_t(a)], work[size_t(a)], a) <
           std::tuple(-with[size_t(b)], work[size_t(b)], b);
  });
  for (int to : targets) {
    if (std::any_of(tasks.begin(), tasks.end(),
                    [&](int each) { return model.lacksRoom(each, to, limit); }))
      continue;
    if (!model.move(tasks, device, to, limit, moment, changed))
      continue;
    for (int each : tasks) {
      const double seconds = problem.graph.tasks[size_t(each)].seconds;
      work[size_t(device)] -= seconds, work[size_t(to)] += seconds;
      fixed[size_t(each)] = true;
    }
    moved += int64_t(tasks.size());
    return true;
  }
  return false;
}

void Relieving::relieveWithin(int device, int64_t limit, int from, int to) {
  const UseOverTime &use = model.use(device);
  for (int end = to;;) {
    const int moment = use.lastAbove(limit, from, end);
    if (moment < 0)
      return;
    const int64_t lacking = use.at(moment) - limit;
    const int task = knapsack.pick(lacking, [&](int first) {
      return placement[size_t(first)] != device || fixed[size_t(first)]
                 ? 0
                 : potential(first, moment);
    });
    if (task < 0) { // no more can be done about this moment
      end = moment;
      continue;
    }
    const bool gone = takeAway(task, device, limit, moment);
    knapsack.offer(task, 0, 0);
    if (!gone) { // and not considered again
      denied[size_t(task)] = true;
      continue;
    }
    // What it read last has another last reader now.
    for (int maker : std::vector<int>(changed))
      if (const Buffer *buffer = model.buffer(maker, device);
          buffer && buffer->to > moment)
        offer(buffer->last, moment);
  }
}

void Relieving::relieve(int device, int64_t limit) {
  if (model.use(device).most(0, model.moments.count) <= limit)
    return;
  knapsack = Knapsack(placement.size());
  std::vector<int> tasks; // those that are here now, the last one first
  const auto &order = schedule.list.empty() ? schedule.order : schedule.list;
  for (auto t = order.rbegin(); t != order.rend(); ++t)
    if (placement[size_t(*t)] == device)
      tasks.push_back(*t);
  const Moments &moments = model.moments;
  for (int task : tasks)
    if (problem.graph.tasks[size_t(task)].memory == MemoryKind::Residual)
      offer(task, moments.count - 1);
  int end = moments.count;
  for (int task : tasks) {
    // After it has finished, and then while it runs.
    const int free = moments.free[size_t(task)];
    relieveWithin(device, limit, free, end);
    if (placement[size_t(task)] == device)
      offer(task, free - 1);
    end = moments.start[size_t(task)];
    relieveWithin(device, limit, end, free);
  }
  relieveWithin(device, limit, 0, end);
}

int64_t Relieving::run(int64_t limit) {
  for (int device = 0; device < problem.devices.count; ++device)
    relieve(device, limit);
  return moved;
}
