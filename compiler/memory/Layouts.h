// All orders in which what lies in a full arena may lie, from its bottom to its
// top, as far as they are known: a PQ-tree (Booth and Lueker, JCSS'76).
//
// A leaf is a piece of the arena: a buffer, or a hole. The children of an open
// node may lie in any order, those of a fixed node in theirs or in its reverse,
// and what is below a node lies in one stretch. When buffers end and others
// start in the same bytes, the first must have been neighbours: the tree loses
// all orders in which they were not, and the others take their place.
#ifndef SMEX_COMPILER_MEMORY_LAYOUTS_H
#define SMEX_COMPILER_MEMORY_LAYOUTS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smex::memory {

class Layouts {
public:
  struct Piece {
    int id; // not negative
    int64_t size;
  };

  /// A node in front of all that is below it.
  struct Node {
    int id; // of a leaf; kOpen or kFixed
    int length;
    int64_t size; // of a leaf
  };
  static constexpr int kOpen = -1, kFixed = -2;

  /// What is needed to go back over a replacement.
  struct Replaced {
    /// In the order in which they lay, upwards, if `beside` was below them as
    /// isAbove says; in the reverse order otherwise. Either, if there is none.
    std::vector<Piece> pieces;
    std::vector<Piece> by;
    int beside = -1;
    bool isAbove = false;
  };

  explicit Layouts(Piece all) { list.push_back({all.id, 1, all.size}); }

  const std::vector<Node> &nodes() const { return list; }

  /// The leaves, numbers of nodes, are neighbours, and `by`, not empty, takes
  /// their place in any order. False, and nothing changes, if they cannot be
  /// neighbours.
  bool replace(const std::vector<int> &leaves, const std::vector<Piece> &by,
               Replaced &replaced);

  /// Natural logarithm of the number of orders.
  double freedom() const;

private:
  template <typename Visit> void forEachChild(int node, Visit visit) const {
    const int end = node + list[node].length;
    for (int child = node + 1; child < end; child += list[child].length)
      visit(child);
  }

  enum class Mark { None, Some, All };
  struct Counts {
    std::vector<int> marked, leaves; // below each node
    Mark of(int node) const {
      return marked[node] == 0             ? Mark::None
             : marked[node] < leaves[node] ? Mark::Some
                                           : Mark::All;
    }
  };
  /// One side of what becomes a stretch: nodes without marks from the outside
  /// inwards, each alone or several in any order, and then those with marks.
  struct Side {
    std::vector<std::vector<int>> without;
    std::vector<int> with;
  };
  Counts count(const std::vector<int> &leaves) const;
  bool split(int node, const Counts &counts, Side &side) const;
  bool splitFixed(int node, const Counts &counts, Side &low,
                  std::vector<int> &middle, Side &high) const;
  void appendLeaves(int node, std::vector<Piece> &pieces) const;

  std::vector<Node> list; // the root first
};

} // namespace smex::memory

#endif
