// Divisions drawn from a seed.
#ifndef SMEX_TEST_DIALECTS_SUPPORT_RANDOMDIVISIONS_H
#define SMEX_TEST_DIALECTS_SUPPORT_RANDOMDIVISIONS_H

#include "dialects/support/Shares.h"

#include <random>

namespace smex {

class Draws {
public:
  explicit Draws(uint64_t seed) : engine(seed) {}
  int64_t below(int64_t n) { return int64_t(engine() % uint64_t(n)); }

private:
  std::mt19937_64 engine;
};

/// Of every kind.
inline Division randomDivision(Draws &random,
                               const std::vector<int64_t> &extents,
                               int64_t ways, int64_t before) {
  const int along = int(random.below(int64_t(extents.size())));
  switch (random.below(6)) {
  case 0:
    return Division::whole();
  case 1:
    return Division::placed(random.below(ways));
  case 2:
    return Division::term(Reducer::Sum);
  case 3: {
    std::vector<int64_t> weights(size_t(ways), 1);
    for (int64_t &weight : weights)
      weight += random.below(3);
    return Division::weighted(along, weights);
  }
  case 4: {
    Division::Bounds bounds(size_t(before), std::vector<int64_t>(ways - 1));
    for (auto &list : bounds) {
      for (int64_t &bound : list)
        bound = random.below(extents[size_t(along)] + 1);
      std::sort(list.begin(), list.end());
    }
    return Division::bounded(along, bounds);
  }
  default:
    return Division::part(along);
  }
}

inline Divisions randomDivisions(Draws &random,
                                 const std::vector<int64_t> &extents,
                                 const Ways &ways) {
  Divisions divisions;
  int64_t before = 1;
  for (int64_t k : ways) {
    divisions.push_back(randomDivision(random, extents, k, before));
    before *= k;
  }
  return divisions;
}

} // namespace smex

#endif
