#include "dialects/support/Box.h"

using namespace smex;

Box smex::wholeBox(const std::vector<int64_t> &shape) {
  Box box;
  box.reserve(shape.size());
  for (int64_t extent : shape)
    box.push_back({0, extent});
  return box;
}

int64_t smex::volume(const Box &box) {
  if (box.isAbsent())
    return 0;
  int64_t product = 1;
  for (Interval side : box)
    product *= side.size();
  return product;
}

bool smex::isEmpty(const Box &box) {
  return box.isAbsent() ||
         std::any_of(box.begin(), box.end(),
                     [](Interval side) { return side.empty(); });
}

bool smex::contains(const Box &outer, const Box &inner) {
  if (isEmpty(inner))
    return true;
  if (outer.isAbsent())
    return false;
  for (size_t d = 0; d < inner.size(); ++d)
    if (!outer[d].contains(inner[d]))
      return false;
  return true;
}

Box smex::intersect(const Box &a, const Box &b) {
  if (a.isAbsent() || b.isAbsent())
    return Box::absent(a.size());
  Box box(a.size());
  for (size_t d = 0; d < a.size(); ++d)
    box[d] = intersect(a[d], b[d]);
  return box;
}

Box smex::hull(const Box &a, const Box &b) {
  if (isEmpty(a))
    return b;
  if (isEmpty(b))
    return a;
  Box box(a.size());
  for (size_t d = 0; d < a.size(); ++d)
    box[d] = hull(a[d], b[d]);
  return box;
}

std::vector<int64_t> smex::extents(const Box &box) {
  std::vector<int64_t> sizes;
  for (Interval side : box)
    sizes.push_back(side.size());
  return sizes;
}

std::vector<Box> smex::subtract(const Box &outer, const Box &inner) {
  if (isEmpty(outer))
    return {};
  const Box common = intersect(outer, inner);
  if (isEmpty(common))
    return {outer};
  // Peel the slabs below and above the common part, one dimension at a time;
  // what is left shrinks to the common part.
  std::vector<Box> pieces;
  Box rest = outer;
  for (size_t d = 0; d < outer.size(); ++d) {
    if (rest[d].lo < common[d].lo) {
      pieces.push_back(rest);
      pieces.back()[d].hi = common[d].lo;
    }
    if (common[d].hi < rest[d].hi) {
      pieces.push_back(rest);
      pieces.back()[d].lo = common[d].hi;
    }
    rest[d] = common[d];
  }
  return pieces;
}

std::optional<int64_t> smex::runIn(const Box &whole, const Box &part) {
  int64_t offset = 0, stride = 1;
  bool isWhole = true; // all dimensions further in
  for (size_t d = part.size(); d-- > 0;) {
    if (!isWhole && part[d].size() != 1)
      return std::nullopt;
    isWhole &= part[d] == whole[d];
    offset += (part[d].lo - whole[d].lo) * stride;
    stride *= whole[d].size();
  }
  return offset;
}

Box smex::front(const Box &box, size_t rank) {
  return box.isAbsent() ? Box::absent(rank)
                        : Box(box.begin(), box.begin() + int64_t(rank));
}

std::string smex::toString(const Box &box) {
  if (box.isAbsent())
    return "nothing";
  std::string text = "[";
  for (size_t d = 0; d < box.size(); ++d) {
    if (d)
      text += ", ";
    text += std::to_string(box[d].lo) + ":" + std::to_string(box[d].hi);
  }
  return text + "]";
}
