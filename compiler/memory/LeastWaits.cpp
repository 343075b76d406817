#include "compiler/memory/LeastWaits.h"

#include <algorithm>

using namespace smex;
using namespace smex::memory;

namespace {

/// Vector clocks, one component at a time: all of them would take the square of
/// the number of workers.
class Reduction {
public:
  Reduction(const std::vector<plan::Queue> &queues, const WaitLists &waits)
      : queues(queues), waits(waits), before(queues.size(), -1) {
    int last[plan::queueCount] = {-1, -1};
    for (size_t i = 0; i < queues.size(); ++i) {
      before[i] = last[size_t(queues[i])];
      last[size_t(queues[i])] = int(i);
    }
    for (const auto &ofWorker : waits) {
      known.emplace_back(queues.size(), -1);
      auto &flags = implied.emplace_back(queues.size());
      for (size_t i = 0; i < queues.size(); ++i)
        flags[i].resize(ofWorker[i].size());
    }
  }

  /// Marks the waits for the worker's queue that others imply.
  void visit(int worker, plan::Queue queue) {
    for (size_t i = 0; i < queues.size(); ++i)
      for (size_t w = 0; w < waits.size(); ++w)
        known[w][i] = latest(w, i, worker, queue);
  }

  WaitLists left() const {
    WaitLists left(waits.size());
    for (size_t w = 0; w < waits.size(); ++w)
      for (size_t i = 0; i < queues.size(); ++i) {
        left[w].emplace_back();
        for (size_t k = 0; k < waits[w][i].size(); ++k)
          if (!implied[w][i][k])
            left[w][i].push_back(waits[w][i][k]);
      }
    return left;
  }

private:
  /// The latest instruction of the queue that has completed once this one has
  /// been waited for.
  int after(size_t w, int i, int worker, plan::Queue queue) const {
    return int(w) == worker && queues[size_t(i)] == queue ? i
                                                          : known[w][size_t(i)];
  }

  /// The same when the worker's instruction starts.
  int latest(size_t w, size_t i, int worker, plan::Queue queue) {
    int most = before[i] < 0 ? -1 : after(w, before[i], worker, queue);
    const std::vector<Wait> &list = waits[w][i];
    size_t direct = list.size(); // the wait for the queue itself
    for (size_t k = 0; k < list.size(); ++k)
      if (list[k].worker == worker &&
          queues[size_t(list[k].instruction)] == queue)
        direct = k;
      else
        most = std::max(most, after(size_t(list[k].worker), list[k].instruction,
                                    worker, queue));
    if (direct == list.size())
      return most;
    if (most >= list[direct].instruction)
      implied[w][i][direct] = true;
    return std::max(most, list[direct].instruction);
  }

  const std::vector<plan::Queue> &queues;
  const WaitLists &waits;
  std::vector<int> before; // per instruction: the one before it on its queue
  std::vector<std::vector<int>> known; // per worker and instruction
  std::vector<std::vector<std::vector<bool>>> implied;
};

} // namespace

WaitLists memory::leastWaits(const std::vector<plan::Queue> &queues,
                             WaitLists waits) {
  Reduction reduction(queues, waits);
  for (size_t w = 0; w < waits.size(); ++w)
    for (const plan::Queue queue : plan::queues)
      reduction.visit(int(w), queue);
  return reduction.left();
}
