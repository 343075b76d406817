#include "compiler/partition/Outermost.h"

#include <map>

using namespace smex;
using namespace smex::partition;

namespace {

/// Equal words for regions of equal elements.
std::vector<int64_t> wordsOf(const std::vector<Box> &region) {
  std::vector<int64_t> words;
  for (const Box &box : region) {
    words.push_back(isEmpty(box));
    if (!isEmpty(box))
      for (Interval side : box)
        words.insert(words.end(), {side.lo, side.hi});
  }
  return words;
}

bool containsAll(const std::vector<Box> &outer, const std::vector<Box> &inner) {
  for (size_t w = 0; w < inner.size(); ++w)
    if (!contains(outer[w], inner[w]))
      return false;
  return true;
}

} // namespace

std::vector<size_t>
partition::outermost(const std::vector<std::vector<Box>> &regions) {
  std::map<std::vector<int64_t>, size_t> first; // repeated layers read alike
  std::vector<size_t> distinct;
  for (size_t i = 0; i < regions.size(); ++i)
    if (!std::all_of(regions[i].begin(), regions[i].end(), isEmpty) &&
        first.try_emplace(wordsOf(regions[i]), i).second)
      distinct.push_back(i);
  std::vector<size_t> kept;
  for (size_t i : distinct)
    if (std::none_of(distinct.begin(), distinct.end(), [&](size_t other) {
          return other != i && containsAll(regions[other], regions[i]);
        }))
      kept.push_back(i);
  return kept;
}
