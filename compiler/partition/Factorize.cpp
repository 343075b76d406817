#include "compiler/partition/Factorize.h"

using namespace smex;

static void extend(int64_t workers, std::vector<int64_t> &soFar, size_t limit,
                   std::vector<std::vector<int64_t>> &all) {
  if (all.size() >= limit)
    return;
  if (workers == 1) {
    if (std::find(all.begin(), all.end(), soFar) == all.end())
      all.push_back(soFar);
    return;
  }
  for (int64_t factor = 2; factor <= workers; ++factor)
    if (workers % factor == 0) {
      soFar.push_back(factor);
      extend(workers / factor, soFar, limit, all);
      soFar.pop_back();
    }
}

std::vector<std::vector<int64_t>> partition::sequences(int64_t workers,
                                                       size_t limit) {
  std::vector<std::vector<int64_t>> all{factorize(workers)};
  std::vector<int64_t> soFar;
  extend(workers, soFar, limit, all);
  return all;
}
