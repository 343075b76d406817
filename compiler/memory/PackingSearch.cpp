#include "compiler/memory/PackingSearch.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

using namespace smex::memory;

namespace {

/// States that failed are remembered up to this many.
constexpr size_t kRemembered = size_t(1) << 20;
/// Buffers: each is a frame of the recursion.
constexpr size_t kMostBuffers = 4096;
constexpr int64_t kMostAlive = int64_t(1) << 22;
constexpr int kOrders = 6;

bool needsPlace(const Allocation &b) { return b.size > 0 && b.lower < b.upper; }

std::vector<Allocation> chosen(const std::vector<Allocation> &buffers) {
  std::vector<Allocation> list;
  std::copy_if(buffers.begin(), buffers.end(), std::back_inserter(list),
               needsPlace);
  return list;
}

} // namespace

bool PackingSearch::isSmall(const std::vector<Allocation> &buffers) {
  if (buffers.size() > kMostBuffers)
    return false;
  const Cliques cliques(chosen(buffers));
  int64_t alive = 0;
  for (size_t b = 0; b < cliques.first.size(); ++b)
    alive += cliques.last[b] - cliques.first[b];
  return alive <= kMostAlive;
}

PackingSearch::PackingSearch(const std::vector<Allocation> &buffers,
                             int64_t alignment)
    : given(buffers.size()), alignment(alignment),
      floors(chosen(buffers), alignment), sizes(floors.sizes()),
      cliques(floors.cliques()), sections(floors.sections()) {
  std::mt19937_64 random(1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Allocation &b = buffers[i];
    if (!needsPlace(b))
      continue;
    ids.push_back(int(i));
    lengths.push_back(double(b.upper - b.lower));
    keys.push_back(random());
  }
  crowds.assign(ids.size(), 0);
  for (const Floors::Section &section : sections) {
    int64_t sum = 0;
    for (int b : section.alive)
      sum += sizes[b];
    for (int b : section.alive)
      crowds[b] = std::max(crowds[b], sum);
  }
  ranks.resize(ids.size());
}

std::vector<int64_t> PackingSearch::offsets() const {
  std::vector<int64_t> result(given, 0);
  for (size_t b = 0; b < ids.size(); ++b)
    result[ids[b]] = floors.offset(int(b)) * alignment;
  return result;
}

void PackingSearch::order(int attempt) {
  countsFailures = attempt / kOrders % 2 == 0;
  // Later rounds shake the order, always in the same way.
  std::mt19937_64 random{uint64_t(attempt)};
  std::vector<double> length = lengths, failures(ids.size()), size;
  for (size_t b = 0; b < ids.size(); ++b) {
    const double noise =
        attempt < kOrders ? 1 : 0.7 + 0.6 * double(random() % 1024) / 1024;
    length[b] *= noise;
    size.push_back(double(sizes[b]) * noise);
    for (int t = cliques.first[b]; t < cliques.last[b]; ++t)
      failures[b] = std::max(failures[b], sections[t].failures);
  }
  const auto key = [&](int b) {
    using Key = std::tuple<double, double, double>;
    const double l = length[b], crowd = double(crowds[b]);
    switch (attempt % kOrders) {
    case 0:
      return Key{l, l * size[b], crowd};
    case 1:
      return Key{crowd, l * size[b], l};
    case 2:
      return Key{crowd, l, l * size[b]};
    case 3:
      return Key{failures[b], l, size[b]};
    case 4:
      return Key{l * size[b], crowd, l};
    default:
      return Key{size[b], l, crowd};
    }
  };
  std::vector<int> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return key(a) > key(b); });
  for (size_t k = 0; k < order.size(); ++k)
    ranks[order[k]] = int(k);
}

uint64_t PackingSearch::stateOf(int from, int to) const {
  uint64_t sum = 0;
  for (int t = from; t < to; ++t)
    for (int b : sections[t].starts)
      if (floors.floor(b) != Floors::kNone) {
        uint64_t mixed =
            (keys[b] ^ uint64_t(floors.floor(b))) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 29)) * 0xbf58476d1ce4e5b9u;
        sum += mixed ^ (mixed >> 32);
      }
  return sum;
}

int PackingSearch::pickSection(int from, int to) const {
  int best = -1;
  std::tuple<double, int64_t, int64_t> least;
  for (int low = from; low < to;) {
    const int64_t level = sections[low].level;
    int end = low + 1;
    while (end < to && sections[end].level == level)
      ++end;
    const bool isValley = level != Floors::kNone &&
                          (low == from || sections[low - 1].level > level) &&
                          (end == to || sections[end].level > level);
    for (int t = low; isValley && t < end; ++t) {
      const Floors::Section &section = sections[t];
      const int ways = section.onLevel + (section.slack > 0);
      const std::tuple<double, int64_t, int64_t> rank{
          countsFailures ? ways / section.failures : ways, section.slack,
          level};
      if (best < 0 || rank < least) {
        best = t;
        least = rank;
      }
    }
    low = end;
  }
  return best;
}

Verdict PackingSearch::solveParts(int from, int to, int buffer) {
  for (int t = cliques.first[buffer] + 1; t <= cliques.last[buffer]; ++t) {
    const bool isLast = t == cliques.last[buffer];
    if (!isLast && sections[t].crossing)
      continue;
    const Verdict verdict = solve(from, isLast ? to : t);
    if (verdict != Verdict::Fits)
      return verdict;
    from = t;
  }
  return Verdict::Fits;
}

Verdict PackingSearch::solve(int from, int to) {
  floors.taken += to - from;
  const size_t mark = floors.mark(), bottom = candidates.size();
  int picked = pickSection(from, to);
  if (picked < 0)
    return Verdict::Fits;
  const uint64_t state = stateOf(from, to);
  if (failed.count(state))
    return Verdict::Impossible;
  const auto leave = [&](Verdict verdict) {
    candidates.resize(bottom);
    floors.undo(mark);
    return verdict;
  };
  const auto areAlike = [&](int a, int b) {
    return sizes[a] == sizes[b] && cliques.first[a] == cliques.first[b] &&
           cliques.last[a] == cliques.last[b];
  };
  while (true) {
    if (floors.taken > limit)
      return leave(Verdict::OutOfSteps);
    candidates.resize(bottom);
    for (int b : sections[picked].alive)
      if (floors.floor(b) == sections[picked].level)
        candidates.push_back(b);
    std::sort(candidates.begin() + bottom, candidates.end(),
              [&](int a, int b) { return ranks[a] < ranks[b]; });
    const size_t end = candidates.size();
    for (size_t x = bottom; x < end; ++x) {
      const int buffer = candidates[x];
      if (std::any_of(candidates.begin() + bottom, candidates.begin() + x,
                      [&](int other) { return areAlike(other, buffer); }))
        continue;
      const size_t here = floors.mark();
      if (floors.place(buffer)) {
        const Verdict verdict = solveParts(from, to, buffer);
        if (verdict == Verdict::OutOfSteps)
          return leave(verdict);
        if (verdict == Verdict::Fits) {
          candidates.resize(bottom);
          return verdict;
        }
      }
      floors.undo(here);
    }
    if (sections[picked].slack <= 0 || !floors.leaveGap(picked))
      break;
    picked = pickSection(from, to);
  }
  if (failed.size() < kRemembered)
    failed.insert(state);
  return leave(Verdict::Impossible);
}

Verdict PackingSearch::run(int64_t until) {
  limit = until;
  Verdict verdict =
      floors.start(capacity) ? Verdict::Fits : Verdict::Impossible;
  for (int from = 0, t = 1; t <= cliques.count && verdict == Verdict::Fits; ++t)
    if (t == cliques.count || !sections[t].crossing) {
      verdict = solve(from, t);
      from = t;
    }
  return verdict;
}

Verdict PackingSearch::fit(int64_t bytes, int64_t steps) {
  failed.clear();
  capacity = bytes / alignment;
  const int64_t end = floors.taken + steps;
  int64_t alive = 0;
  for (const Floors::Section &section : sections)
    alive += int64_t(section.alive.size());
  // A run without failures takes about as many steps as there are pairs, or as
  // it took at another capacity.
  int64_t length = std::max(128 * alive, 2 * successLength);
  Verdict verdict = Verdict::OutOfSteps;
  for (int tries = 1; verdict == Verdict::OutOfSteps && floors.taken < end;
       ++tries) {
    const int64_t before = floors.taken;
    order(attempt);
    verdict = run(std::min(end, before + length));
    if (verdict == Verdict::Fits)
      successLength = floors.taken - before;
    else
      ++attempt;
    if (tries % kOrders == 0)
      length *= 2;
  }
  return verdict;
}
