#include "compiler/memory/Floors.h"

#include <algorithm>

using namespace smex::memory;

Floors::Floors(const std::vector<Allocation> &buffers, int64_t alignment)
    : places(buffers.size()), lives(buffers), all(size_t(lives.count)),
      isTouched(size_t(lives.count)) {
  for (size_t b = 0; b < buffers.size(); ++b) {
    units.push_back((buffers[b].size + alignment - 1) / alignment);
    for (int t = lives.first[b]; t < lives.last[b]; ++t)
      all[t].alive.push_back(int(b));
    all[lives.first[b]].starts.push_back(int(b));
  }
}

bool Floors::start(int64_t most) {
  capacity = most;
  trail.clear();
  floors.assign(units.size(), 0);
  for (Section &section : all)
    section.crossing = 0;
  for (size_t b = 0; b < units.size(); ++b)
    for (int t = lives.first[b] + 1; t < lives.last[b]; ++t)
      ++all[t].crossing;
  bool fits = true;
  for (int t = 0; t < lives.count; ++t)
    fits = measure(t) && fits;
  trail.clear();
  return fits;
}

template <typename Visit> void Floors::forEachOverlap(int buffer, Visit visit) {
  const int first = lives.first[buffer], last = lives.last[buffer];
  taken += int64_t(all[first].alive.size());
  for (int b : all[first].alive)
    visit(b);
  for (int t = first + 1; t < last; ++t)
    for (int b : all[t].starts) {
      visit(b);
      ++taken;
    }
}

bool Floors::measure(int index) {
  Section &section = all[index];
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
    top = std::max(top, floors[b]) + units[b];
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

bool Floors::settle() {
  bool fits = true;
  for (int t : touched) {
    isTouched[t] = false;
    if (fits && !measure(t)) {
      fits = false;
      all[t].failures += 1;
    }
  }
  touched.clear();
  return fits;
}

void Floors::raise(int buffer, int64_t floor) {
  trail.push_back({Change::Floor, buffer, floors[buffer], 0, 0});
  floors[buffer] = floor;
  taken += lives.last[buffer] - lives.first[buffer];
  for (int t = lives.first[buffer]; t < lives.last[buffer]; ++t)
    if (!isTouched[t]) {
      isTouched[t] = true;
      touched.push_back(t);
    }
}

bool Floors::place(int buffer) {
  places[buffer] = floors[buffer];
  const int64_t top = floors[buffer] + units[buffer];
  raise(buffer, kNone);
  trail.push_back({Change::Place, buffer, 0, 0, 0});
  for (int t = lives.first[buffer] + 1; t < lives.last[buffer]; ++t)
    --all[t].crossing;
  forEachOverlap(buffer, [&](int other) {
    if (floors[other] < top)
      raise(other, top);
  });
  return settle();
}

void Floors::undo(size_t mark) {
  taken += int64_t(trail.size() - mark);
  for (; trail.size() > mark; trail.pop_back()) {
    const Change &change = trail.back();
    switch (change.kind) {
    case Change::Floor:
      floors[change.index] = change.value;
      break;
    case Change::Sums:
      all[change.index].level = change.value;
      all[change.index].slack = change.slack;
      all[change.index].onLevel = change.onLevel;
      break;
    case Change::Place:
      for (int t = lives.first[change.index] + 1; t < lives.last[change.index];
           ++t)
        ++all[t].crossing;
      break;
    }
  }
}

bool Floors::leaveGap(int index) {
  const int64_t level = all[index].level;
  struct Refused {
    int buffer;
    int64_t support; // the lowest top of another that it may rest on
  };
  std::vector<Refused> refused;
  for (int b : all[index].alive)
    if (floors[b] == level)
      refused.push_back({b, kNone});
  const auto isRefused = [&](int b) {
    return floors[b] == level && lives.first[b] <= index &&
           index < lives.last[b];
  };
  for (auto &[buffer, support] : refused) {
    int64_t lowest = kNone;
    forEachOverlap(buffer, [&](int other) {
      if (floors[other] != kNone && !isRefused(other))
        lowest = std::min(lowest, floors[other] + units[other]);
    });
    support = lowest;
  }
  for (const Refused &each : refused) {
    int64_t support = each.support;
    for (const Refused &other : refused)
      if (other.buffer != each.buffer)
        support = std::min(support, other.support + units[other.buffer]);
    if (support + units[each.buffer] > capacity) {
      all[index].failures += 1;
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
    for (int t = lives.first[each.buffer]; t < lives.last[each.buffer]; ++t)
      lowest = std::min(lowest, all[t].level);
    if (lowest >= level + units[each.buffer])
      return false;
  }
  return true;
}
