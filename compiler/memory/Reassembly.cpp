// What is put together, and what is taken apart again.
#include "compiler/memory/Reassembly.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace smex::memory;

namespace {

/// Boxes of one list that are looked at.
constexpr size_t kLooks = 64;
/// Chances are taken for up to e to the power of this more or less.
constexpr double kNoise = 2;
/// By how many more boxes a try may end, once in e times: at the last, and in
/// addition at first. A hot start helps out of what nothing else does, where
/// few boxes are left; more would only be shaken off.
constexpr double kColdest = 0.05, kWarm = 0.4, kHot = 1.5;
constexpr size_t kFewBoxes = 64;
/// So many ask one after the other, before it counts what came of it. What
/// is in the wrong place keeps another from its own, and that a third.
constexpr int kChain = 25;
/// Of all tries, in 128ths. Clearings cost most.
constexpr int64_t kTries = 128, kWheels = 24, kClearings = 1,
                  kDisturbances = 16;

} // namespace

Reassembly::Reassembly(const std::vector<Allocation> &buffers,
                       int64_t alignment, const std::vector<Allocation> &gaps)
    : BoxForest(buffers, alignment, gaps) {
  for (const Box &box : boxes)
    if (box.kind == Leaf)
      sizes.push_back(box.size);
  std::sort(sizes.begin(), sizes.end());
}

bool Reassembly::isThere(const Fit &fit) const {
  for (size_t k = 0; k < size_t(partsOf(fit.kind)); ++k) {
    if (fit.parts[k] < 0)
      continue;
    const Box &part = boxes[fit.parts[k]];
    if (!part.exists || part.made != fit.made[k] || part.parent >= 0)
      return false;
  }
  if (!fit.hasFiller)
    return true;
  const Gap gap = gapOf(fit);
  return room.least(gap.lower, gap.upper) >= gap.size;
}

void Reassembly::apply(const Fit &fit) {
  if (!fit.hasFiller) {
    make(fit.kind, fit.parts);
    return;
  }
  const Gap gap = gapOf(fit);
  const int filler = makeFiller(gap.lower, gap.upper, gap.size);
  if (fit.kind == Wheel) {
    Parts parts = fit.parts;
    *std::find(parts.begin(), parts.end(), -1) = filler;
    make(Wheel, parts);
    return;
  }
  int a = fit.parts[0], b = fit.parts[1];
  if (fit.kind == Join && boxes[a].upper < boxes[b].lower) {
    a = make(Join, {a, filler});
  } else if (fit.kind == Join) {
    int &small = boxes[a].size < boxes[b].size ? a : b;
    small = make(Stack, {small, filler});
  } else {
    int &brief = length(boxes[a]) < length(boxes[b]) ? a : b;
    brief = make(Join, boxes[brief].upper == gap.lower ? Parts{brief, filler}
                                                       : Parts{filler, brief});
  }
  make(fit.kind, {a, b});
}

void Reassembly::putTogether() {
  fits = {};
  applySure(std::numeric_limits<double>::infinity());
}

/// Takes what it lacks for a wheel out of others. False if there is nothing.
bool Reassembly::askForWheel(int x) {
  std::vector<Parts> all, found;
  findWheels(x, true, all);
  int fewest = 5;
  const auto areApart = [&](const Parts &parts) {
    for (int a : parts)
      for (int b : parts)
        if (boxes[a].kind == Filler || (a != b && isIn(a, b)))
          return false;
    return true;
  };
  for (const Parts &parts : all) {
    const int inside =
        int(std::count_if(parts.begin(), parts.end(),
                          [&](int part) { return boxes[part].parent >= 0; }));
    if (inside > 0 && inside <= fewest + int(below(2)) && areApart(parts)) {
      fewest = std::min(fewest, inside);
      found.push_back(parts);
    }
  }
  if (found.empty())
    return false;
  // Later ones have fewer parts inside others.
  const int64_t count = int64_t(found.size());
  const Parts parts = found[size_t(std::max(below(count), below(count)))];
  for (int part : parts)
    release(part);
  make(Wheel, parts);
  return true;
}

/// Takes what it lacks out of another one. False if there is nothing.
bool Reassembly::ask(int x) {
  const Box box = boxes[x];
  enum { Next, Before, Beside };
  const int64_t what = below(3);
  const auto &among = what == Next ? list(AllStarts, box.upper)
                      : what == Before
                          ? list(AllEnds, box.lower)
                          : shorter(AllStarts, AllEnds, box.lower, box.upper);
  const auto fits = [&](const Box &other) {
    if (what != Beside)
      return other.size == box.size;
    return other.lower == box.lower && other.upper == box.upper &&
           boxes[other.parent].kind != Stack;
  };
  std::vector<int> found;
  const size_t from = size_t(below(int64_t(among.size()) + 1)),
               looks = std::min(among.size(), 4 * kLooks);
  for (size_t k = 0; k < looks; ++k) {
    const int y = among[(from + k) % among.size()];
    if (boxes[y].parent >= 0 && boxes[y].kind != Filler && fits(boxes[y]))
      found.push_back(y);
  }
  taken += int64_t(looks);
  if (found.empty())
    return false;
  const int y = found[size_t(below(int64_t(found.size())))];
  if (isIn(y, x))
    return false;
  release(y);
  make(what == Beside ? Stack : Join,
       what == Before ? Parts{y, x} : Parts{x, y});
  return true;
}

/// Takes it apart, some way down, and one more that was joined in the same way.
void Reassembly::disturb(int x) {
  int at = x;
  while (partsOf(boxes[at].kind) > 0) {
    const Box box = boxes[at];
    takeApart(at);
    if (box.kind == Join) {
      std::vector<int> rivals;
      const auto &ends = list(AllEnds, boxes[box.parts[0]].upper);
      for (size_t k = 0; k < std::min(ends.size(), kLooks); ++k) {
        const Box &other = boxes[ends[k]];
        if (other.size == box.size && other.parent >= 0 &&
            boxes[other.parent].kind == Join &&
            boxes[other.parent].parts[0] == ends[k])
          rivals.push_back(ends[k]);
      }
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
  // What ends or starts where it starts or ends.
  const auto &among = below(2) ? list(AllEnds, boxes[x].lower)
                               : list(AllStarts, boxes[x].upper);
  if (!among.empty())
    release(among[size_t(below(int64_t(among.size())))]);
}

/// Takes apart what is short and near one of its ends.
void Reassembly::clear(int x) {
  const int time = below(2) ? boxes[x].lower : boxes[x].upper,
            width = 1 << below(6), from = std::max(0, time - width),
            to = std::min(int(times.size()) - 1, time + width);
  std::vector<int> inside;
  for (int t = from; t < to && inside.size() < kLooks / 2; ++t)
    for (int y : list(AllStarts, t)) {
      ++taken;
      if (boxes[y].kind == Leaf && boxes[y].upper <= to)
        inside.push_back(y);
    }
  for (int y : inside)
    release(y);
}

void Reassembly::shake(int x) {
  if (boxes[x].kind == Filler) {
    takeApart(x);
    return;
  }
  const int64_t way = below(kTries);
  if (way < kWheels && askForWheel(x))
    return;
  if (way >= kTries - kClearings)
    clear(x);
  else if (way >= kTries - kClearings - kDisturbances || !ask(x))
    disturb(x);
}

void Reassembly::anneal(double temperature, int64_t steps) {
  const int64_t start = taken;
  while (outerCount() > 1 && taken - start < steps) {
    const size_t before = outerCount();
    shake(outers[size_t(below(int64_t(outers.size())))]);
    putTogether();
    // What lost its place, or found none, asks next.
    for (int k = 0; k < kChain && outerCount() > before; ++k) {
      const std::vector<int> loose = changed();
      if (loose.empty())
        break;
      shake(loose[size_t(below(int64_t(loose.size())))]);
      putTogether();
    }
    const double left = std::max(0., 1 - double(taken - start) / double(steps)),
                 more = double(outerCount()) - double(before);
    constexpr int64_t kSides = 1 << 20;
    if (more > 0 && double(below(kSides)) / kSides >=
                        std::exp(-more / (kColdest + temperature * left)))
      undo();
    else
      keep();
  }
}

void Reassembly::build(int64_t steps) {
  putTogetherCarefully(steps);
  putTogether();
  keep();
}

void Reassembly::mend(int64_t steps) {
  noise = kNoise;
  anneal(outerCount() < kFewBoxes ? kHot : kWarm, steps);
}
