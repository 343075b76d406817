#include "compiler/memory/Neighbours.h"

#include <numeric>

using namespace smex::memory;

Neighbours::Neighbours(const std::vector<Allocation> &buffers) {
  for (std::size_t b = 0; b < buffers.size(); ++b)
    lives.push_back({buffers[b].lower, buffers[b].upper, int(b)});
  starts = lives;
  std::stable_sort(
      starts.begin(), starts.end(),
      [](const Life &a, const Life &b) { return a.lower < b.lower; });
  std::vector<int> all(buffers.size());
  std::iota(all.begin(), all.end(), 0);
  root = makeTree(std::move(all), buffers);
}

/// The middle is a start, so that at least one life holds it, and no more than
/// half of them start before it, or after it.
int Neighbours::makeTree(std::vector<int> among,
                         const std::vector<Allocation> &buffers) {
  if (among.empty())
    return -1;
  const auto half = among.begin() + int64_t(among.size() / 2);
  std::nth_element(among.begin(), half, among.end(), [&](int a, int b) {
    return buffers[size_t(a)].lower < buffers[size_t(b)].lower;
  });
  const int64_t middle = buffers[size_t(*half)].lower;
  const int at = int(nodes.size());
  nodes.push_back({middle, -1, -1, byLower.size(), 0});
  std::vector<int> earlier, later;
  for (const int b : among) {
    const Life &life = lives[size_t(b)];
    if (life.upper <= middle) {
      earlier.push_back(b);
    } else if (life.lower > middle) {
      later.push_back(b);
    } else {
      byLower.push_back(life);
      byUpper.push_back(life);
    }
  }
  std::vector<int>().swap(among);
  const auto first = int64_t(nodes[size_t(at)].first);
  std::sort(
      byLower.begin() + first, byLower.end(), [](const Life &a, const Life &b) {
        return a.lower != b.lower ? a.lower < b.lower : a.buffer < b.buffer;
      });
  std::sort(
      byUpper.begin() + first, byUpper.end(), [](const Life &a, const Life &b) {
        return a.upper != b.upper ? a.upper > b.upper : a.buffer < b.buffer;
      });
  nodes[size_t(at)].last = byLower.size();
  const int left = makeTree(std::move(earlier), buffers),
            right = makeTree(std::move(later), buffers);
  nodes[size_t(at)].left = left;
  nodes[size_t(at)].right = right;
  return at;
}
