#include "compiler/memory/Gaps.h"

#include <algorithm>
#include <map>

using namespace smex::memory;

std::vector<Allocation>
smex::memory::gaps(const std::vector<Allocation> &buffers, int64_t alignment) {
  std::vector<std::pair<int64_t, int64_t>> changes; // time, bytes
  for (const Allocation &b : buffers) {
    if (b.size == 0 || b.lower >= b.upper)
      continue;
    const int64_t size = alignUp(b.size, alignment);
    changes.push_back({b.lower, size});
    changes.push_back({b.upper, -size});
  }
  std::sort(changes.begin(), changes.end());
  int64_t missing = mostAlive(buffers, alignment);
  struct Open {
    int64_t since;
    bool isAlone;
  };
  std::map<int64_t, std::vector<Open>> open; // by size
  std::vector<Allocation> found;
  // Before the first buffer nothing is missing.
  int64_t change = missing;
  for (size_t at = 0; at < changes.size();) {
    const int64_t time = changes[at].first;
    for (; at < changes.size() && changes[at].first == time; ++at)
      change -= changes[at].second;
    if (at == changes.size())
      change -= missing; // nor behind the last one
    if (change > 0) {
      auto &same = open[change];
      same.push_back({time, same.empty()});
      if (same.size() > 1)
        for (Open &each : same)
          each.isAlone = false;
    } else if (change < 0) {
      const auto same = open.find(-change);
      if (same != open.end()) {
        // Of several either may end now: none of them is sure.
        if (same->second.size() == 1 && same->second[0].isAlone)
          found.push_back({same->second[0].since, time, -change});
        same->second.erase(same->second.begin());
        if (same->second.empty())
          open.erase(same);
      }
    }
    change = 0;
  }
  return found;
}
