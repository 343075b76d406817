#include "compiler/memory/Ejection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace smex::memory;

namespace {

/// By how much chance makes what is in the way seem harder, at most.
constexpr double kNoise = 1;
/// Of what is learnt, before all is written anew in that scale.
constexpr double kLargestScale = 1e30;
/// The next capacity: so much of what the packing is above its bound is taken
/// off, and half of that after each failure.
constexpr double kNext = 0.2;
/// Of all steps, those at one capacity.
constexpr int64_t kShare = 8;
/// Steps of a try beside those of its neighbours.
constexpr int64_t kTry = 16;
/// Up to so many offsets for a change are counted one by one.
constexpr size_t kDense = 4;

std::vector<int> withLife(const std::vector<Allocation> &buffers) {
  std::vector<int> ids;
  for (size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].size > 0 && buffers[b].lower < buffers[b].upper)
      ids.push_back(int(b));
  return ids;
}

int64_t divisorOf(const std::vector<Allocation> &buffers,
                  const std::vector<int> &ids, int64_t alignment) {
  int64_t unit = 0;
  for (const int id : ids)
    unit = std::gcd(unit, alignUp(buffers[size_t(id)].size, alignment));
  return std::max(unit, alignment);
}

std::vector<Allocation> inUnits(const std::vector<Allocation> &buffers,
                                const std::vector<int> &ids, int64_t unit) {
  std::vector<Allocation> list;
  for (const int id : ids) {
    const Allocation &b = buffers[size_t(id)];
    list.push_back({b.lower, b.upper, alignUp(b.size, unit) / unit});
  }
  return list;
}

} // namespace

Ejection::Ejection(const std::vector<Allocation> &buffers, int64_t alignment)
    : buffers(buffers), ids(withLife(buffers)),
      unit(divisorOf(buffers, ids, alignment)),
      needed(inUnits(buffers, ids, unit)), neighbours(needed),
      offsets(needed.size(), 0), isPlaced(needed.size(), 0),
      learnt(needed.size(), 0) {
  double sum = 0;
  for (const Allocation &b : needed) {
    const double area = double(b.size) * double(b.upper - b.lower);
    atFirst.push_back(std::sqrt(std::sqrt(area)));
    sum += atFirst.back();
  }
  for (double &hardness : atFirst)
    hardness *= double(needed.size()) / sum;
}

double Ejection::hardnessOf(int buffer) const {
  return atFirst[size_t(buffer)] + learnt[size_t(buffer)] * weight;
}

double Ejection::chance() { return double(random() >> 11) * 0x1p-53; }

/// What was learnt before counts for less from then on: its scale grows.
void Ejection::makeHarder(int buffer) {
  learnt[size_t(buffer)] += atFirst[size_t(buffer)] * scale;
  scale *= 1 + 1 / double(needed.size());
  if (scale > kLargestScale) {
    for (double &each : learnt)
      each /= scale;
    scale = 1;
  }
  weight = 1 / scale;
}

int Ejection::takeHardest() {
  const auto hardest =
      std::max_element(out.begin(), out.end(), [&](int a, int b) {
        return hardnessOf(a) < hardnessOf(b);
      });
  taken += int64_t(out.size());
  const int buffer = *hardest;
  *hardest = out.back();
  out.pop_back();
  return buffer;
}

/// Calls visit(place) for all offsets from 0 to the top, in ascending order,
/// those with the same in the way together.
template <typename Visit>
void Ejection::forEachPlace(int64_t top, Visit visit) {
  Place place;
  if (size_t(top) < kDense * changes.size()) {
    perOffset.assign(size_t(top) + 1, 0);
    for (const Change &change : changes)
      perOffset[size_t(change.offset)] += change.hardness;
    for (int64_t offset = 0; offset <= top; ++offset) {
      if (perOffset[size_t(offset)] != 0 && offset > place.first) {
        visit(place);
        place.first = offset;
      }
      place.hardness += perOffset[size_t(offset)];
      place.last = offset;
    }
    visit(place);
    return;
  }
  std::sort(
      changes.begin(), changes.end(),
      [](const Change &a, const Change &b) { return a.offset < b.offset; });
  for (auto change = changes.begin();;) {
    for (; change != changes.end() && change->offset <= place.first; ++change)
      place.hardness += change->hardness;
    place.last = change != changes.end() ? change->offset - 1 : top;
    visit(place);
    if (change == changes.end())
      return;
    place.first = change->offset;
  }
}

/// Of free places the one that leaves least beside it, of others the one where
/// the least is in the way, of equals any.
Ejection::Place Ejection::easiestPlace(int buffer, int64_t capacity) {
  const int64_t size = needed[size_t(buffer)].size, top = capacity - size;
  beside.clear();
  changes.clear();
  int64_t looks = kTry;
  neighbours.forEach(buffer, [&](int other) {
    ++looks;
    if (isPlaced[size_t(other)])
      beside.push_back(other);
  });
  // Hardness is in whole numbers of a small part, so that sums are exact: what
  // is nowhere in the way adds nothing.
  constexpr double kParts = 1 << 20;
  for (const int other : beside) {
    const int64_t low = offsets[size_t(other)] - size + 1,
                  high = offsets[size_t(other)] + needed[size_t(other)].size;
    const double hardness =
        std::ceil(kParts * hardnessOf(other) * (1 + kNoise * chance()));
    if (low <= top)
      changes.push_back({std::max<int64_t>(low, 0), hardness});
    if (low <= top && high <= top)
      changes.push_back({high, -hardness});
  }
  taken += looks + 4 * int64_t(beside.size());
  Place best;
  int64_t equals = 0;
  forEachPlace(top, [&](const Place &place) {
    const auto isBetter = [&] {
      if (equals == 0 || place.hardness != best.hardness)
        return equals == 0 || place.hardness < best.hardness;
      return place.hardness == 0 &&
             place.last - place.first < best.last - best.first;
    };
    if (isBetter())
      equals = 0;
    else if (place.hardness != best.hardness ||
             (place.hardness == 0 &&
              place.last - place.first > best.last - best.first))
      return;
    if (random() % uint64_t(++equals) == 0)
      best = place;
  });
  return best;
}

void Ejection::put(int buffer, int64_t capacity) {
  const Place place = easiestPlace(buffer, capacity);
  // Beside another one, so that what is free stays in one piece.
  const int64_t low = random() % 2 ? place.first : place.last,
                high = low + needed[size_t(buffer)].size;
  offsets[size_t(buffer)] = low;
  if (place.hardness > 0) {
    for (const int other : beside)
      if (offsets[size_t(other)] < high &&
          low < offsets[size_t(other)] + needed[size_t(other)].size) {
        isPlaced[size_t(other)] = 0;
        out.push_back(other);
      }
    makeHarder(buffer);
  }
  isPlaced[size_t(buffer)] = 1;
}

/// Within the capacity, in units. The rest of the packing stays where it is.
bool Ejection::fit(int64_t capacity, int64_t until) {
  out.clear();
  for (size_t b = 0; b < needed.size(); ++b) {
    isPlaced[b] = offsets[b] >= 0 && offsets[b] + needed[b].size <= capacity;
    if (!isPlaced[b])
      out.push_back(int(b));
  }
  while (!out.empty() && taken < until)
    put(takeHardest(), capacity);
  return out.empty();
}

void Ejection::go(int64_t steps, Placement &best) {
  const int64_t until = taken + steps,
                bound = alignUp(best.lowerBound, unit) / unit;
  double part = kNext;
  while (!isNearEnough(best.peak, best.lowerBound) && taken < until) {
    const int64_t before = best.peak,
                  above = alignUp(before, unit) / unit - bound,
                  less = std::max<int64_t>(1, int64_t(double(above) * part));
    if (above <= 0)
      return;
    // What is at no multiple of the unit is put back, too.
    for (size_t b = 0; b < needed.size(); ++b) {
      const int64_t offset = best.offsets[size_t(ids[b])];
      offsets[b] = offset % unit ? -1 : offset / unit;
    }
    if (fit(bound + above - less, std::min(until, taken + steps / kShare))) {
      std::vector<int64_t> lower(buffers.size(), 0);
      for (size_t b = 0; b < needed.size(); ++b)
        lower[size_t(ids[b])] = offsets[b] * unit;
      best.improve(buffers, std::move(lower));
      // Higher is only what needs no place.
      if (best.peak == before)
        return;
    } else if (less == 1) {
      return;
    } else {
      part /= 2;
    }
  }
}
