#include "runtime/graph/Choice.h"

#include <algorithm>

using namespace smex;
using namespace smex::graph;

/// Floyd's: each step adds one.
const Numbers &Choice::draw(int64_t few, int64_t all, const Random &random) {
  chosen.clear();
  if (int64_t(isChosen.size()) < all)
    isChosen.resize(size_t(all), false);
  for (int64_t last = all - few; last < all; ++last) {
    const int64_t number = random.below(last + 1, uint64_t(last));
    chosen.push_back(isChosen[size_t(number)] ? last : number);
    isChosen[size_t(chosen.back())] = true;
  }
  for (int64_t number : chosen)
    isChosen[size_t(number)] = false;
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}
