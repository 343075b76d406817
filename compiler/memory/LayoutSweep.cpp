#include "compiler/memory/LayoutSweep.h"

#include "compiler/memory/Refills.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

using namespace smex::memory;

namespace {

/// Of states: at first, where all failed, and the factor between.
constexpr size_t kNarrow = 4, kWide = 4096, kWiden = 4;
/// What follows from one state, at first, and refills that are tried for each.
constexpr int kBranches = 16;
constexpr size_t kTried = 4;
/// Starts between two beams to go back to, and those that are kept.
constexpr size_t kApart = 8, kKept = 128;
/// Starts to go back at first; twice as many each time.
constexpr size_t kBack = 8;

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace

LayoutSweep::LayoutSweep(const std::vector<Allocation> &buffers,
                         int64_t alignment)
    : buffers(buffers), alignment(alignment) {
  std::vector<int64_t> times;
  std::map<int64_t, std::vector<int>> byTime;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const Allocation &each = buffers[b];
    const bool isPlaced = each.size > 0 && each.lower < each.upper;
    sizes.push_back(isPlaced ? (each.size + alignment - 1) / alignment : 0);
    if (!isPlaced)
      continue;
    byTime[each.lower].push_back(int(b));
    times.insert(times.end(), {each.lower, each.upper});
  }
  for (auto &[time, ids] : byTime) {
    std::stable_sort(ids.begin(), ids.end(),
                     [&](int a, int b) { return sizes[a] > sizes[b]; });
    starts.push_back({time, ids});
  }
  if (times.empty())
    return;
  // Of so many edges at random times, as many times would be without one.
  std::sort(times.begin(), times.end());
  const double span = double(times.back() - times.front());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const double empty = 1 - double(times.size()) / std::max(1., span);
  edges = empty > 0.1 ? std::max(0.05, -std::log(empty)) : 2;
}

bool LayoutSweep::isHole(int id) const {
  return id >= int(buffers.size()) || buffers[id].upper <= now;
}

/// The same for states that differ in nothing that counts from now on.
uint64_t LayoutSweep::hashOf(const Layouts &layouts, int node) const {
  const auto &[id, length, size] = layouts.nodes()[node];
  if (id >= 0)
    return mix(isHole(id) ? 2 * uint64_t(size)
                          : mix(2 * uint64_t(buffers[id].upper) + 1) +
                                uint64_t(size) * 0x9e3779b97f4a7c15u);
  uint64_t sum = 0, up = 0, down = 0, power = 1;
  for (int child = node + 1; child < node + length;
       child += layouts.nodes()[child].length) {
    const uint64_t hash = hashOf(layouts, child);
    sum += mix(hash);
    up = up * 0x100000001b3u + hash;
    down += power * hash;
    power *= 0x100000001b3u;
  }
  return id == Layouts::kOpen ? mix(sum + 1) : mix(mix(up) + mix(down));
}

int LayoutSweep::remember(Layouts::Replaced replaced, int parent) {
  int past = int(pasts.size());
  if (unusedPasts.empty()) {
    pasts.emplace_back();
  } else {
    past = unusedPasts.back();
    unusedPasts.pop_back();
  }
  pasts[past] = {std::move(replaced), parent, 1};
  if (parent >= 0)
    ++pasts[parent].users;
  return past;
}

void LayoutSweep::forget(int past) {
  while (past >= 0 && --pasts[past].users == 0) {
    pasts[past].replaced = {};
    unusedPasts.push_back(past);
    past = pasts[past].parent;
  }
}

void LayoutSweep::use(const Beam &beam) {
  for (const State &state : beam)
    if (state.past >= 0)
      ++pasts[state.past].users;
}

void LayoutSweep::forget(const Beam &beam) {
  for (const State &state : beam)
    forget(state.past);
}

void LayoutSweep::extend(const State &state, const std::vector<int> &rest,
                         int branches, Beam &next) {
  const auto &nodes = state.layouts.nodes();
  std::vector<int> leaves;
  std::vector<Hole> free;
  RefillOdds odds{0, edges};
  for (int node = 0; node < int(nodes.size()); ++node) {
    const int id = nodes[node].id;
    odds.alive += id >= 0;
    if (id < 0 || !isHole(id))
      continue;
    leaves.push_back(node);
    free.push_back({nodes[node].size,
                    id < int(buffers.size()) && buffers[id].upper == now});
  }
  taken += int64_t(nodes.size());
  std::vector<Starting> wanted;
  for (int buffer : rest)
    wanted.push_back({sizes[buffer], buffers[buffer].upper});
  int found = 0;
  for (const Refill &refill :
       refills(free, wanted, odds, kTried * size_t(branches), taken)) {
    if (found == branches || taken > limit)
      break;
    std::vector<int> filled;
    for (int hole : refill.holes)
      filled.push_back(leaves[hole]);
    std::vector<Layouts::Piece> by;
    std::vector<char> isPlaced(rest.size());
    for (int k : refill.buffers) {
      by.push_back({rest[k], sizes[rest[k]]});
      isPlaced[k] = true;
    }
    if (refill.left)
      by.push_back({int(buffers.size()) + holes, refill.left});
    State after = state;
    Layouts::Replaced replaced;
    taken += 4 * int64_t(nodes.size());
    if (!after.layouts.replace(filled, by, replaced))
      continue;
    holes += refill.left > 0;
    ++found;
    after.likelihood += refill.likelihood;
    after.past = remember(std::move(replaced), state.past);
    std::vector<int> others;
    for (size_t k = 0; k < rest.size(); ++k)
      if (!isPlaced[k])
        others.push_back(rest[k]);
    if (others.empty()) {
      after.score = after.likelihood + after.layouts.freedom();
      next.push_back(std::move(after));
    } else {
      extend(after, others, std::max(2, branches / 2), next);
      forget(after.past);
    }
  }
}

void LayoutSweep::advance(Beam &beam, const Start &start, size_t width) {
  now = start.time;
  Beam next;
  const int branches = kBranches * int(std::sqrt(double(width / kNarrow)));
  for (const State &state : beam)
    extend(state, start.buffers, branches, next);
  forget(beam);
  beam.clear();
  std::stable_sort(
      next.begin(), next.end(),
      [](const State &a, const State &b) { return a.score > b.score; });
  std::unordered_set<uint64_t> seen;
  for (State &state : next) {
    if (beam.size() < width &&
        (next.size() == 1 || seen.insert(hashOf(state.layouts, 0)).second))
      beam.push_back(std::move(state));
    else
      forget(state.past);
  }
}

std::vector<int64_t> LayoutSweep::goBack(const State &last) {
  std::unordered_map<int, int64_t> at; // by ids
  int64_t top = 0;
  for (const Layouts::Node &node : last.layouts.nodes())
    if (node.id >= 0) {
      at[node.id] = top;
      top += node.size;
    }
  for (int past = last.past; past >= 0; past = pasts[past].parent) {
    Layouts::Replaced &replaced = pasts[past].replaced;
    int64_t low = at.at(replaced.by.front().id);
    for (const Layouts::Piece &piece : replaced.by)
      low = std::min(low, at.at(piece.id));
    if (replaced.beside >= 0 &&
        (at.at(replaced.beside) > low) != replaced.isAbove)
      std::reverse(replaced.pieces.begin(), replaced.pieces.end());
    for (const Layouts::Piece &piece : replaced.pieces) {
      at[piece.id] = low;
      low += piece.size;
    }
  }
  std::vector<int64_t> offsets(buffers.size(), 0);
  for (size_t b = 0; b < buffers.size(); ++b)
    if (sizes[b])
      offsets[b] = at.at(int(b)) * alignment;
  return offsets;
}

std::optional<std::vector<int64_t>> LayoutSweep::fit(int64_t capacity,
                                                     int64_t steps) {
  limit = taken + steps;
  pasts.clear();
  unusedPasts.clear();
  holes = 1;
  Beam beam = {{Layouts({int(buffers.size()), capacity / alignment}), -1, 0}};
  std::deque<std::pair<size_t, Beam>> kept; // before starts
  size_t width = kNarrow, back = kBack, furthest = 0;
  for (size_t next = 0; next < starts.size();) {
    if (taken > limit)
      return std::nullopt;
    if (next % kApart == 0 && (kept.empty() || kept.back().first < next)) {
      use(beam);
      kept.push_back({next, beam});
      if (kept.size() > kKept) {
        forget(kept.front().second);
        kept.pop_front();
      }
    }
    // Behind where all failed, few states do again.
    if (next > furthest + kBack) {
      width = kNarrow;
      back = kBack;
    }
    advance(beam, starts[next], width);
    ++next;
    if (!beam.empty())
      continue;
    if (width >= kWide)
      return std::nullopt;
    furthest = std::max(furthest, next);
    width *= kWiden;
    back *= 2;
    while (kept.size() > 1 && kept.back().first + back > next) {
      forget(kept.back().second);
      kept.pop_back();
    }
    next = kept.back().first;
    beam = kept.back().second;
    use(beam);
  }
  return goBack(beam.front());
}
