#include "runtime/plan/Order.h"

#include <algorithm>
#include <queue>

using namespace smex;
using namespace smex::plan;

const Wait *Order::blockedBy(int worker) const {
  for (const Wait &wait : waits(id(worker, done[size_t(worker)])))
    if (done[size_t(wait.worker)] <= wait.instruction)
      return &wait;
  return nullptr;
}

Order::Order(const Partitioned &partitioned)
    : partitioned(partitioned), count(partitioned.program.instructions.size()),
      done(partitioned.workers.size()) {
  // Runs every worker as far as it gets; who waits is woken by whom it waits
  // for.
  using Sleeper = std::pair<int, int>; // for which instruction, who
  std::vector<
      std::priority_queue<Sleeper, std::vector<Sleeper>, std::greater<>>>
      sleepers(done.size());
  std::vector<int> ready(done.size());
  for (size_t w = 0; w < ready.size(); ++w)
    ready[w] = int(ready.size() - 1 - w);
  order.reserve(done.size() * count);
  while (!ready.empty()) {
    const int w = ready.back();
    ready.pop_back();
    int &next = done[size_t(w)];
    while (size_t(next) < count) {
      if (const Wait *wait = blockedBy(w)) {
        sleepers[size_t(wait->worker)].push({wait->instruction, w});
        break;
      }
      order.push_back(uint32_t(id(w, next++)));
    }
    auto &waiting = sleepers[size_t(w)];
    for (; !waiting.empty() && waiting.top().first < next; waiting.pop())
      ready.push_back(waiting.top().second);
  }
}

std::vector<std::vector<Step>> Order::cycles() const {
  std::vector<std::vector<Step>> found;
  std::vector<int> seenFrom(done.size(), -1);
  for (size_t start = 0; start < done.size(); ++start) {
    // Each stuck worker waits for one that is stuck, so the way ends in a
    // cycle.
    std::vector<Step> way;
    int w = int(start);
    while (size_t(done[size_t(w)]) < count && seenFrom[size_t(w)] < 0) {
      seenFrom[size_t(w)] = int(start);
      way.push_back({w, done[size_t(w)]});
      w = blockedBy(w)->worker;
    }
    if (seenFrom[size_t(w)] != int(start))
      continue; // not stuck, or stuck on a cycle that is known
    const auto entry = std::find_if(
        way.begin(), way.end(), [&](Step step) { return step.worker == w; });
    found.emplace_back(entry, way.end());
  }
  return found;
}

std::vector<int> Order::completedBefore(int worker) const {
  std::vector<int> completed(order.size());
  for (const uint32_t at : order) {
    int most = at % count == 0 ? 0 : completed[at - 1];
    if (at / count == size_t(worker))
      most = int(at % count);
    for (const Wait &wait : waits(at))
      most = std::max({most, completed[id(wait.worker, wait.instruction)],
                       wait.worker == worker ? wait.instruction + 1 : 0});
    completed[at] = most;
  }
  return completed;
}

std::vector<int> Order::firstAfter(int worker) const {
  std::vector<int> first(order.size(), int(count));
  for (size_t i = order.size(); i-- > 0;) {
    const uint32_t at = order[i];
    const int own = int(at % count);
    if (at / count == size_t(worker))
      first[at] = own + 1;
    // What this instruction waits for has completed when it starts.
    const int start = at / count == size_t(worker) ? own : first[at];
    const auto reach = [&](int &before) { before = std::min(before, start); };
    if (own > 0)
      reach(first[at - 1]);
    for (const Wait &wait : waits(at))
      reach(first[id(wait.worker, wait.instruction)]);
  }
  return first;
}
