// The tasks of each union.
#ifndef SMEX_COMPILER_PLACEMENT_MEMBERS_H
#define SMEX_COMPILER_PLACEMENT_MEMBERS_H

#include <cstddef>
#include <vector>

namespace smex::placement {

class Members {
public:
  /// Of Problem::unions.
  explicit Members(const std::vector<int> &unions)
      : unions(unions), offsets(unions.size() + 1), list(unions.size()) {
    for (int first : unions)
      ++offsets[size_t(first) + 1];
    for (size_t t = 0; t < unions.size(); ++t)
      offsets[t + 1] += offsets[t];
    std::vector<int> next(offsets.begin(), offsets.end() - 1);
    for (size_t t = 0; t < unions.size(); ++t)
      list[size_t(next[size_t(unions[t])]++)] = int(t);
  }

  struct Range {
    const int *first, *last;
    const int *begin() const { return first; }
    const int *end() const { return last; }
    size_t size() const { return size_t(last - first); }
  };
  /// The task, and those that have to be on its device, in the graph's order.
  Range with(int task) const {
    const size_t first = size_t(unions[size_t(task)]);
    return {list.data() + offsets[first], list.data() + offsets[first + 1]};
  }

private:
  const std::vector<int> &unions;
  std::vector<int> offsets, list;
};

} // namespace smex::placement

#endif
