#include "compiler/pipeline/LessMemory.h"

#include <algorithm>

using namespace smex;
using namespace smex::pipeline;

Result<Candidate> smex::pipeline::placeWithin(const MemoryLimit &limit,
                                              int64_t bytes,
                                              const PlaceWithin &place) {
  constexpr int kTries = 6;
  auto best = place(bytes);
  if (!best)
    for (const int64_t share : {32, 10}) {
      auto more = place(bytes + bytes / share);
      if (more && limit.isKeptBy(more->peaks()))
        return more;
    }
  if (!best || limit.isKeptBy(best->peaks()))
    return best;
  // A plan of `tooMuch` exceeds the limit, and in `tooLittle` nothing can be
  // placed.
  int64_t tooMuch = bytes, tooLittle = -1;
  int64_t excess = limit.worstOf(best->peaks()).excess;
  for (int t = 1; t < kTries; ++t) {
    bytes = tooMuch - excess;
    if (bytes <= tooLittle)
      bytes = tooLittle + (tooMuch - tooLittle) / 2;
    if (bytes <= tooLittle)
      break;
    auto next = place(bytes);
    if (!next) {
      tooLittle = bytes;
      continue;
    }
    if (limit.isKeptBy(next->peaks()))
      return next;
    tooMuch = bytes;
    excess = limit.worstOf(next->peaks()).excess;
    if (excess < limit.worstOf(best->peaks()).excess)
      best = std::move(next);
  }
  return best;
}

Result<Candidate> smex::pipeline::offloadWithin(const MemoryLimit &limit,
                                                const OffloadWithin &offload,
                                                std::optional<double> toBeat) {
  constexpr int kTries = 6, kSmallSteps = 2, kBetween = 2;
  std::vector<int64_t> capacities = limit.bytes, tooMuch;
  std::vector<bool> lacks(capacities.size(), true); // in the last plan
  std::optional<int64_t> bound;                     // in the limit itself
  for (int t = 1;; ++t) {
    // Who has kept the limit so far need not move for the others, if that is
    // enough: what is left on one worker may lie in the way of another's
    // buffers.
    for (size_t w = 0; t >= kTries && w < capacities.size(); ++w)
      capacities[w] = lacks[w] || t > kTries ? 0 : capacities[w];
    auto made = offload(capacities);
    if (!made)
      return made;
    if (!bound)
      bound = made->search.hostLowerBoundBytes.value_or(0);
    if (!limit.isKeptBy(made->peaks())) {
      const bool isLeast =
          std::all_of(capacities.begin(), capacities.end(),
                      [](int64_t bytes) { return bytes == 0; });
      made->isBehind = toBeat && made->cost() >= *toBeat;
      if (t > kTries || isLeast || made->isBehind) {
        boundBy(*bound, *made);
        return made;
      }
      tooMuch = capacities;
      for (size_t w = 0; w < capacities.size(); ++w)
        lacks[w] = made->peaks()[w] > limit.bytes[w];
      for (size_t w = 0; w < capacities.size(); ++w)
        capacities[w] -= std::clamp<int64_t>(
            (made->peaks()[w] - limit.bytes[w]) * (int64_t(1) << (t - 1)), 0,
            capacities[w]);
      continue;
    }
    for (int b = 0; b < kBetween && t > kSmallSteps; ++b) {
      std::vector<int64_t> middle = capacities;
      for (size_t w = 0; w < middle.size(); ++w)
        middle[w] += (tooMuch[w] - middle[w]) / 2;
      auto next = offload(middle);
      const bool isKept = next && limit.isKeptBy(next->peaks());
      (isKept ? capacities : tooMuch) = std::move(middle);
      if (isKept && next->cost() < made->cost())
        made = std::move(next);
    }
    boundBy(*bound, *made);
    return made;
  }
}

void smex::pipeline::boundBy(int64_t bytes, Candidate &made) {
  if (auto &bound = made.search.hostLowerBoundBytes)
    bound = std::min(*bound, bytes);
}
