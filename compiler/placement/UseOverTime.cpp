#include "compiler/placement/UseOverTime.h"

#include <algorithm>
#include <limits>

using namespace smex::placement;

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::min() / 4;

} // namespace

UseOverTime::UseOverTime(std::vector<int> list,
                         const std::vector<int64_t> &bytes)
    : moments(std::move(list)), leaves(1) {
  while (leaves < moments.size())
    leaves *= 2;
  added.assign(2 * leaves, 0);
  largest.assign(2 * leaves, kNone);
  for (size_t i = 0; i < moments.size(); ++i)
    added[leaves + i] = largest[leaves + i] = bytes[i];
  for (size_t i = leaves; --i > 0;)
    largest[i] = std::max(largest[2 * i], largest[2 * i + 1]);
}

int UseOverTime::slotOf(int moment) const {
  return int(std::upper_bound(moments.begin(), moments.end(), moment) -
             moments.begin()) -
         1;
}

void UseOverTime::add(int from, int to, int64_t bytes) {
  if (from >= to || bytes == 0)
    return;
  const size_t first = leaves + size_t(slotOf(from));
  const size_t last = leaves + size_t(slotOf(to - 1));
  // From both ends up to where they meet: the nodes that lie within.
  size_t low = first, high = last + 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2)
      added[low] += bytes, largest[low] += bytes, ++low;
    if (high % 2)
      --high, added[high] += bytes, largest[high] += bytes;
  }
  for (size_t end : {first, last})
    for (size_t i = end / 2; i > 0; i /= 2)
      largest[i] = added[i] + std::max(largest[2 * i], largest[2 * i + 1]);
}

int64_t UseOverTime::most(int from, int to) const {
  size_t low = leaves + size_t(slotOf(from));
  size_t high = leaves + size_t(slotOf(to - 1));
  int64_t ofLow = largest[low], ofHigh = largest[high];
  // Up from both ends; what lies between them hangs on the way.
  for (; low / 2 != high / 2; low /= 2, high /= 2) {
    if (low % 2 == 0)
      ofLow = std::max(ofLow, largest[low + 1]);
    if (high % 2 == 1)
      ofHigh = std::max(ofHigh, largest[high - 1]);
    ofLow += added[low / 2], ofHigh += added[high / 2];
  }
  int64_t most = std::max(ofLow, ofHigh);
  for (size_t i = low / 2; i > 0; i /= 2)
    most += added[i];
  return most + always;
}

int UseOverTime::lastAbove(int64_t bytes, int from, int to) const {
  if (from >= to)
    return -1;
  bytes -= always;
  const size_t first = size_t(slotOf(from)), last = size_t(slotOf(to - 1));
  // Depth first from the right; a subtree is entered if it is in the range in
  // part, or has what is sought.
  struct Node {
    size_t index, begin, size; // leaves below it
    int64_t above;             // added to the nodes above it
  };
  Node stack[130];
  size_t depth = 0;
  stack[depth++] = {1, 0, leaves, 0};
  while (depth > 0) {
    const Node node = stack[--depth];
    if (node.begin > last || node.begin + node.size <= first ||
        node.above + largest[node.index] <= bytes)
      continue;
    if (node.size == 1)
      return std::max(from, moments[node.begin]);
    const int64_t above = node.above + added[node.index];
    const size_t half = node.size / 2;
    stack[depth++] = {2 * node.index, node.begin, half, above};
    stack[depth++] = {2 * node.index + 1, node.begin + half, half, above};
  }
  return -1;
}
