// Which buffers live together with one.
//
// Those alive at its start, from an interval tree (Edelsbrunner, 1980), and
// those that start later in its life. A look takes time that grows with how
// many these are; memory grows with the buffers.
#ifndef SMEX_COMPILER_MEMORY_NEIGHBOURS_H
#define SMEX_COMPILER_MEMORY_NEIGHBOURS_H

#include "compiler/memory/Planner.h"

#include <algorithm>
#include <cstddef>

namespace smex::memory {

class Neighbours {
public:
  /// All of them must have a life.
  explicit Neighbours(const std::vector<Allocation> &buffers);

  /// Calls visit(other) once for each buffer whose life overlaps this one's,
  /// itself among them.
  template <typename Visit> void forEach(int buffer, Visit visit) const;

private:
  /// Of the lives in a span of time: those that hold its middle. Earlier ones
  /// are in the span to the left, later ones in that to the right.
  struct Node {
    int64_t middle;
    int left = -1, right = -1;
    std::size_t first, last; // in byLower and byUpper
  };
  struct Life {
    int64_t lower, upper;
    int buffer;
  };

  int makeTree(std::vector<int> among, const std::vector<Allocation> &buffers);

  std::vector<Life> lives;            // of all buffers, by number
  std::vector<Life> starts;           // by lower
  std::vector<Life> byLower, byUpper; // of nodes: up from the earliest, and
                                      // down from the latest
  std::vector<Node> nodes;
  int root = -1;
};

template <typename Visit>
void Neighbours::forEach(int buffer, Visit visit) const {
  const Life &own = lives[std::size_t(buffer)];
  for (int at = root; at >= 0;) {
    const Node &node = nodes[std::size_t(at)];
    if (own.lower < node.middle) {
      for (std::size_t k = node.first;
           k < node.last && byLower[k].lower <= own.lower; ++k)
        visit(byLower[k].buffer);
      at = node.left;
    } else {
      for (std::size_t k = node.first;
           k < node.last && byUpper[k].upper > own.lower; ++k)
        visit(byUpper[k].buffer);
      at = node.right;
    }
  }
  for (auto later = std::upper_bound(
           starts.begin(), starts.end(), own.lower,
           [](int64_t time, const Life &life) { return time < life.lower; });
       later != starts.end() && later->lower < own.upper; ++later)
    visit(later->buffer);
}

} // namespace smex::memory

#endif
