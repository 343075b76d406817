#include "test/compiler/memory/Cut.h"

#include <algorithm>
#include <map>
#include <random>

using namespace smex::memory;

namespace {

struct Rectangle {
  int64_t lower, upper, low, high; // times, units
};

} // namespace

// Cuts the larger of two random pieces, and so on.
std::vector<Allocation> test::cut(const Cutting &kind, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t end) {
    return int64_t(random() % uint64_t(end));
  };
  std::vector<Rectangle> pieces = {{0, kind.times, 0, kind.units}};
  for (size_t tries = 0;
       pieces.size() < kind.pieces && tries < 50 * kind.pieces; ++tries) {
    const auto area = [&](size_t i) {
      const Rectangle &r = pieces[i];
      return (r.upper - r.lower) * (r.high - r.low);
    };
    size_t chosen = size_t(below(int64_t(pieces.size())));
    const size_t other = size_t(below(int64_t(pieces.size())));
    if (area(other) > area(chosen))
      chosen = other;
    const Rectangle r = pieces[chosen];
    const int64_t length = r.upper - r.lower, height = r.high - r.low;
    const bool inTime = below(100) < kind.inTime;
    if (length >= 3 && height >= 3 && below(100) < kind.pinwheels) {
      const int64_t a = r.lower + 1 + below(length - 2),
                    b = a + 1 + below(r.upper - a - 1),
                    low = r.low + 1 + below(height - 2),
                    high = low + 1 + below(r.high - low - 1);
      pieces[chosen] = {r.lower, b, r.low, low};
      pieces.push_back({b, r.upper, r.low, high});
      pieces.push_back({a, r.upper, high, r.high});
      pieces.push_back({r.lower, a, low, r.high});
      pieces.push_back({a, b, low, high});
    } else if (inTime && length >= 2) {
      const int64_t at = r.lower + 1 + below(length - 1);
      pieces[chosen].upper = at;
      pieces.push_back({at, r.upper, r.low, r.high});
    } else if (!inTime && height >= 2) {
      const int64_t at = r.low + 1 + below(height - 1);
      pieces[chosen].high = at;
      pieces.push_back({r.lower, r.upper, at, r.high});
    }
  }
  std::vector<Allocation> buffers;
  for (const Rectangle &r : pieces)
    if (below(100) >= kind.gaps)
      buffers.push_back({r.lower, r.upper, (r.high - r.low) * kind.unit});
  std::shuffle(buffers.begin(), buffers.end(), random);
  return buffers;
}

// A walk over time with the bytes that are taken.
bool test::isPacking(const std::vector<Allocation> &buffers,
                     const std::vector<int64_t> &offsets, int64_t capacity) {
  struct Event {
    int64_t time;
    bool starts;
    size_t buffer;
  };
  std::vector<Event> events;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (offsets[b] < 0 || offsets[b] + buffers[b].size > capacity)
      return false;
    if (buffers[b].size && buffers[b].lower < buffers[b].upper) {
      events.push_back({buffers[b].lower, true, b});
      events.push_back({buffers[b].upper, false, b});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.starts < b.starts;
  });
  std::map<int64_t, int64_t> taken; // from offset to end
  for (const Event &event : events) {
    const int64_t low = offsets[event.buffer],
                  high = low + buffers[event.buffer].size;
    if (!event.starts) {
      taken.erase(low);
      continue;
    }
    // Neighbours are disjoint, so only the nearest ones can be in the way.
    const auto above = taken.lower_bound(low);
    if (above != taken.end() && above->first < high)
      return false;
    if (above != taken.begin() && std::prev(above)->second > low)
      return false;
    taken.emplace(low, high);
  }
  return true;
}
