#include "compiler/partition/Outermost.h"

#include <map>

using namespace smex;
using namespace smex::partition;

static bool isNothing(const Needed &needed) { return elementsOf(needed) == 0; }

std::vector<int64_t> partition::wordsOf(const std::vector<Needed> &region) {
  std::vector<int64_t> words;
  for (const Needed &needed : region) {
    words.push_back(isEmpty(needed.box));
    if (words.back())
      continue;
    for (Interval side : needed.box)
      words.insert(words.end(), {side.lo, side.hi});
    const Runs rows = rowsOf(needed);
    words.push_back(int64_t(rows.size()));
    for (Interval run : rows)
      words.insert(words.end(), {run.lo, run.hi});
  }
  return words;
}

bool partition::containsAll(const std::vector<Needed> &outer,
                            const std::vector<Needed> &inner) {
  for (size_t w = 0; w < inner.size(); ++w)
    if (!partition::contains(outer[w], inner[w]))
      return false;
  return true;
}

std::vector<size_t>
partition::outermost(const std::vector<std::vector<Needed>> &regions) {
  std::map<std::vector<int64_t>, size_t> first; // repeated layers read alike
  std::vector<size_t> distinct;
  for (size_t i = 0; i < regions.size(); ++i)
    if (!std::all_of(regions[i].begin(), regions[i].end(), isNothing) &&
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
