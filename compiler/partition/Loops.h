// Walking a table in another order than its own (Minimization.cpp).
#ifndef SMEX_COMPILER_PARTITION_LOOPS_H
#define SMEX_COMPILER_PARTITION_LOOPS_H

#include <cstdint>
#include <vector>

namespace smex::partition::network {

/// Loops over tables: each over the values of a variable, or of several.
class Loops {
public:
  /// Inside of those so far; joined with the innermost one where it can be.
  void add(int64_t count, int64_t stride) {
    if (!loops.empty() && loops.back().stride == count * stride)
      loops.back() = {loops.back().count * count, stride};
    else
      loops.push_back({count, stride, 0});
  }

  /// Whether they walk entries one after the other, from the first one on.
  bool areContiguous() const {
    return loops.size() == 1 && loops[0].stride == 1;
  }

  /// For at least one loop. With the offset, and the count and the stride of
  /// the innermost one.
  template <typename Visit> void forEach(Visit visit) {
    const Loop last = loops.back();
    loops.pop_back();
    int64_t offset = 0;
    for (size_t i = 1; i > 0;) {
      visit(offset, last.count, last.stride);
      for (i = loops.size(); i > 0; --i) {
        Loop &loop = loops[i - 1];
        offset += loop.stride;
        if (++loop.place < loop.count)
          break;
        offset -= loop.count * loop.stride;
        loop.place = 0;
      }
    }
    loops.push_back(last);
  }

private:
  struct Loop {
    int64_t count, stride, place;
  };
  std::vector<Loop> loops; // the innermost one last
};

} // namespace smex::partition::network

#endif
