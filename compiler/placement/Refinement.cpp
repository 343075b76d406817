#include "compiler/placement/Refinement.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

/// How many clusters within a span are looked at: with all of them the stage
/// would be quadratic.
constexpr int kCandidates = 8;

/// Swaps have to be good, or not bad, in spans so many times as long, too. A
/// cluster's own span may have no more than one or two tasks of each device:
/// judged by it alone, swaps that each look good pile work up on some devices,
/// and makespans became up to 30 % longer.
constexpr double kScales[] = {1, 16, 256, 4096};

/// Seconds of secondary clusters within spans of levels: sums of the first ones
/// by level, so that asking costs the same for a cluster of any size, but for a
/// logarithm.
class ClusterWork {
public:
  explicit ClusterWork(const ClusterFacts &facts) {
    const auto &top = facts.level.top;
    std::vector<int> tasks;
    for (const std::vector<int> &cluster : facts.clusters.secondary) {
      begins.push_back(sorted.size());
      tasks = cluster;
      std::stable_sort(tasks.begin(), tasks.end(), [&](int a, int b) {
        return top[size_t(a)] < top[size_t(b)];
      });
      double sum = 0;
      for (int task : tasks) {
        sorted.push_back(top[size_t(task)]);
        sum += facts.problem.graph.tasks[size_t(task)].seconds;
        sums.push_back(sum);
      }
    }
    begins.push_back(sorted.size());
  }

  double within(int s, const Span &span) const {
    return span.begin < span.end ? below(s, span.end) - below(s, span.begin)
                                 : 0;
  }

private:
  double below(int s, double level) const {
    const auto first = sorted.begin() + std::ptrdiff_t(begins[size_t(s)]);
    const auto last = sorted.begin() + std::ptrdiff_t(begins[size_t(s) + 1]);
    const auto at = std::lower_bound(first, last, level);
    return at == first ? 0 : sums[size_t(at - sorted.begin()) - 1];
  }

  std::vector<size_t> begins; // by cluster: its first one in these
  std::vector<double> sorted; // levels
  std::vector<double> sums;   // seconds up to there, of the cluster
};

/// Communication of secondary clusters by device, kept while clusters move.
/// Each moves once, so that no cluster sees more devices than it has edges,
/// twice.
class ClusterLinks {
public:
  ClusterLinks(const ClusterFacts &facts, const Placement &placement)
      : facts(facts), devices(size_t(facts.problem.devices.count)) {
    const size_t count = facts.clusters.secondary.size();
    begins.push_back(0);
    for (size_t s = 0; s < count; ++s) {
      size_t edges = 0;
      facts.visitNeighbours(int(s), [&](int, double) { ++edges; });
      begins.push_back(begins.back() + std::min(devices, 2 * edges));
    }
    entries.resize(begins.back());
    for (size_t s = 0; s < count; ++s)
      facts.visitNeighbours(int(s), [&](int task, double seconds) {
        if (const int device = placement[size_t(task)];
            device >= 0 && device != facts.problem.devices.host())
          entry(int(s), device) += seconds;
      });
  }

  /// What the cluster's edges to tasks on the device take.
  double with(int s, int device) const {
    const size_t at = find(s, device);
    return at < entries.size() && entries[at].device == device
               ? entries[at].seconds
               : 0;
  }

  void move(int s, int from, int to) {
    facts.visitNeighbours(s, [&](int task, double seconds) {
      if (const int other = facts.secondaryOf[size_t(task)]; other >= 0) {
        entry(other, from) -= seconds;
        entry(other, to) += seconds;
      }
    });
  }

private:
  struct Entry {
    int device = -1; // none yet
    double seconds = 0;
  };

  /// Where the device's entry is, or would be: of a cluster with room for all
  /// devices at the device's place, else the first that is its or nobody's.
  size_t find(int s, int device) const {
    size_t at = begins[size_t(s)];
    const size_t end = begins[size_t(s) + 1];
    if (end - at == devices)
      return at + size_t(device);
    while (at < end && entries[at].device >= 0 && entries[at].device != device)
      ++at;
    return at < end ? at : entries.size();
  }
  double &entry(int s, int device) {
    Entry &found = entries[find(s, device)];
    found.device = device;
    return found.seconds;
  }

  const ClusterFacts &facts;
  const size_t devices;
  std::vector<size_t> begins; // by cluster: its first entry
  std::vector<Entry> entries;
};

class Swapping {
public:
  Swapping(const ClusterFacts &facts, Placement &placement)
      : facts(facts), placement(placement),
        loads(loadsByLevel(facts, placement)), work(facts),
        links(facts, placement), secondaries(facts.clusters.secondary.size()),
        swapped(secondaries) {
    spans.reserve(secondaries);
    for (size_t s = 0; s < secondaries; ++s)
      spans.push_back(facts.span(int(s)));
    byStart.resize(secondaries);
    std::iota(byStart.begin(), byStart.end(), 0);
    std::stable_sort(byStart.begin(), byStart.end(),
                     [&](int a, int b) { return startOf(a) < startOf(b); });
  }

  int run() {
    int swaps = 0;
    for (int s : byStart)
      swaps += trySwap(s);
    return swaps;
  }

private:
  double startOf(int s) const {
    return facts.level.top[size_t(facts.clusters.secondary[size_t(s)].front())];
  }
  int deviceOf(int s) const {
    return placement[size_t(facts.clusters.secondary[size_t(s)].front())];
  }

  bool trySwap(int s) {
    if (swapped[size_t(s)])
      return false;
    const Span &span = spans[size_t(s)];
    auto other = std::lower_bound(
        byStart.begin(), byStart.end(), span.begin,
        [&](int a, double begin) { return startOf(a) < begin; });
    int best = -1;
    double bestGain = 0;
    int seen = 0;
    for (int looked = 0; other != byStart.end() && seen < kCandidates &&
                         looked < 4 * kCandidates;
         ++other, ++looked) {
      if (startOf(*other) >= span.end)
        break;
      if (*other == s || swapped[size_t(*other)] ||
          deviceOf(*other) == deviceOf(s))
        continue;
      ++seen;
      const double gain = gainOf(s, *other);
      if (gain > bestGain && gain > rounding())
        best = *other, bestGain = gain;
    }
    if (best < 0)
      return false;
    const int a = deviceOf(s), b = deviceOf(best);
    move(s, a, b), move(best, b, a);
    swapped[size_t(s)] = swapped[size_t(best)] = true;
    return true;
  }

  /// Of all edges between the two.
  double between(int s, int other) const {
    double sum = 0;
    for (int task : facts.clusters.secondary[size_t(s)]) {
      for (int e : facts.problem.adjacency.into(task))
        if (facts.secondaryOf[size_t(
                facts.problem.graph.edges[size_t(e)].from)] == other)
          sum += facts.edges[size_t(e)];
      for (int e : facts.problem.adjacency.outOf(task))
        if (facts
                .secondaryOf[size_t(facts.problem.graph.edges[size_t(e)].to)] ==
            other)
          sum += facts.edges[size_t(e)];
    }
    return sum;
  }

  /// Gains of the size of rounding errors are none.
  double rounding() const { return 1e-9 * facts.longest; }

  double gainOf(int s, int other) {
    const int a = deviceOf(s), b = deviceOf(other);
    double balanced = 0;
    for (const Span &own : {spans[size_t(s)], spans[size_t(other)]}) {
      const double middle = (own.begin + own.end) / 2;
      for (double scale : kScales) {
        const double half = scale * (own.end - own.begin) / 2;
        const Span span{middle - half, middle + half};
        const double loadA = loads.within(span, a);
        const double loadB = loads.within(span, b);
        const double shift = work.within(other, span) - work.within(s, span);
        const double gain =
            std::max(loadA, loadB) - std::max(loadA + shift, loadB - shift);
        if (gain < -rounding())
          return 0;
        balanced += gain;
      }
    }
    // What is on the new device is no longer between devices, but for the edges
    // between the two, which are so before and after.
    const double saved = links.with(s, b) - links.with(s, a) +
                         links.with(other, a) - links.with(other, b) -
                         2 * between(s, other);
    // One may not be had for the other: what communication costs in the end
    // depends on what runs meanwhile, and work that piles up costs for sure.
    return saved < -rounding() ? 0 : balanced + saved;
  }

  void move(int s, int from, int to) {
    links.move(s, from, to);
    for (int task : facts.clusters.secondary[size_t(s)]) {
      const double seconds = facts.problem.graph.tasks[size_t(task)].seconds;
      placement[size_t(task)] = to;
      loads.add(task, from, -seconds);
      loads.add(task, to, seconds);
    }
  }

  const ClusterFacts &facts;
  Placement &placement;
  LevelLoads loads;
  const ClusterWork work;
  ClusterLinks links;
  const size_t secondaries;
  std::vector<Span> spans;
  std::vector<int> byStart; // secondary clusters
  std::vector<char> swapped;
};

} // namespace

int placement::swapClusters(const ClusterFacts &facts, Placement &placement) {
  return Swapping(facts, placement).run();
}
