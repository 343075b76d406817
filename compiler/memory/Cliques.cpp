#include "compiler/memory/Cliques.h"

#include <algorithm>

using namespace smex::memory;

Cliques::Cliques(const std::vector<Allocation> &buffers) {
  std::vector<int64_t> starts, ends;
  for (const Allocation &b : buffers) {
    starts.push_back(b.lower);
    ends.push_back(b.upper);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::sort(ends.begin(), ends.end());
  // Where nothing ends before the next buffer starts, that one joins the same
  // set.
  std::vector<int64_t> times;
  for (size_t k = 0; k < starts.size(); ++k) {
    const auto end = std::upper_bound(ends.begin(), ends.end(), starts[k]);
    if (k + 1 == starts.size() || *end <= starts[k + 1])
      times.push_back(starts[k]);
  }
  count = int(times.size());
  const auto at = [&](int64_t time) {
    return int(std::lower_bound(times.begin(), times.end(), time) -
               times.begin());
  };
  for (const Allocation &b : buffers) {
    first.push_back(at(b.lower));
    last.push_back(at(b.upper));
  }
}
