#include "compiler/partition/Outermost.h"

#include <tuple>

using namespace smex;

namespace {

/// The dimension whose lower bounds differ most: a sweep along it has the
/// fewest boxes side by side.
size_t sweepDimension(const std::vector<Box> &boxes,
                      const std::vector<int> &which) {
  size_t best = 0, most = 0;
  std::vector<int64_t> bounds(which.size());
  for (size_t d = 0; d < boxes[which[0]].size(); ++d) {
    std::transform(which.begin(), which.end(), bounds.begin(),
                   [&](int i) { return boxes[i][d].lo; });
    std::sort(bounds.begin(), bounds.end());
    const size_t distinct =
        std::unique(bounds.begin(), bounds.end()) - bounds.begin();
    if (distinct > most) {
      most = distinct;
      best = d;
    }
  }
  return best;
}

} // namespace

std::vector<Box> partition::outermost(const std::vector<Box> &boxes) {
  std::vector<int> order;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!isEmpty(boxes[i]))
      order.push_back(int(i));
  if (order.empty())
    return {};
  if (boxes[order[0]].size() == 0) // rank 0: one point
    return {boxes[order[0]]};

  // A box comes after all that it may lie in.
  const size_t d = sweepDimension(boxes, order);
  std::vector<int64_t> volumes;
  for (const Box &box : boxes)
    volumes.push_back(volume(box));
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(boxes[a][d].lo, -volumes[a], a) <
           std::tuple(boxes[b][d].lo, -volumes[b], b);
  });
  std::vector<int> kept, active; // those kept that reach as far as this one
  for (int i : order) {
    const Box &box = boxes[i];
    active.erase(std::remove_if(active.begin(), active.end(),
                                [&](int other) {
                                  return boxes[other][d].hi <= box[d].lo;
                                }),
                 active.end());
    const bool inside =
        std::any_of(active.begin(), active.end(),
                    [&](int other) { return contains(boxes[other], box); });
    if (!inside) {
      active.push_back(i);
      kept.push_back(i);
    }
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Box> result;
  for (int i : kept)
    result.push_back(boxes[i]);
  return result;
}
