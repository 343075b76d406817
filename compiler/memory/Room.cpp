#include "compiler/memory/Room.h"

#include <algorithm>

using namespace smex::memory;

Room::Room(const std::vector<int64_t> &free) {
  while (leaves < free.size())
    leaves *= 2;
  fewest.assign(2 * leaves, 0);
  taken.assign(2 * leaves, 0);
  std::copy(free.begin(), free.end(), fewest.begin() + int64_t(leaves));
  for (std::size_t node = leaves; --node > 0;)
    fewest[node] = std::min(fewest[2 * node], fewest[2 * node + 1]);
}

int64_t Room::least(int lower, int upper) const {
  // What is below `left` and `right` on the way up, without what those above
  // them lost.
  std::size_t first = leaves + std::size_t(lower),
              last = leaves + std::size_t(upper) - 1;
  int64_t left = fewest[first], right = fewest[last];
  while (first / 2 != last / 2) {
    if (first % 2 == 0)
      left = std::min(left, fewest[first + 1]);
    if (last % 2 == 1)
      right = std::min(right, fewest[last - 1]);
    first /= 2;
    last /= 2;
    left -= taken[first];
    right -= taken[last];
  }
  left = std::min(left, right);
  while (first /= 2)
    left -= taken[first];
  return left;
}

void Room::take(int lower, int upper, int64_t size) {
  const auto takeAll = [&](std::size_t node) {
    fewest[node] -= size;
    taken[node] += size;
  };
  std::size_t first = leaves + std::size_t(lower),
              last = leaves + std::size_t(upper) - 1;
  const auto renew = [&](std::size_t node) {
    fewest[node] =
        std::min(fewest[2 * node], fewest[2 * node + 1]) - taken[node];
  };
  takeAll(first);
  if (last != first)
    takeAll(last);
  while (first / 2 != last / 2) {
    if (first % 2 == 0)
      takeAll(first + 1);
    if (last % 2 == 1)
      takeAll(last - 1);
    first /= 2;
    last /= 2;
    renew(first);
    renew(last);
  }
  while (first /= 2)
    renew(first);
}
