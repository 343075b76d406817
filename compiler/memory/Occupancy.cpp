#include "compiler/memory/Occupancy.h"

#include <algorithm>

using namespace smex::memory;

Occupancy::Occupancy(const std::vector<Allocation> &buffers, int64_t alignment)
    : alignment(alignment), leaves(1) {
  std::vector<int64_t> times; // leaf i spans times[i] .. times[i + 1]
  for (const Allocation &buffer : buffers) {
    times.push_back(buffer.lower);
    times.push_back(buffer.upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  while (leaves < times.size())
    leaves *= 2;
  nodes.resize(2 * leaves);
  const auto leafOf = [&](int64_t time) {
    return leaves +
           std::size_t(std::lower_bound(times.begin(), times.end(), time) -
                       times.begin());
  };
  for (const Allocation &buffer : buffers) {
    sizes.push_back(buffer.size);
    spans.push_back({leafOf(buffer.lower), leafOf(buffer.upper)});
  }
}

template <typename Visit>
void Occupancy::forEachNode(int buffer, Visit visit) const {
  // Going up, `first` and `last` bound what the nodes so far leave out.
  auto [first, last] = spans[std::size_t(buffer)];
  std::size_t left = 0, right = 0; // above the nodes visited, if not 0
  while (first < last || left || right) {
    if (left)
      visit(left, false);
    if (right && right != left)
      visit(right, false);
    if (first < last && first & 1) {
      left = left ? left : first;
      visit(first++, true);
    }
    if (first < last && last & 1) {
      right = right ? right : last - 1;
      visit(--last, true);
    }
    first /= 2;
    last /= 2;
    left /= 2;
    right /= 2;
  }
}

void Occupancy::add(Runs &runs, Run run) {
  const auto first = std::lower_bound(
      runs.begin(), runs.end(), run.lo,
      [](const Run &other, int64_t lo) { return other.hi < lo; });
  auto last = first;
  for (; last != runs.end() && last->lo <= run.hi; ++last) {
    run.lo = std::min(run.lo, last->lo);
    run.hi = std::max(run.hi, last->hi);
  }
  looked += 1 + (runs.end() - first);
  if (first == last) {
    runs.insert(first, run);
  } else {
    *first = run;
    runs.erase(first + 1, last);
  }
}

int64_t Occupancy::lowestGap(int buffer) const {
  const int64_t size = sizes[std::size_t(buffer)];
  struct Cursor {
    const Run *at, *end;
  };
  std::vector<Cursor> cursors;
  forEachNode(buffer, [&](std::size_t node, bool isPart) {
    const Runs &runs = isPart ? nodes[node].sometime : nodes[node].always;
    if (!runs.empty())
      cursors.push_back({runs.data(), runs.data() + runs.size()});
  });
  int64_t offset = 0;
  for (bool moved = true; moved;) {
    moved = false;
    looked += int64_t(cursors.size());
    for (Cursor &cursor : cursors)
      for (; cursor.at != cursor.end && cursor.at->lo < offset + size;
           ++cursor.at, ++looked)
        if (cursor.at->hi > offset) {
          offset = cursor.at->hi;
          moved = true;
        }
  }
  return offset;
}

void Occupancy::take(int buffer, int64_t offset) {
  const int64_t end = (offset + sizes[std::size_t(buffer)] + alignment - 1) /
                      alignment * alignment;
  forEachNode(buffer, [&](std::size_t node, bool isPart) {
    add(nodes[node].sometime, {offset, end});
    if (isPart)
      add(nodes[node].always, {offset, end});
  });
}

void Occupancy::clear() {
  for (Node &node : nodes) {
    node.always.clear();
    node.sometime.clear();
  }
}
