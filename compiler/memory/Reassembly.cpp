#include "compiler/memory/Reassembly.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace smex::memory;

namespace {

/// Boxes of one list that are looked at: where many are alike, none is sure.
constexpr size_t kLooks = 64;
/// Deeper boxes are not taken apart.
constexpr int kDeepest = 400;

} // namespace

Reassembly::Reassembly(const std::vector<Allocation> &buffers,
                       int64_t alignment, const std::vector<Allocation> &gaps)
    : given(buffers.size()), alignment(alignment), leafOf(given, -1) {
  for (const Allocation &b : buffers)
    if (b.size > 0 && b.lower < b.upper)
      times.insert(times.end(), {b.lower, b.upper});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (auto &each : lists)
    each.resize(times.size());
  const auto at = [&](int64_t time) {
    return int(std::lower_bound(times.begin(), times.end(), time) -
               times.begin());
  };
  for (size_t i = 0; i < given; ++i) {
    const Allocation &b = buffers[i];
    if (b.size <= 0 || b.lower >= b.upper)
      continue;
    const int box = newBox();
    boxes[box].lower = at(b.lower);
    boxes[box].upper = at(b.upper);
    boxes[box].size = alignUp(b.size, alignment) / alignment;
    leafOf[i] = box;
    enter(box);
    show(box);
    sizes.push_back(boxes[box].size);
  }
  std::sort(sizes.begin(), sizes.end());
  steps_.assign(times.size(), 0);
  for (const Box &box : boxes) {
    steps_[size_t(box.lower)] -= box.size;
    steps_[size_t(box.upper)] += box.size;
  }
  if (times.empty())
    return;
  std::vector<int64_t> free;
  int64_t now = 0, least = 0;
  for (size_t t = 0; t + 1 < times.size(); ++t)
    least = std::min(least, now += steps_[t]);
  steps_.front() -= least;
  steps_.back() += least;
  now = 0;
  for (size_t t = 0; t + 1 < times.size(); ++t) {
    free.push_back(now += steps_[t]);
    isFull = isFull && now == 0;
  }
  room = Room(free);
  for (const Allocation &gap : gaps)
    if (const int lower = at(gap.lower), upper = at(gap.upper);
        room.least(lower, upper) >= gap.size / alignment)
      fill(lower, upper, gap.size / alignment);
  keep();
}

/// Takes room for a filler, or gives it back.
void Reassembly::fillAgain(int box, int64_t size) {
  const Box &filler = boxes[box];
  room.take(filler.lower, filler.upper, size);
  steps_[size_t(filler.lower)] -= size;
  steps_[size_t(filler.upper)] += size;
  taken += 8;
}

int Reassembly::fill(int lower, int upper, int64_t size) {
  const int box = newBox();
  boxes[box].kind = Filler;
  boxes[box].lower = lower;
  boxes[box].upper = upper;
  boxes[box].size = size;
  remake(box);
  changes.push_back({box, true});
  return box;
}

Reassembly::Waste Reassembly::wasteOf(Kind kind, const Box &first,
                                      const Box &second) const {
  if (kind == LossyMeet)
    return {first.upper, second.lower, first.size};
  if (kind == LossyJoin) {
    const Box &small = first.size < second.size ? first : second;
    return {small.lower, small.upper,
            std::max(first.size, second.size) - small.size};
  }
  const bool isFirst = first.upper - first.lower < second.upper - second.lower;
  const Box &brief = isFirst ? first : second,
            &other = isFirst ? second : first;
  return brief.lower == other.lower
             ? Waste{brief.upper, other.upper, brief.size}
             : Waste{other.lower, brief.lower, brief.size};
}

void Reassembly::proposeLossy(Kind kind, int a, int b) {
  const Waste w = wasteOf(kind, boxes[a], boxes[b]);
  taken += 4;
  if (boxes[a].kind == Filler || boxes[b].kind == Filler)
    return;
  const int64_t start = steps_[size_t(w.lower)], end = -steps_[size_t(w.upper)];
  const int partly = (start >= w.size) + (end >= w.size);
  static const int MINP = getenv("MINP") ? atoi(getenv("MINP")) : 1;
  if (partly < MINP || room.least(w.lower, w.upper) < w.size)
    return;
  const int exact = (start == w.size) + (end == w.size);
  const double likely[3][3] = {{3, 3, 3}, {1, 0.4, 0}, {0.3, 0.05, 0.001}};
  Candidate next{likely[partly][exact], kind, {a, b}, {}};
  if (noise > 0)
    next.chance *= std::exp(noise * (double(below(2001)) / 1000 - 1));
  next.made = {boxes[a].made, boxes[b].made};
  candidates.push(next);
}

bool Reassembly::waste(const Candidate &candidate) {
  const int a = candidate.parts[0], b = candidate.parts[1];
  const Waste w = wasteOf(candidate.kind, boxes[a], boxes[b]);
  if (room.least(w.lower, w.upper) < w.size)
    return false;
  const int filler = fill(w.lower, w.upper, w.size);
  if (candidate.kind == LossyJoin) {
    const bool isFirst = boxes[a].size < boxes[b].size;
    const int filled = make(Stack, {isFirst ? a : b, filler});
    make(Join, {isFirst ? filled : a, isFirst ? b : filled});
  } else if (candidate.kind == LossyMeet) {
    make(Join, {make(Join, {a, filler}), b});
  } else {
    const bool isFirst =
        boxes[a].upper - boxes[a].lower < boxes[b].upper - boxes[b].lower;
    const int brief = isFirst ? a : b, other = isFirst ? b : a;
    const bool isBefore = w.upper == boxes[brief].lower;
    make(Stack,
         {make(Join, {isBefore ? filler : brief, isBefore ? brief : filler}),
          other});
  }
  return true;
}

void Reassembly::insert(List which, int time, int box) {
  boxes[box].at[which] = int(list(which, time).size());
  list(which, time).push_back(box);
}

void Reassembly::remove(List which, int time, int box) {
  std::vector<int> &from = list(which, time);
  const int last = from.back();
  from[size_t(boxes[box].at[which])] = last;
  boxes[last].at[which] = boxes[box].at[which];
  from.pop_back();
}

void Reassembly::show(int box) {
  boxes[box].parent = -1;
  insert(OuterStarts, boxes[box].lower, box);
  insert(OuterEnds, boxes[box].upper, box);
  loose += boxes[box].kind == Filler;
  boxes[box].atOuter = int(outers.size());
  outers.push_back(box);
}

void Reassembly::hide(int box) {
  remove(OuterStarts, boxes[box].lower, box);
  remove(OuterEnds, boxes[box].upper, box);
  loose -= boxes[box].kind == Filler;
  const int last = outers.back();
  outers[size_t(boxes[box].atOuter)] = last;
  boxes[last].atOuter = boxes[box].atOuter;
  outers.pop_back();
}

void Reassembly::enter(int box) {
  boxes[box].exists = true;
  boxes[box].made = ++clock;
  insert(AllStarts, boxes[box].lower, box);
  insert(AllEnds, boxes[box].upper, box);
}

void Reassembly::leave(int box) {
  boxes[box].exists = false;
  remove(AllStarts, boxes[box].lower, box);
  remove(AllEnds, boxes[box].upper, box);
}

int Reassembly::newBox() {
  if (unused.empty()) {
    boxes.emplace_back();
    return int(boxes.size()) - 1;
  }
  const int box = unused.back();
  unused.pop_back();
  return box;
}

void Reassembly::remake(int box) {
  for (int k = 0; k < partsOf(boxes[box].kind); ++k) {
    hide(boxes[box].parts[k]);
    boxes[boxes[box].parts[k]].parent = box;
  }
  enter(box);
  show(box);
  if (boxes[box].kind == Filler)
    fillAgain(box, boxes[box].size);
}

void Reassembly::unmake(int box) {
  hide(box);
  leave(box);
  if (boxes[box].kind == Filler)
    fillAgain(box, -boxes[box].size);
  for (int k = 0; k < partsOf(boxes[box].kind); ++k)
    show(boxes[box].parts[k]);
}

int Reassembly::make(Kind kind, const std::array<int, 5> &parts) {
  const int box = newBox();
  Box &made = boxes[box];
  made.kind = kind;
  made.parts = parts;
  const Box &first = boxes[parts[0]], &second = boxes[parts[1]];
  made.lower = first.lower;
  made.upper = first.upper;
  made.size = first.size;
  if (kind == Stack)
    made.size += second.size;
  if (kind == Join)
    made.upper = second.upper;
  if (kind == Wheel) {
    made.upper = boxes[parts[2]].upper;
    made.size += boxes[parts[3]].size;
  }
  remake(box);
  changes.push_back({box, true});
  dirty.push_back(box);
  taken += 8;
  return box;
}

void Reassembly::takeApart(int box) {
  unmake(box);
  changes.push_back({box, false});
  for (int k = 0; k < partsOf(boxes[box].kind); ++k)
    if (const int part = boxes[box].parts[k]; boxes[part].kind == Filler)
      takeApart(part);
    else
      dirty.push_back(part);
  taken += 8;
}

void Reassembly::undo() {
  for (; !changes.empty(); changes.pop_back()) {
    const auto [box, isMade] = changes.back();
    if (isMade) {
      unmake(box);
      unused.push_back(box);
    } else {
      remake(box);
    }
  }
}

void Reassembly::keep() {
  // A box that was made and taken apart again is there twice.
  for (const auto &[box, isMade] : changes)
    if (!isMade)
      unused.push_back(box);
  changes.clear();
}

/// Whether what ends then and what starts then is sure to be one edge: no part
/// of the first is as large as a part of the second.
bool Reassembly::isOneEdge(int time) {
  const auto &ends = list(OuterEnds, time), &starts = list(OuterStarts, time);
  ++taken;
  if (ends.size() < 2 || starts.size() < 2)
    return true;
  if (ends.size() > 4 || starts.size() > 4)
    return false;
  std::array<int64_t, 16> sums;
  const auto sumOf = [&](const std::vector<int> &of, unsigned set) {
    int64_t sum = 0;
    for (size_t k = 0; k < of.size(); ++k)
      if (set >> k & 1)
        sum += boxes[of[k]].size;
    return sum;
  };
  const unsigned all = 1u << ends.size(), others = 1u << starts.size();
  for (unsigned set = 1; set + 1 < all; ++set)
    sums[set] = sumOf(ends, set);
  for (unsigned set = 1; set + 1 < others; ++set) {
    const int64_t sum = sumOf(starts, set);
    for (unsigned other = 1; other + 1 < all; ++other)
      if (sums[other] == sum)
        return false;
  }
  taken += 8;
  return true;
}

bool Reassembly::hasLife(int lower, int upper, int butA, int butB) {
  size_t looks = 0;
  for (int other : shorter(OuterStarts, OuterEnds, lower, upper)) {
    if (++looks > kLooks)
      break;
    if (other != butA && other != butB && boxes[other].lower == lower &&
        boxes[other].upper == upper) {
      taken += int64_t(looks);
      return true;
    }
  }
  taken += int64_t(looks);
  return false;
}

/// How likely another size is this one.
double Reassembly::rateOf(int64_t size) const {
  const int64_t around = size / 10;
  const auto low = std::lower_bound(sizes.begin(), sizes.end(), size - around);
  const auto high = std::upper_bound(low, sizes.end(), size + around);
  return double(high - low + 1) / double(sizes.size()) / double(2 * around + 1);
}

double Reassembly::chanceOf(Kind kind, const std::array<int, 5> &parts) {
  const int a = parts[0], b = parts[1];
  const Box &first = boxes[a], &second = boxes[b];
  const auto alike = [&](int lower, int upper) {
    const int one = isOneEdge(lower) + isOneEdge(upper);
    return one == 2 ? 0
                    : (one ? 0.3 : 1.) / double(times[size_t(upper)] -
                                                times[size_t(lower)] + 1);
  };
  if (kind == Wheel) {
    const auto odds = [&](int time, int larger) {
      return std::min(1., double(list(OuterEnds, time).size() *
                                 list(OuterStarts, time).size()) *
                              rateOf(boxes[larger].size));
    };
    const auto length = [&](int box) {
      return double(times[size_t(boxes[box].upper)] -
                    times[size_t(boxes[box].lower)]);
    };
    return odds(second.lower, parts[3]) * odds(second.upper, parts[2]) /
           (length(parts[3]) + 1) / (length(parts[2]) + 1);
  }
  if (kind == Stack)
    return alike(first.lower, first.upper);
  const auto &ends = list(OuterEnds, first.upper),
             &starts = list(OuterStarts, first.upper);
  if (ends.size() == 1 && starts.size() == 1)
    return 0;
  const int64_t size = first.size;
  size_t endsAlike = 0, startsAlike = 0;
  for (size_t k = 0; k < std::min(ends.size(), kLooks); ++k)
    endsAlike += boxes[ends[k]].size == size;
  for (size_t k = 0; k < std::min(starts.size(), kLooks); ++k)
    startsAlike += boxes[starts[k]].size == size;
  taken +=
      int64_t(std::min(ends.size(), kLooks) + std::min(starts.size(), kLooks)) +
      8;
  double chance = double(ends.size()) * double(starts.size()) * rateOf(size);
  if (hasLife(first.lower, second.upper, a, b))
    return chance * std::min(1., alike(first.lower, second.upper) + 0.01);
  return endsAlike * startsAlike > 1 ? std::max(chance, 0.5) : chance;
}

void Reassembly::propose(Kind kind, const std::array<int, 5> &parts) {
  Candidate next{chanceOf(kind, parts) + 1e-6, kind, parts, {}};
  if (noise > 0)
    next.chance *= std::exp(noise * (double(below(2001)) / 1000 - 1));
  for (int k = 0; k < partsOf(kind); ++k)
    next.made[size_t(k)] = boxes[parts[size_t(k)]].made;
  candidates.push(next);
}

void Reassembly::proposeFor(int x) {
  const Box box = boxes[x];
  size_t looks = 0;
  // One of those with its life: they are all alike.
  const auto &same = shorter(OuterStarts, OuterEnds, box.lower, box.upper);
  for (int other : same) {
    if (++looks > kLooks)
      break;
    if (other != x && boxes[other].lower == box.lower &&
        boxes[other].upper == box.upper) {
      propose(Stack, {x, other});
      break;
    }
  }
  for (int other : list(OuterStarts, box.upper)) {
    if (++looks > 2 * kLooks)
      break;
    if (boxes[other].size == box.size)
      propose(Join, {x, other});
  }
  for (int other : list(OuterEnds, box.lower)) {
    if (++looks > 3 * kLooks)
      break;
    if (boxes[other].size == box.size)
      propose(Join, {other, x});
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
        propose(Join, {first, second});
    }
  }
  taken += int64_t(looks);
  if (isFull || box.kind == Filler)
    return;
  looks = 0;
  for (int other : list(OuterStarts, box.upper))
    if (++looks <= kLooks && boxes[other].size != box.size)
      proposeLossy(LossyJoin, x, other);
  for (int other : list(OuterEnds, box.lower))
    if (++looks <= 2 * kLooks && boxes[other].size != box.size)
      proposeLossy(LossyJoin, other, x);
  for (int other : list(OuterStarts, box.lower))
    if (++looks <= 3 * kLooks && boxes[other].upper != box.upper)
      proposeLossy(LossyStack, x, other);
  for (int other : list(OuterEnds, box.upper))
    if (++looks <= 4 * kLooks && boxes[other].lower != box.lower)
      proposeLossy(LossyStack, x, other);
  // What comes again after a while.
  const int last = int(times.size()) - 1;
  if (steps_[size_t(box.upper)] > 0)
    for (int t = box.upper + 1; t < std::min(last, box.upper + int(kLooks));
         ++t, ++taken)
      if (steps_[size_t(t)] < 0)
        for (int other : list(OuterStarts, t))
          if (++looks <= 5 * kLooks && boxes[other].size == box.size)
            proposeLossy(LossyMeet, x, other);
  if (steps_[size_t(box.lower)] < 0)
    for (int t = box.lower - 1; t > std::max(0, box.lower - int(kLooks));
         --t, ++taken)
      if (steps_[size_t(t)] > 0)
        for (int other : list(OuterEnds, t))
          if (++looks <= 6 * kLooks && boxes[other].size == box.size)
            proposeLossy(LossyMeet, other, x);
  taken += int64_t(looks);
}

bool Reassembly::isIn(int box, int outer) const {
  for (; box >= 0; box = boxes[box].parent)
    if (box == outer)
      return true;
  return false;
}

/// See Boxes.h: the centre lives from a to b. One that ends at a is as much
/// larger than one that starts then as the centre, and one that starts at b
/// than one that ends then; those that start first start together, and the last
/// end together.
template <typename Visit>
void Reassembly::wheelsAround(int c, bool amongAll, Visit visit) {
  const List starts = amongAll ? AllStarts : OuterStarts,
             ends = amongAll ? AllEnds : OuterEnds;
  const Box centre = boxes[c];
  size_t looks = 0;
  for (int left : list(ends, centre.lower)) {
    if (boxes[left].size <= centre.size)
      continue;
    for (int above : list(starts, centre.lower)) {
      if (++looks > 4 * kLooks)
        return;
      if (boxes[above].size + centre.size != boxes[left].size ||
          boxes[above].upper <= centre.upper)
        continue;
      for (int under : shorter(starts, ends, boxes[left].lower, centre.upper)) {
        if (++looks > 4 * kLooks)
          return;
        if (boxes[under].lower != boxes[left].lower ||
            boxes[under].upper != centre.upper)
          continue;
        for (int right :
             shorter(starts, ends, centre.upper, boxes[above].upper)) {
          if (++looks > 4 * kLooks)
            return;
          if (boxes[right].lower == centre.upper &&
              boxes[right].upper == boxes[above].upper &&
              boxes[right].size == boxes[under].size + centre.size &&
              !visit(std::array<int, 5>{under, c, right, left, above}))
            return;
        }
      }
    }
  }
  taken += int64_t(looks);
}

template <typename Visit>
void Reassembly::wheelsWith(int x, bool amongAll, Visit visit) {
  const List starts = amongAll ? AllStarts : OuterStarts,
             ends = amongAll ? AllEnds : OuterEnds;
  wheelsAround(x, amongAll, visit);
  const int lower = boxes[x].lower, upper = boxes[x].upper;
  const auto hasIt = [&](const std::array<int, 5> &parts) {
    return std::find(parts.begin(), parts.end(), x) == parts.end() ||
           visit(parts);
  };
  for (const auto &[which, time] :
       {std::pair(starts, upper), std::pair(starts, lower),
        std::pair(ends, upper), std::pair(ends, lower)}) {
    const std::vector<int> &around = list(which, time);
    for (size_t k = 0; k < std::min(around.size(), kLooks / 8); ++k)
      if (around[k] != x)
        wheelsAround(around[k], amongAll, hasIt);
  }
}

void Reassembly::putTogether() {
  candidates = {};
  while (true) {
    while (!dirty.empty()) {
      const int x = dirty.back();
      dirty.pop_back();
      if (!boxes[x].exists || boxes[x].parent >= 0)
        continue;
      wheelsWith(x, false, [&](const std::array<int, 5> &parts) {
        propose(Wheel, parts);
        return true;
      });
      proposeFor(x);
    }
    if (candidates.empty())
      return;
    const Candidate next = candidates.top();
    candidates.pop();
    bool isThere = true;
    for (size_t k = 0; k < size_t(partsOf(next.kind)); ++k) {
      const Box &part = boxes[next.parts[k]];
      isThere = isThere && part.exists && part.made == next.made[k] &&
                part.parent < 0;
    }
    if (isThere && next.kind >= LossyStack)
      waste(next);
    else if (isThere)
      make(next.kind, next.parts);
  }
}

/// Takes apart all that it is in.
void Reassembly::release(int box) {
  std::vector<int> around;
  for (int up = boxes[box].parent; up >= 0; up = boxes[up].parent)
    around.push_back(up);
  while (!around.empty()) {
    takeApart(around.back());
    around.pop_back();
  }
}

/// Takes what it lacks for a wheel out of others. False if there is nothing.
bool Reassembly::askForWheel(int x) {
  std::vector<std::array<int, 5>> found;
  int fewest = 5;
  wheelsWith(x, true, [&](const std::array<int, 5> &parts) {
    int inside = 0;
    for (int a : parts) {
      inside += boxes[a].parent >= 0;
      if (boxes[a].kind == Filler)
        return true;
      for (int b : parts)
        if (a != b && isIn(a, b))
          return true;
    }
    if (inside > 0 && inside <= fewest + int(below(2))) {
      fewest = std::min(fewest, inside);
      found.push_back(parts);
    }
    return found.size() < 64;
  });
  if (found.empty())
    return false;
  // Later ones have fewer parts inside others.
  const int64_t count = int64_t(found.size());
  const auto parts = found[size_t(std::max(below(count), below(count)))];
  for (int part : parts)
    release(part);
  make(Wheel, parts);
  return true;
}

/// Takes what the box lacks out of another one. False if there is nothing.
bool Reassembly::ask(int x) {
  const Box box = boxes[x];
  std::vector<int> found;
  const int way = int(below(3));
  const auto &among = way == 0 ? list(AllStarts, box.upper)
                      : way == 1
                          ? list(AllEnds, box.lower)
                          : shorter(AllStarts, AllEnds, box.lower, box.upper);
  const size_t from = size_t(below(int64_t(among.size()) + 1)),
               looks = std::min(among.size(), 4 * kLooks);
  for (size_t k = 0; k < looks; ++k) {
    const int y = among[(from + k) % among.size()];
    if (y == x || boxes[y].parent < 0 || boxes[y].kind == Filler)
      continue;
    if (way < 2 ? boxes[y].size == box.size
                : boxes[y].lower == box.lower && boxes[y].upper == box.upper &&
                      boxes[boxes[y].parent].kind != Stack)
      found.push_back(y);
  }
  taken += int64_t(looks);
  if (found.empty())
    return false;
  const int y = found[size_t(below(int64_t(found.size())))];
  if (isIn(y, x))
    return false;
  release(y);
  if (way == 0)
    make(Join, {x, y});
  else if (way == 1)
    make(Join, {y, x});
  else
    make(Stack, {x, y});
  return true;
}

/// Takes it apart, some way down, and what was put together in the same way.
void Reassembly::disturb(int x) {
  int at = x;
  while (boxes[at].kind > Filler) {
    const Box box = boxes[at];
    takeApart(at);
    if (box.kind == Join) {
      // Others that were put together at that time, and may be exchanged.
      const int time = boxes[box.parts[0]].upper;
      std::vector<int> rivals;
      const auto &ends = list(AllEnds, time);
      for (size_t k = 0; k < std::min(ends.size(), kLooks); ++k)
        if (boxes[ends[k]].size == box.size && boxes[ends[k]].parent >= 0 &&
            boxes[boxes[ends[k]].parent].kind == Join &&
            boxes[boxes[ends[k]].parent].parts[0] == ends[k])
          rivals.push_back(ends[k]);
      taken += int64_t(std::min(ends.size(), kLooks));
      if (!rivals.empty() && below(2)) {
        release(rivals[size_t(below(int64_t(rivals.size())))]);
        return;
      }
    }
    if (below(3) == 0)
      return;
    at = box.parts[size_t(below(partsOf(box.kind)))];
  }
  // What starts or ends with it.
  const auto &among = below(2) ? list(AllEnds, boxes[x].lower)
                               : list(AllStarts, boxes[x].upper);
  if (among.empty())
    return;
  const int y = among[size_t(below(int64_t(among.size())))];
  if (boxes[y].parent >= 0)
    release(y);
}

/// Takes apart what is short and near one of its ends.
void Reassembly::clear(int x) {
  const int time = below(2) ? boxes[x].lower : boxes[x].upper,
            width = 1 << below(6), from = std::max(0, time - width),
            to = std::min(int(times.size()) - 1, time + width);
  std::vector<int> inside;
  for (int t = from; t < to && inside.size() < kLooks; ++t)
    for (int y : list(AllStarts, t)) {
      ++taken;
      if (boxes[y].kind == Leaf && boxes[y].upper <= to)
        inside.push_back(y);
    }
  for (int y : inside)
    release(y);
}

void Reassembly::shake() {
  const int x = outers[size_t(below(int64_t(outers.size())))];
  if (boxes[x].kind == Filler)
    return takeApart(x);
  const int64_t way = below(8);
  if (way < 2 && askForWheel(x))
    return;
  static const int C = getenv("CLR") ? atoi(getenv("CLR")) : 1;
  if (below(16) < C)
    return clear(x);
  if (way == 7 || !ask(x))
    disturb(x);
}

void Reassembly::run(int64_t steps) {
  const int64_t start = taken;
  for (int box : outers)
    dirty.push_back(box);
  noise = 0;
  putTogether();
  keep();
  auto env = [](const char *n, double d) {
    const char *v = getenv(n);
    return v ? atof(v) : d;
  };
  static const double H = env("HEAT", 0.4), N = env("NOISE", 2),
                      L = env("LOW", 0.05);
  noise = N;
  long shakes = 0;
  while (outerCount() > 1 && taken - start < steps) {
    const size_t before = outerCount();
    dirty.clear();
    shake();
    putTogether();
    const double left = 1 - double(taken - start) / double(steps);
    const double worse = double(outerCount()) - double(before);
    const double heat = L + H * left;
    ++shakes;
    if (worse > 0 &&
        double(below(1 << 20)) / (1 << 20) >= std::exp(-worse / heat))
      undo();
    else
      keep();
  }
  dirty.clear();
  if (getenv("VERB"))
    fprintf(stderr, "shakes %ld ", shakes);
}

std::vector<Allocation> Reassembly::outer() const {
  std::vector<Allocation> list;
  for (int box : outers)
    if (boxes[box].kind != Filler)
      list.push_back({times[size_t(boxes[box].lower)],
                      times[size_t(boxes[box].upper)],
                      boxes[box].size * alignment});
  return list;
}

std::vector<int64_t>
Reassembly::offsets(const std::vector<int64_t> &outer) const {
  std::vector<int64_t> all(boxes.size(), 0);
  std::vector<int> open = outers;
  size_t next = 0;
  for (int box : outers)
    if (boxes[box].kind != Filler)
      all[size_t(box)] = outer[next++];
  while (!open.empty()) {
    const int box = open.back();
    open.pop_back();
    const auto &parts = boxes[box].parts;
    for (int k = 0; k < partsOf(boxes[box].kind); ++k) {
      open.push_back(parts[k]);
      all[size_t(parts[k])] = all[size_t(box)];
    }
    const auto lift = [&](int part, int64_t units) {
      all[size_t(part)] += units * alignment;
    };
    if (boxes[box].kind == Stack)
      lift(parts[1], boxes[parts[0]].size);
    if (boxes[box].kind == Wheel) {
      lift(parts[1], boxes[parts[0]].size);
      lift(parts[3], boxes[parts[0]].size);
      lift(parts[4], boxes[parts[0]].size + boxes[parts[1]].size);
    }
  }
  std::vector<int64_t> result(given, 0);
  for (size_t i = 0; i < given; ++i)
    if (leafOf[i] >= 0)
      result[i] = all[size_t(leafOf[i])];
  return result;
}
