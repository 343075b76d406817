// Five boxes around each other, or four around free space.
#include "compiler/memory/Reassembly.h"

#include <algorithm>

using namespace smex::memory;

namespace {

/// Boxes of one list that are looked at for a wheel with free space.
constexpr size_t kLooks = 64;

} // namespace

/// The centre lives from a to b. One that ends at a is as much larger than one
/// that starts then as the centre, and one that starts at b than one that ends
/// then; those that start first start together, and the last end together.
void Reassembly::findWheelsAround(int c, bool amongAll,
                                  std::vector<Parts> &found) {
  const List starts = amongAll ? AllStarts : OuterStarts,
             ends = amongAll ? AllEnds : OuterEnds;
  const Box &centre = boxes[c];
  size_t looks = 0;
  const auto isTooMuch = [&] {
    ++taken;
    return ++looks > 4 * kLooks;
  };
  for (int left : list(ends, centre.lower)) {
    if (boxes[left].size <= centre.size)
      continue;
    for (int above : list(starts, centre.lower)) {
      if (isTooMuch())
        return;
      if (boxes[above].size + centre.size != boxes[left].size ||
          boxes[above].upper <= centre.upper)
        continue;
      for (int under : shorter(starts, ends, boxes[left].lower, centre.upper)) {
        if (isTooMuch())
          return;
        if (boxes[under].lower != boxes[left].lower ||
            boxes[under].upper != centre.upper)
          continue;
        for (int right :
             shorter(starts, ends, centre.upper, boxes[above].upper)) {
          if (isTooMuch())
            return;
          if (boxes[right].lower == centre.upper &&
              boxes[right].upper == boxes[above].upper &&
              boxes[right].size == boxes[under].size + centre.size)
            found.push_back({under, c, right, left, above});
        }
      }
    }
  }
}

/// Calls visit(other) for boxes that start or end with it, at most so many of
/// each list.
template <typename Visit>
void Reassembly::forNear(int x, List starts, List ends, size_t most,
                         Visit visit) const {
  const int lower = boxes[x].lower, upper = boxes[x].upper;
  for (const auto &[which, time] :
       {std::pair(starts, upper), std::pair(starts, lower),
        std::pair(ends, upper), std::pair(ends, lower)}) {
    const std::vector<int> &near = list(which, time);
    for (size_t k = 0; k < std::min(near.size(), most); ++k)
      if (near[k] != x)
        visit(which, time, near[k]);
  }
}

void Reassembly::findWheels(int x, bool amongAll, std::vector<Parts> &found) {
  findWheelsAround(x, amongAll, found);
  std::vector<Parts> around;
  forNear(x, amongAll ? AllStarts : OuterStarts, amongAll ? AllEnds : OuterEnds,
          kLooks / 8, [&](List, int, int near) {
            findWheelsAround(near, amongAll, around);
          });
  for (const Parts &parts : around)
    if (std::find(parts.begin(), parts.end(), x) != parts.end())
      found.push_back(parts);
}

/// Four around each other, the centre among them: of the two pairs of which one
/// is as much larger than the other as the centre, one is whole.
void Reassembly::findTornWheelsAround(int c) {
  const Box &centre = boxes[c];
  size_t looks = 0;
  const auto isTooMuch = [&] {
    ++taken;
    return ++looks > kLooks;
  };
  const auto &lefts = list(OuterEnds, centre.lower),
             &aboves = list(OuterStarts, centre.lower),
             &unders = list(OuterEnds, centre.upper),
             &rights = list(OuterStarts, centre.upper);
  for (int left : lefts)
    for (int above : aboves) {
      if (isTooMuch())
        return;
      if (boxes[above].size + centre.size != boxes[left].size ||
          boxes[above].upper <= centre.upper)
        continue;
      for (int right : rights)
        if (boxes[right].upper == boxes[above].upper &&
            boxes[right].size > centre.size)
          proposeIfRoom({Wheel, {-1, c, right, left, above}, true});
      for (int under : unders)
        if (boxes[under].lower == boxes[left].lower)
          proposeIfRoom({Wheel, {under, c, -1, left, above}, true});
      looks += rights.size() + unders.size();
    }
  for (int under : unders)
    for (int right : rights) {
      if (isTooMuch())
        return;
      if (boxes[under].size + centre.size != boxes[right].size ||
          boxes[under].lower >= centre.lower)
        continue;
      for (int left : lefts)
        if (boxes[left].lower == boxes[under].lower &&
            boxes[left].size > centre.size)
          proposeIfRoom({Wheel, {under, c, right, left, -1}, true});
      for (int above : aboves)
        if (boxes[above].upper == boxes[right].upper)
          proposeIfRoom({Wheel, {under, c, right, -1, above}, true});
      looks += lefts.size() + aboves.size();
    }
}

/// Four around free space.
void Reassembly::findTornWheelsWithout(int l) {
  const Box &left = boxes[l];
  size_t looks = 0;
  for (int above : list(OuterStarts, left.upper)) {
    const int64_t size = left.size - boxes[above].size;
    if (size <= 0)
      continue;
    for (int under : list(OuterStarts, left.lower)) {
      ++taken;
      if (++looks > kLooks)
        return;
      if (boxes[under].upper <= left.upper ||
          boxes[under].upper >= boxes[above].upper)
        continue;
      for (int right : list(OuterStarts, boxes[under].upper)) {
        ++taken;
        if (++looks > kLooks)
          return;
        if (boxes[right].upper == boxes[above].upper &&
            boxes[right].size == boxes[under].size + size)
          proposeIfRoom({Wheel, {under, -1, right, l, above}, true});
      }
    }
  }
}

/// With it, or near it.
void Reassembly::findTornWheels(int x) {
  findTornWheelsAround(x);
  findTornWheelsWithout(x);
  const int lower = boxes[x].lower;
  forNear(x, OuterStarts, OuterEnds, kLooks / 16,
          [&](List, int, int near) { findTornWheelsAround(near); });
  forNear(x, OuterStarts, OuterEnds, kLooks / 16,
          [&](List, int time, int near) {
            if (time == lower)
              findTornWheelsWithout(near);
          });
}
