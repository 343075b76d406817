// Boxes: the regions this project reasons about. A tensor's region, an
// operator's share of its iteration space and a buffer's place in a tensor are
// all boxes of half-open integer intervals.
#ifndef SMEX_DIALECTS_SUPPORT_BOX_H
#define SMEX_DIALECTS_SUPPORT_BOX_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace smex {

/// The integers i with lo <= i < hi; empty where hi <= lo.
struct Interval {
  int64_t lo = 0, hi = 0;

  int64_t size() const { return hi > lo ? hi - lo : 0; }
  bool empty() const { return hi <= lo; }
  bool contains(Interval other) const {
    return other.empty() || (lo <= other.lo && other.hi <= hi);
  }
  bool operator==(const Interval &other) const {
    return lo == other.lo && hi == other.hi;
  }
  bool operator!=(const Interval &other) const { return !(*this == other); }
};

inline Interval intersect(Interval a, Interval b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

/// The smallest interval that holds both; an empty one adds nothing.
inline Interval hull(Interval a, Interval b) {
  if (a.empty())
    return b;
  if (b.empty())
    return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Part `part` of `ways` nearly equal parts: uneven where `ways` does not
/// divide the size, empty where there are more parts than elements.
inline Interval cut(Interval whole, int64_t ways, int64_t part) {
  const int64_t size = whole.size();
  // size * part would overflow for sizes near 2^63; quotient and rest do not.
  const auto at = [&](int64_t p) {
    return whole.lo + size / ways * p + size % ways * p / ways;
  };
  return {at(part), at(part + 1)};
}

/// One interval per dimension, or absent: no region at all. Rank 0 is a single
/// point, which is there unless the box is absent: what one worker alone has of
/// a scalar, the others' boxes are absent. The sides of an absent box are
/// empty.
class Box {
public:
  Box() = default;
  /// Of empty sides; of rank 0, the point.
  explicit Box(size_t rank) : sides(rank) {}
  Box(std::initializer_list<Interval> sides) : sides(sides) {}
  template <typename Iterator, typename = typename std::iterator_traits<
                                   Iterator>::iterator_category>
  Box(Iterator begin, Iterator end) : sides(begin, end) {}

  static Box absent(size_t rank) {
    Box box(rank);
    box.missing = true;
    return box;
  }
  bool isAbsent() const { return missing; }

  size_t size() const { return sides.size(); } // the rank
  Interval &operator[](size_t d) { return sides[d]; }
  const Interval &operator[](size_t d) const { return sides[d]; }
  Interval &back() { return sides.back(); }
  const Interval &back() const { return sides.back(); }
  auto begin() { return sides.begin(); }
  auto begin() const { return sides.begin(); }
  auto end() { return sides.end(); }
  auto end() const { return sides.end(); }
  /// All sides, without whether they are there.
  const std::vector<Interval> &intervals() const { return sides; }
  void push_back(Interval side) { sides.push_back(side); }
  void reserve(size_t rank) { sides.reserve(rank); }
  void resize(size_t rank) { sides.resize(rank); }
  template <typename Iterator> void append(Iterator begin, Iterator end) {
    sides.insert(sides.end(), begin, end);
  }

  bool operator==(const Box &other) const {
    return missing == other.missing && (missing || sides == other.sides);
  }
  bool operator!=(const Box &other) const { return !(*this == other); }

private:
  std::vector<Interval> sides;
  bool missing = false;
};

/// The box [0, shape[d]) in every dimension.
Box wholeBox(const std::vector<int64_t> &shape);

/// Elements in the box: 1 for rank 0, 0 if any dimension is empty or the box is
/// absent.
int64_t volume(const Box &box);
bool isEmpty(const Box &box);
bool contains(const Box &outer, const Box &inner);
/// Absent if one of the two is.
Box intersect(const Box &a, const Box &b);
Box hull(const Box &a, const Box &b);
std::vector<int64_t> extents(const Box &box);

/// `outer` less `inner`, as disjoint boxes (at most two per dimension).
std::vector<Box> subtract(const Box &outer, const Box &inner);

/// Where the part begins in the whole, in elements of row-major order, if its
/// elements are neighbours there. Neither is absent or empty.
std::optional<int64_t> runIn(const Box &whole, const Box &part);

/// The first `rank` sides; absent if the box is.
Box front(const Box &box, size_t rank);

/// "[0:4, 8:16]", or "nothing".
std::string toString(const Box &box);

} // namespace smex

#endif
