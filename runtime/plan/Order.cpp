#include "runtime/plan/Order.h"

#include <algorithm>
#include <queue>

using namespace smex;
using namespace smex::plan;

int Order::next(size_t lane) const {
  const std::vector<int> &list = lists[lane % lists.size()];
  const size_t at = size_t(done[lane]);
  return at < list.size() ? list[at] : int(count);
}

const Wait *Order::blockedBy(size_t lane) const {
  const int worker = int(lane / lists.size());
  for (const Wait &wait : waits(id(worker, next(lane))))
    if (next(this->lane(wait.worker, wait.instruction)) <= wait.instruction)
      return &wait;
  return nullptr;
}

Order::Order(const Partitioned &partitioned, Queues queues)
    : partitioned(partitioned), count(partitioned.program.instructions.size()),
      lists(queues == Queues::One ? 1 : queueCount),
      done(partitioned.workers.size() * lists.size()) {
  for (size_t i = 0; i < count; ++i) {
    laneOf.push_back(
        laneOfQueue(queueOf(partitioned.program.instructions[i].op)));
    std::vector<int> &list = lists[size_t(laneOf[i])];
    place.push_back(int(list.size()));
    list.push_back(int(i));
  }
  // Runs every lane as far as it gets; who waits is woken by whom it waits for.
  using Sleeper = std::pair<int, size_t>; // for which instruction, who
  std::vector<
      std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>>>
      sleepers(done.size());
  std::vector<size_t> ready(done.size());
  for (size_t lane = 0; lane < ready.size(); ++lane)
    ready[lane] = ready.size() - 1 - lane;
  order.reserve(partitioned.workers.size() * count);
  while (!ready.empty()) {
    const size_t lane = ready.back();
    ready.pop_back();
    const int worker = int(lane / lists.size());
    for (; size_t(next(lane)) < count; ++done[lane]) {
      if (const Wait *wait = blockedBy(lane)) {
        sleepers[this->lane(wait->worker, wait->instruction)].push(
            {wait->instruction, lane});
        break;
      }
      order.push_back(uint32_t(id(worker, next(lane))));
    }
    auto &waiting = sleepers[lane];
    for (; !waiting.empty() && waiting.top().first < next(lane); waiting.pop())
      ready.push_back(waiting.top().second);
  }
}

std::vector<std::vector<Step>> Order::cycles() const {
  std::vector<std::vector<Step>> found;
  std::vector<int> seenFrom(done.size(), -1);
  for (size_t start = 0; start < done.size(); ++start) {
    // Each stuck lane waits for one that is stuck, so the way ends in a cycle.
    std::vector<Step> way;
    size_t at = start;
    while (size_t(next(at)) < count && seenFrom[at] < 0) {
      seenFrom[at] = int(start);
      way.push_back({int(at / lists.size()), next(at)});
      const Wait *wait = blockedBy(at);
      at = lane(wait->worker, wait->instruction);
    }
    if (seenFrom[at] != int(start))
      continue; // not stuck, or stuck on a cycle that is known
    const auto entry = std::find_if(way.begin(), way.end(), [&](Step step) {
      return lane(step.worker, step.instruction) == at;
    });
    found.emplace_back(entry, way.end());
  }
  return found;
}

std::vector<int> Order::completedBefore(int worker, Queue queue) const {
  std::vector<int> completed(order.size());
  const size_t asked =
      size_t(worker) * lists.size() + size_t(laneOfQueue(queue));
  for (const uint32_t at : order) {
    const int w = int(at / count), own = int(at % count);
    const std::vector<int> &list = lists[size_t(laneOf[size_t(own)])];
    const int before = place[size_t(own)];
    int most = before == 0 ? 0 : completed[id(w, list[size_t(before) - 1])];
    if (lane(w, own) == asked)
      most = own;
    for (const Wait &wait : waits(at))
      most = std::max({most, completed[id(wait.worker, wait.instruction)],
                       lane(wait.worker, wait.instruction) == asked
                           ? wait.instruction + 1
                           : 0});
    completed[at] = most;
  }
  return completed;
}

std::vector<int> Order::firstAfter(int worker, Queue queue) const {
  std::vector<int> first(order.size(), int(count));
  const size_t asked =
      size_t(worker) * lists.size() + size_t(laneOfQueue(queue));
  for (size_t i = order.size(); i-- > 0;) {
    const uint32_t at = order[i];
    const int w = int(at / count), own = int(at % count);
    // What this instruction waits for has completed when it starts.
    const int start = lane(w, own) == asked ? own : first[at];
    const auto reach = [&](int &before) { before = std::min(before, start); };
    const std::vector<int> &list = lists[size_t(laneOf[size_t(own)])];
    const int before = place[size_t(own)];
    if (before > 0)
      reach(first[id(w, list[size_t(before) - 1])]);
    for (const Wait &wait : waits(at))
      reach(first[id(wait.worker, wait.instruction)]);
  }
  return first;
}
