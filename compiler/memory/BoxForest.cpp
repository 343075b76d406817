#include "compiler/memory/BoxForest.h"

#include <algorithm>

using namespace smex::memory;

BoxForest::BoxForest(const std::vector<Allocation> &buffers, int64_t alignment,
                     const std::vector<Allocation> &gaps)
    : alignment(alignment), leafOf(buffers.size(), -1) {
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
  for (size_t i = 0; i < buffers.size(); ++i) {
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
  }
  growth.assign(times.size(), 0);
  for (const Box &box : boxes) {
    growth[size_t(box.lower)] -= box.size;
    growth[size_t(box.upper)] += box.size;
  }
  if (times.empty())
    return;
  std::vector<int64_t> free;
  int64_t now = 0, least = 0;
  for (size_t t = 0; t + 1 < times.size(); ++t)
    least = std::min(least, now += growth[t]);
  growth.front() -= least;
  growth.back() += least;
  now = 0;
  for (size_t t = 0; t + 1 < times.size(); ++t) {
    free.push_back(now += growth[t]);
    isFull = isFull && now == 0;
  }
  room = Room(free);
  for (const Allocation &gap : gaps)
    if (const int lower = at(gap.lower), upper = at(gap.upper);
        room.least(lower, upper) >= gap.size / alignment)
      makeFiller(lower, upper, gap.size / alignment);
  keep();
}

/// Takes room for a filler, or gives it back.
void BoxForest::fill(int box, int64_t size) {
  const Box &filler = boxes[box];
  room.take(filler.lower, filler.upper, size);
  growth[size_t(filler.lower)] -= size;
  growth[size_t(filler.upper)] += size;
  taken += 8;
}

int BoxForest::makeFiller(int lower, int upper, int64_t size) {
  const int box = newBox();
  boxes[box].kind = Filler;
  boxes[box].lower = lower;
  boxes[box].upper = upper;
  boxes[box].size = size;
  remake(box);
  changes.push_back({box, true});
  return box;
}

const std::vector<int> &BoxForest::shorter(List starts, List ends, int lower,
                                           int upper) const {
  const auto &first = list(starts, lower), &second = list(ends, upper);
  return first.size() < second.size() ? first : second;
}

void BoxForest::insert(List which, int time, int box) {
  std::vector<int> &into = lists[which][size_t(time)];
  boxes[box].at[which] = int(into.size());
  into.push_back(box);
}

void BoxForest::remove(List which, int time, int box) {
  std::vector<int> &from = lists[which][size_t(time)];
  const int last = from.back();
  from[size_t(boxes[box].at[which])] = last;
  boxes[last].at[which] = boxes[box].at[which];
  from.pop_back();
}

void BoxForest::show(int box) {
  boxes[box].parent = -1;
  insert(OuterStarts, boxes[box].lower, box);
  insert(OuterEnds, boxes[box].upper, box);
  loose += boxes[box].kind == Filler;
  boxes[box].at[kLists] = int(outers.size());
  outers.push_back(box);
}

void BoxForest::hide(int box) {
  remove(OuterStarts, boxes[box].lower, box);
  remove(OuterEnds, boxes[box].upper, box);
  loose -= boxes[box].kind == Filler;
  const int last = outers.back();
  outers[size_t(boxes[box].at[kLists])] = last;
  boxes[last].at[kLists] = boxes[box].at[kLists];
  outers.pop_back();
}

void BoxForest::enter(int box) {
  boxes[box].exists = true;
  boxes[box].made = ++clock;
  insert(AllStarts, boxes[box].lower, box);
  insert(AllEnds, boxes[box].upper, box);
}

void BoxForest::leave(int box) {
  boxes[box].exists = false;
  remove(AllStarts, boxes[box].lower, box);
  remove(AllEnds, boxes[box].upper, box);
}

int BoxForest::newBox() {
  if (unused.empty()) {
    boxes.emplace_back();
    return int(boxes.size()) - 1;
  }
  const int box = unused.back();
  unused.pop_back();
  return box;
}

void BoxForest::remake(int box) {
  for (int k = 0; k < partsOf(boxes[box].kind); ++k) {
    hide(boxes[box].parts[k]);
    boxes[boxes[box].parts[k]].parent = box;
  }
  enter(box);
  show(box);
  if (boxes[box].kind == Filler)
    fill(box, boxes[box].size);
}

void BoxForest::unmake(int box) {
  hide(box);
  leave(box);
  if (boxes[box].kind == Filler)
    fill(box, -boxes[box].size);
  for (int k = 0; k < partsOf(boxes[box].kind); ++k)
    show(boxes[box].parts[k]);
}

int BoxForest::make(Kind kind, const Parts &parts) {
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

void BoxForest::takeApart(int box) {
  unmake(box);
  changes.push_back({box, false});
  for (int k = 0; k < partsOf(boxes[box].kind); ++k)
    if (const int part = boxes[box].parts[k]; boxes[part].kind == Filler)
      takeApart(part);
    else
      dirty.push_back(part);
  taken += 8;
}

void BoxForest::undo(size_t first) {
  for (; changes.size() > first; changes.pop_back()) {
    const auto [box, isMade] = changes.back();
    if (isMade) {
      unmake(box);
      unused.push_back(box);
    } else {
      remake(box);
    }
  }
}

void BoxForest::keep() {
  for (const auto &[box, isMade] : changes)
    if (!isMade)
      unused.push_back(box);
  changes.clear();
}

std::vector<int> BoxForest::changed() const {
  std::vector<int> list;
  const auto add = [&](int box) {
    if (boxes[box].exists && boxes[box].parent < 0 && boxes[box].kind != Filler)
      list.push_back(box);
  };
  for (const auto &[box, isMade] : changes)
    if (isMade)
      add(box);
    else
      std::for_each_n(boxes[box].parts.begin(), partsOf(boxes[box].kind), add);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

bool BoxForest::isIn(int box, int outer) const {
  for (; box >= 0; box = boxes[box].parent)
    if (box == outer)
      return true;
  return false;
}

void BoxForest::release(int box) {
  std::vector<int> around;
  for (int up = boxes[box].parent; up >= 0; up = boxes[up].parent)
    around.push_back(up);
  while (!around.empty()) {
    takeApart(around.back());
    around.pop_back();
  }
}

std::vector<Allocation> BoxForest::outer() const {
  std::vector<Allocation> list;
  for (int box : outers)
    if (boxes[box].kind != Filler)
      list.push_back({times[size_t(boxes[box].lower)],
                      times[size_t(boxes[box].upper)],
                      boxes[box].size * alignment});
  return list;
}

std::vector<int64_t>
BoxForest::offsets(const std::vector<int64_t> &outer) const {
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
  std::vector<int64_t> result(leafOf.size(), 0);
  for (size_t i = 0; i < leafOf.size(); ++i)
    if (leafOf[i] >= 0)
      result[i] = all[size_t(leafOf[i])];
  return result;
}
