// What the integers of a part of a tensor may be. An input often holds several
// things that say where to read: of indices for GatherND each column counts in
// a dimension of its own, of the edges of a graph one row numbers users and the
// other items. So a range belongs to a part.
#ifndef SMEX_DIALECTS_SUPPORT_PARTRANGE_H
#define SMEX_DIALECTS_SUPPORT_PARTRANGE_H

#include <cstdint>
#include <string>
#include <vector>

namespace smex {

/// The coordinates first, first + step, ... of a dimension, `count` of them.
struct Progression {
  int64_t first = 0, count = 0, step = 1;

  int64_t last() const { return first + (count - 1) * step; }
  bool operator==(const Progression &other) const {
    return first == other.first && count == other.count && step == other.step;
  }
};

/// One per dimension of a tensor: the elements at each combination of their
/// coordinates. A tensor of rank 0 has one part, itself.
using Part = std::vector<Progression>;

inline Part wholePart(const std::vector<int64_t> &shape) {
  Part part;
  for (int64_t extent : shape)
    part.push_back({0, extent, 1});
  return part;
}

/// Of the elements in the part, the integers are in [low, high].
struct PartRange {
  Part part;
  int64_t low = 0, high = 0;

  bool operator==(const PartRange &other) const {
    return part == other.part && low == other.low && high == other.high;
  }
};

/// Why the part is none of a tensor of this shape: the end of a message, or ""
/// where it is one, and has an element.
inline std::string notPartOf(const Part &part,
                             const std::vector<int64_t> &shape) {
  if (part.size() != shape.size())
    return "has " + std::to_string(part.size()) +
           " dimensions, and its tensor has " + std::to_string(shape.size());
  for (size_t d = 0; d < part.size(); ++d) {
    const auto [first, count, step] = part[d];
    if (first < 0 || count < 1 || step < 1 || first >= shape[d] ||
        (count - 1) > (shape[d] - 1 - first) / step)
      return "leaves dimension " + std::to_string(d) + " of its tensor";
  }
  return "";
}

/// Calls `each` with the number of every element of the part, in row-major
/// order, until it says false. The part is one of a tensor of this shape.
template <typename Each>
void forEachElement(const Part &part, const std::vector<int64_t> &shape,
                    Each &&each) {
  std::vector<int64_t> at(part.size(), 0); // which coordinate of each dimension
  while (true) {
    int64_t element = 0;
    for (size_t d = 0; d < part.size(); ++d)
      element = element * shape[d] + part[d].first + at[d] * part[d].step;
    if (!each(element))
      return;
    size_t d = part.size();
    while (d > 0 && ++at[d - 1] == part[d - 1].count)
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

} // namespace smex

#endif
