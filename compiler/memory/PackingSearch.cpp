#include "compiler/memory/PackingSearch.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

using namespace smex::memory;

namespace {

/// The floor of what is placed, and the level of a section without others.
constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;
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
    : given(buffers.size()), alignment(alignment), cliques(chosen(buffers)),
      sections(size_t(cliques.count)) {
  std::mt19937_64 random(1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Allocation &b = buffers[i];
    if (!needsPlace(b))
      continue;
    const int number = int(ids.size());
    ids.push_back(int(i));
    sizes.push_back((b.size + alignment - 1) / alignment);
    lengths.push_back(double(b.upper - b.lower));
    keys.push_back(random());
    for (int t = cliques.first[number]; t < cliques.last[number]; ++t)
      sections[t].alive.push_back(number);
    sections[cliques.first[number]].starts.push_back(number);
  }
  crowds.assign(ids.size(), 0);
  for (const Section &section : sections) {
    int64_t sum = 0;
    for (int b : section.alive)
      sum += sizes[b];
    for (int b : section.alive)
      crowds[b] = std::max(crowds[b], sum);
  }
  isTouched.assign(sections.size(), false);
  ranks.resize(ids.size());
  places.resize(ids.size());
}

std::vector<int64_t> PackingSearch::offsets() const {
  std::vector<int64_t> result(given, 0);
  for (size_t b = 0; b < ids.size(); ++b)
    result[ids[b]] = places[b] * alignment;
  return result;
}

template <typename Visit>
void PackingSearch::forEachOverlap(int buffer, Visit visit) {
  const int first = cliques.first[buffer], last = cliques.last[buffer];
  taken += int64_t(sections[first].alive.size());
  for (int b : sections[first].alive)
    visit(b);
  for (int t = first + 1; t < last; ++t)
    for (int b : sections[t].starts) {
      visit(b);
      ++taken;
    }
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

bool PackingSearch::measure(int index) {
  Section &section = sections[index];
  std::vector<int> &alive = section.alive;
  taken += int64_t(alive.size());
  // Nearly sorted since the last time.
  for (size_t x = 1; x < alive.size(); ++x) {
    const int b = alive[x];
    size_t y = x;
    for (; y > 0 && floors[alive[y - 1]] > floors[b]; --y)
      alive[y] = alive[y - 1];
    alive[y] = b;
  }
  const int64_t level = floors[alive.front()];
  int64_t top = 0;
  int onLevel = 0;
  for (int b : alive) {
    if (floors[b] == kNone)
      break;
    onLevel += floors[b] == level;
    top = std::max(top, floors[b]) + sizes[b];
  }
  const int64_t slack = capacity - top;
  if (level != section.level || onLevel != section.onLevel ||
      slack != section.slack) {
    trail.push_back(
        {Change::Sums, index, section.level, section.slack, section.onLevel});
    section.level = level;
    section.slack = slack;
    section.onLevel = onLevel;
  }
  return slack >= 0;
}

bool PackingSearch::settle() {
  bool fits = true;
  for (int t : touched) {
    isTouched[t] = false;
    if (fits && !measure(t)) {
      fits = false;
      sections[t].failures += 1;
    }
  }
  touched.clear();
  return fits;
}

void PackingSearch::raise(int buffer, int64_t floor) {
  trail.push_back({Change::Floor, buffer, floors[buffer], 0, 0});
  floors[buffer] = floor;
  taken += cliques.last[buffer] - cliques.first[buffer];
  for (int t = cliques.first[buffer]; t < cliques.last[buffer]; ++t)
    if (!isTouched[t]) {
      isTouched[t] = true;
      touched.push_back(t);
    }
}

bool PackingSearch::place(int buffer) {
  places[buffer] = floors[buffer];
  const int64_t top = floors[buffer] + sizes[buffer];
  raise(buffer, kNone);
  trail.push_back({Change::Place, buffer, 0, 0, 0});
  for (int t = cliques.first[buffer] + 1; t < cliques.last[buffer]; ++t)
    --sections[t].crossing;
  forEachOverlap(buffer, [&](int other) {
    if (floors[other] < top)
      raise(other, top);
  });
  return settle();
}

void PackingSearch::undo(size_t mark) {
  taken += int64_t(trail.size() - mark);
  for (; trail.size() > mark; trail.pop_back()) {
    const Change &change = trail.back();
    switch (change.kind) {
    case Change::Floor:
      floors[change.index] = change.value;
      break;
    case Change::Sums:
      sections[change.index].level = change.value;
      sections[change.index].slack = change.slack;
      sections[change.index].onLevel = change.onLevel;
      break;
    case Change::Place:
      for (int t = cliques.first[change.index] + 1;
           t < cliques.last[change.index]; ++t)
        ++sections[t].crossing;
      break;
    }
  }
}

bool PackingSearch::leaveGap(int index) {
  const int64_t level = sections[index].level;
  struct Refused {
    int buffer;
    int64_t support; // the lowest top of another that it may rest on
  };
  std::vector<Refused> refused;
  for (int b : sections[index].alive)
    if (floors[b] == level)
      refused.push_back({b, kNone});
  const auto isRefused = [&](int b) {
    return floors[b] == level && cliques.first[b] <= index &&
           index < cliques.last[b];
  };
  for (auto &[buffer, support] : refused) {
    int64_t lowest = kNone;
    forEachOverlap(buffer, [&](int other) {
      if (floors[other] != kNone && !isRefused(other))
        lowest = std::min(lowest, floors[other] + sizes[other]);
    });
    support = lowest;
  }
  for (const Refused &each : refused) {
    int64_t support = each.support;
    for (const Refused &other : refused)
      if (other.buffer != each.buffer)
        support = std::min(support, other.support + sizes[other.buffer]);
    if (support + sizes[each.buffer] > capacity) {
      sections[index].failures += 1;
      settle();
      return false;
    }
    raise(each.buffer, support);
  }
  if (!settle())
    return false;
  // Would one of them fit into the gap?
  for (const Refused &each : refused) {
    int64_t lowest = kNone;
    for (int t = cliques.first[each.buffer]; t < cliques.last[each.buffer]; ++t)
      lowest = std::min(lowest, sections[t].level);
    if (lowest >= level + sizes[each.buffer])
      return false;
  }
  return true;
}

uint64_t PackingSearch::stateOf(int from, int to) const {
  uint64_t sum = 0;
  for (int t = from; t < to; ++t)
    for (int b : sections[t].starts)
      if (floors[b] != kNone) {
        uint64_t mixed = (keys[b] ^ uint64_t(floors[b])) * 0x9e3779b97f4a7c15u;
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
    const bool isValley = level != kNone &&
                          (low == from || sections[low - 1].level > level) &&
                          (end == to || sections[end].level > level);
    for (int t = low; isValley && t < end; ++t) {
      const Section &section = sections[t];
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
  taken += to - from;
  const size_t mark = trail.size(), bottom = candidates.size();
  int picked = pickSection(from, to);
  if (picked < 0)
    return Verdict::Fits;
  const uint64_t state = stateOf(from, to);
  if (failed.count(state))
    return Verdict::Impossible;
  const auto leave = [&](Verdict verdict) {
    candidates.resize(bottom);
    undo(mark);
    return verdict;
  };
  const auto areAlike = [&](int a, int b) {
    return sizes[a] == sizes[b] && cliques.first[a] == cliques.first[b] &&
           cliques.last[a] == cliques.last[b];
  };
  while (true) {
    if (taken > limit)
      return leave(Verdict::OutOfSteps);
    candidates.resize(bottom);
    for (int b : sections[picked].alive)
      if (floors[b] == sections[picked].level)
        candidates.push_back(b);
    std::sort(candidates.begin() + bottom, candidates.end(),
              [&](int a, int b) { return ranks[a] < ranks[b]; });
    const size_t end = candidates.size();
    for (size_t x = bottom; x < end; ++x) {
      const int buffer = candidates[x];
      if (std::any_of(candidates.begin() + bottom, candidates.begin() + x,
                      [&](int other) { return areAlike(other, buffer); }))
        continue;
      const size_t here = trail.size();
      if (place(buffer)) {
        const Verdict verdict = solveParts(from, to, buffer);
        if (verdict == Verdict::OutOfSteps)
          return leave(verdict);
        if (verdict == Verdict::Fits) {
          candidates.resize(bottom);
          return verdict;
        }
      }
      undo(here);
    }
    if (sections[picked].slack <= 0 || !leaveGap(picked))
      break;
    picked = pickSection(from, to);
  }
  if (failed.size() < kRemembered)
    failed.insert(state);
  return leave(Verdict::Impossible);
}

void PackingSearch::start() {
  floors.assign(ids.size(), 0);
  for (Section &section : sections)
    section.crossing = 0;
  for (size_t b = 0; b < ids.size(); ++b)
    for (int t = cliques.first[b] + 1; t < cliques.last[b]; ++t)
      ++sections[t].crossing;
}

Verdict PackingSearch::run(int64_t until) {
  limit = until;
  start();
  Verdict verdict = Verdict::Fits;
  for (int t = 0; t < cliques.count; ++t)
    if (!measure(t))
      verdict = Verdict::Impossible;
  for (int from = 0, t = 1; t <= cliques.count && verdict == Verdict::Fits; ++t)
    if (t == cliques.count || !sections[t].crossing) {
      verdict = solve(from, t);
      from = t;
    }
  trail.clear();
  return verdict;
}

Verdict PackingSearch::fit(int64_t bytes, int64_t steps) {
  failed.clear();
  capacity = bytes / alignment;
  const int64_t end = taken + steps;
  int64_t alive = 0;
  for (const Section &section : sections)
    alive += int64_t(section.alive.size());
  // A run without failures takes about as many steps as there are pairs.
  int64_t length = 64 * alive;
  Verdict verdict = Verdict::OutOfSteps;
  for (int attempt = 0; verdict == Verdict::OutOfSteps && taken < end;
       ++attempt) {
    order(attempt);
    if (attempt % kOrders == kOrders - 1)
      length *= 2;
    verdict = run(std::min(end, taken + length));
  }
  return verdict;
}
