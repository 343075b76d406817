// What fits together, and how likely it is by chance.
#include "compiler/memory/Chance.h"
#include "compiler/memory/Reassembly.h"

#include <algorithm>
#include <cmath>

using namespace smex::memory;

namespace {

/// Boxes of one list that are looked at: where many are alike, none is sure.
constexpr size_t kLooks = 64;
/// Of what ends or starts at once: of more, no sets are looked at.
constexpr size_t kFew = 4;
/// Chances with a filler: by ends of it at which so much more or less is free
/// that it may start or end there, and by those at which that is all.
constexpr double kFilled[3][3] = {{0, 0, 0}, {1, 0.4, 0}, {0.3, 0.05, 0.001}};
/// What is surer is as good as this.
constexpr double kSure = 1e-6;
/// Of what odds say of wheels: of hundreds, in rectangles cut at random, those
/// that did not belong together were fewer by so much.
constexpr double kWheels = 1e-3;
/// Of a wheel with one part that is free space, as chances with a filler.
constexpr double kTornWheels = 0.01;

} // namespace

/// Whether what ends then and what starts then is sure to take the same bytes:
/// no part of the first is as large as a part of the second.
bool Reassembly::isOneEdge(int time) {
  const auto &ends = list(OuterEnds, time), &starts = list(OuterStarts, time);
  ++taken;
  if (ends.size() < 2 || starts.size() < 2)
    return true;
  if (ends.size() > kFew || starts.size() > kFew)
    return false;
  std::array<int64_t, 1 << kFew> sums;
  const auto sumOf = [&](const std::vector<int> &of, unsigned set) {
    int64_t sum = 0;
    for (size_t k = 0; k < of.size(); ++k)
      if (set >> k & 1)
        sum += boxes[of[k]].size;
    return sum;
  };
  const unsigned all = 1u << ends.size(), others = 1u << starts.size();
  taken += all;
  for (unsigned set = 1; set + 1 < all; ++set)
    sums[set] = sumOf(ends, set);
  for (unsigned set = 1; set + 1 < others; ++set) {
    const int64_t sum = sumOf(starts, set);
    for (unsigned other = 1; other + 1 < all; ++other)
      if (sums[other] == sum)
        return false;
  }
  return true;
}

/// That two with this life are not beside each other.
double Reassembly::alikeByChance(int lower, int upper) {
  return smex::memory::alikeByChance(isOneEdge(lower) + isOneEdge(upper),
                                     times[size_t(upper)] -
                                         times[size_t(lower)]);
}

bool Reassembly::hasLife(int lower, int upper, int butA, int butB) {
  size_t looks = 0;
  for (int other : shorter(OuterStarts, OuterEnds, lower, upper)) {
    ++taken;
    if (++looks > kLooks)
      return false;
    if (other != butA && other != butB && boxes[other].lower == lower &&
        boxes[other].upper == upper)
      return true;
  }
  return false;
}

double Reassembly::chanceOf(const Fit &fit) {
  if (fit.hasFiller) {
    const Gap gap = gapOf(fit);
    const int64_t start = growth[size_t(gap.lower)],
                  end = -growth[size_t(gap.upper)];
    const double filled = kFilled[(start >= gap.size) + (end >= gap.size)]
                                 [(start == gap.size) + (end == gap.size)];
    return fit.kind == Wheel ? kTornWheels * filled : filled;
  }
  const int a = fit.parts[0], b = fit.parts[1];
  const Box &first = boxes[a], &second = boxes[b];
  if (fit.kind == Stack)
    return alikeByChance(first.lower, first.upper);
  if (fit.kind == Wheel) {
    const Box &left = boxes[fit.parts[3]], &right = boxes[fit.parts[2]];
    const auto odds = [&](int time, const Box &larger) {
      const double pairs = double(list(OuterEnds, time).size()) *
                           double(list(OuterStarts, time).size());
      return std::min(1., pairs * rateOf(sizes, larger.size, 1)) /
             double(length(larger) + 1);
    };
    return kWheels * odds(second.lower, left) * odds(second.upper, right);
  }
  const auto &ends = list(OuterEnds, first.upper),
             &starts = list(OuterStarts, first.upper);
  if (ends.size() == 1 && starts.size() == 1)
    return 0;
  const auto alike = [&](const std::vector<int> &among) {
    const auto end = among.begin() + int64_t(std::min(among.size(), kLooks));
    taken += end - among.begin();
    return std::count_if(among.begin(), end, [&](int other) {
      return boxes[other].size == first.size;
    });
  };
  const double chance = double(ends.size()) * double(starts.size()) *
                        rateOf(sizes, first.size, 1);
  if (hasLife(first.lower, second.upper, a, b))
    return chance *
           std::min(1., alikeByChance(first.lower, second.upper) + 0.01);
  return alike(ends) * alike(starts) > 1 ? std::max(chance, 0.5) : chance;
}

void Reassembly::propose(Fit fit) {
  fit.chance = chanceOf(fit) + kSure;
  taken += 4;
  if (noise > 0)
    fit.chance *= std::exp(noise * (double(below(2001)) / 1000 - 1));
  for (int k = 0; k < partsOf(fit.kind); ++k)
    if (fit.parts[size_t(k)] >= 0)
      fit.made[size_t(k)] = boxes[fit.parts[size_t(k)]].made;
  fits.push(fit);
}

void Reassembly::proposeFor(int x) {
  const Box box = boxes[x];
  size_t looks = 0;
  for (int other : shorter(OuterStarts, OuterEnds, box.lower, box.upper)) {
    if (++looks > kLooks)
      break;
    if (other != x && boxes[other].lower == box.lower &&
        boxes[other].upper == box.upper)
      propose({Stack, {x, other}});
  }
  for (int other : list(OuterStarts, box.upper)) {
    if (++looks > 2 * kLooks)
      break;
    if (boxes[other].size == box.size)
      propose({Join, {x, other}});
  }
  for (int other : list(OuterEnds, box.lower)) {
    if (++looks > 3 * kLooks)
      break;
    if (boxes[other].size == box.size)
      propose({Join, {other, x}});
  }
  // What this confirms: two with its life together.
  for (int first : list(OuterStarts, box.lower)) {
    if (++looks > 4 * kLooks)
      break;
    if (boxes[first].upper >= box.upper)
      continue;
    for (int second : list(OuterStarts, boxes[first].upper)) {
      if (++looks > 4 * kLooks)
        break;
      if (boxes[second].upper == box.upper &&
          boxes[second].size == boxes[first].size)
        propose({Join, {first, second}});
    }
  }
  taken += int64_t(looks);
  if (!isFull && box.kind != Filler)
    proposeFilled(x);
}

/// Where the filler is to be.
Reassembly::Gap Reassembly::gapOf(const Fit &fit) const {
  if (fit.kind == Wheel) {
    const auto part = [&](int k) -> const Box & {
      return boxes[fit.parts[size_t(k)]];
    };
    const auto &[under, centre, right, left, above] = fit.parts;
    if (under < 0)
      return {part(3).lower, part(2).lower, part(2).size - part(1).size};
    if (centre < 0)
      return {part(3).upper, part(0).upper, part(3).size - part(4).size};
    if (right < 0)
      return {part(0).upper, part(4).upper, part(0).size + part(1).size};
    if (left < 0)
      return {part(0).lower, part(4).lower, part(4).size + part(1).size};
    return {part(3).upper, part(2).upper, part(3).size - part(1).size};
  }
  const Box &first = boxes[fit.parts[0]], &second = boxes[fit.parts[1]];
  if (fit.kind == Join && first.upper < second.lower)
    return {first.upper, second.lower, first.size};
  if (fit.kind == Join) {
    const Box &small = first.size < second.size ? first : second;
    return {small.lower, small.upper,
            std::max(first.size, second.size) - small.size};
  }
  const bool isFirst = length(first) < length(second);
  const Box &brief = isFirst ? first : second,
            &other = isFirst ? second : first;
  return brief.lower == other.lower ? Gap{brief.upper, other.upper, brief.size}
                                    : Gap{other.lower, brief.lower, brief.size};
}

/// Of buffers with a filler.
void Reassembly::proposeIfRoom(const Fit &fit) {
  const Gap gap = gapOf(fit);
  taken += 4;
  const bool mayStart = growth[size_t(gap.lower)] >= gap.size,
             mayEnd = -growth[size_t(gap.upper)] >= gap.size;
  const bool isOfBuffers = std::none_of(
      fit.parts.begin(), fit.parts.begin() + partsOf(fit.kind),
      [&](int part) { return part >= 0 && boxes[part].kind == Filler; });
  if (isOfBuffers && (mayStart || mayEnd) &&
      room.least(gap.lower, gap.upper) >= gap.size)
    propose(fit);
}

void Reassembly::proposeFilled(int x) {
  const Box box = boxes[x];
  size_t looks = 0;
  for (int other : list(OuterStarts, box.upper))
    if (++looks <= kLooks && boxes[other].size != box.size)
      proposeIfRoom({Join, {x, other}, true});
  for (int other : list(OuterEnds, box.lower))
    if (++looks <= 2 * kLooks && boxes[other].size != box.size)
      proposeIfRoom({Join, {other, x}, true});
  for (int other : list(OuterStarts, box.lower))
    if (++looks <= 3 * kLooks && boxes[other].upper != box.upper)
      proposeIfRoom({Stack, {x, other}, true});
  for (int other : list(OuterEnds, box.upper))
    if (++looks <= 4 * kLooks && boxes[other].lower != box.lower)
      proposeIfRoom({Stack, {x, other}, true});
  // What comes again after a while.
  const int last = int(times.size()) - 1;
  if (growth[size_t(box.upper)] > 0)
    for (int t = box.upper + 1; t < std::min(last, box.upper + int(kLooks));
         ++t, ++taken)
      if (growth[size_t(t)] < 0)
        for (int other : list(OuterStarts, t))
          if (++looks <= 5 * kLooks && boxes[other].size == box.size)
            proposeIfRoom({Join, {x, other}, true});
  if (growth[size_t(box.lower)] < 0)
    for (int t = box.lower - 1; t > std::max(0, box.lower - int(kLooks));
         --t, ++taken)
      if (growth[size_t(t)] > 0)
        for (int other : list(OuterEnds, t))
          if (++looks <= 6 * kLooks && boxes[other].size == box.size)
            proposeIfRoom({Join, {other, x}, true});
  taken += int64_t(std::min(looks, 6 * kLooks));
  findTornWheels(x);
}
