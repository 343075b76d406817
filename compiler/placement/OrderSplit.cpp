#include "compiler/placement/OrderSplit.h"

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::placement;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of large graphs as many places as make so many blocks, and readers of nets,
/// of stages, but for a few.
constexpr size_t kMostPlaces = 3000, kFewPlaces = 100, kMostSteps = 50'000'000;
constexpr size_t kMostCosts = 12'000'000;

/// Loads of all intervals of an order, which may have readers of a net before
/// who makes it.
class Intervals {
public:
  Intervals(const StageGraph &graph, const std::vector<int> &order,
            const SplitParams &params)
      : graph(graph), order(order), params(params), position(order.size()),
        reads(order.size()), makes(order.size()), seen(graph.nets.size()),
        rowOf(graph.nets.size(), -1), earlier(graph.nets.size()) {
    for (size_t p = 0; p < order.size(); ++p)
      position[size_t(order[p])] = int(p);
    for (size_t n = 0; n < graph.nets.size(); ++n)
      addNet(int(n));
  }

  /// Where the order may be cut: everywhere, or where least crosses among as
  /// many runs of equal work as there may be places. 0 and n are among them.
  std::vector<int> places() const {
    const size_t count = order.size();
    // A block that has two readers is a step.
    const size_t steps = (count + readers) / 3 + 1;
    // A stage ends where it has the work that is allowed.
    const double longestStage =
        graph.totalSeconds > 0 ? std::clamp(params.below / graph.totalSeconds,
                                            1.0 / params.stages, 1.0)
                               : 1.0;
    const size_t most =
        std::clamp(size_t(double(kMostSteps / steps) / longestStage),
                   kFewPlaces, kMostPlaces);
    std::vector<int> all;
    if (count <= most) {
      for (size_t p = 0; p <= count; ++p)
        all.push_back(int(p));
      return all;
    }
    all.push_back(0);
    const double share = (graph.totalSeconds + kTiny) / double(most - 1);
    double open = 0, done = 0, least = kInfinity, until = share;
    int best = 1;
    // Work alone would leave long runs of tasks without work in one piece.
    const size_t longest = 4 * count / most;
    size_t last = 0;
    for (size_t p = 0; p + 1 < count; ++p) {
      for (const Make &make : makes[p])
        open += make.leaves;
      for (const Read &read : reads[p])
        if (read.from >= 0 && read.from < int(p))
          open += read.leavesAfter - read.leavesBefore;
      done += graph.seconds[size_t(order[p])];
      if (open <= least) {
        least = open;
        best = int(p) + 1;
      }
      if (done >= until || p - last >= longest) {
        all.push_back(best);
        until = done + share;
        least = kInfinity;
        last = p;
      }
    }
    all.push_back(int(count));
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// Calls use(j, load) for the ends j > i in `places` of intervals [i, j)
  /// that may be stages; i never falls from one call to the next.
  template <typename Use>
  void from(size_t placeIndex, const std::vector<int> &places, Use &&use) {
    const int first = places[placeIndex];
    for (; passed < first; ++passed)
      for (const Read &read : reads[size_t(passed)]) {
        double &most = earlier[size_t(read.net)];
        most = std::max(most, read.seconds);
      }
    StageLoad load;
    int64_t bytes = 0;
    size_t next = placeIndex + 1;
    for (int p = first; p < int(order.size()); ++p) {
      const size_t block = size_t(order[size_t(p)]);
      load.compute += graph.seconds[block];
      for (const Make &make : makes[size_t(p)]) {
        const size_t net = size_t(make.net);
        load.out += std::max(make.leaves, earlier[net]);
        if (rowOf[net] == first)
          load.in -= seen[net]; // of readers that came before it
      }
      for (const Read &read : reads[size_t(p)])
        if (read.from >= first && read.from < p) {
          const double before = earlier[size_t(read.net)];
          load.out += std::max(read.leavesAfter, before) -
                      std::max(read.leavesBefore, before);
        } else {
          arrive(load, read, first);
        }
      if (params.memoryBytes) {
        bytes += (*params.bytes)[block];
        if (bytes > *params.memoryBytes)
          return;
      }
      if (load.compute >= params.below)
        return;
      if (p + 1 == places[next]) {
        // Sums of what came and went may be off by rounding.
        load.in = std::max(load.in, 0.0);
        load.out = std::max(load.out, 0.0);
        use(next, load.of(params.transfersOverlap));
        ++next;
      }
    }
  }

private:
  static constexpr double kTiny = 1e-300;

  struct Read {
    int net, from; // the position of who makes it, -1: the host
    double seconds;
    // What leaves the maker's stage, for this reader and those after it, and
    // for those after it alone.
    double leavesBefore, leavesAfter;
  };
  struct Make {
    int net;
    double leaves; // for readers after it
  };

  void addNet(int number) {
    const Net &net = graph.nets[size_t(number)];
    std::vector<std::pair<int, double>> readers; // position, seconds
    for (const Net::Reader &reader : net.readers)
      readers.emplace_back(position[size_t(reader.block)], reader.seconds);
    std::sort(readers.begin(), readers.end());
    const int from = net.from < 0 ? -1 : position[size_t(net.from)];
    this->readers += readers.size();
    double after = net.hostSeconds;
    double leaves = after;
    for (size_t r = readers.size(); r-- > 0;) {
      const double before = std::max(after, readers[r].second);
      reads[size_t(readers[r].first)].push_back(
          {number, from, readers[r].second, before, after});
      after = before;
      if (readers[r].first > from)
        leaves = before;
    }
    if (from >= 0)
      makes[size_t(from)].push_back({number, leaves});
  }

  void arrive(StageLoad &load, const Read &read, int first) {
    double &most = seen[size_t(read.net)];
    if (rowOf[size_t(read.net)] != first) {
      rowOf[size_t(read.net)] = first;
      most = 0;
    }
    if (read.seconds > most) {
      load.in += read.seconds - most;
      most = read.seconds;
    }
  }

  const StageGraph &graph;
  const std::vector<int> &order;
  const SplitParams &params;
  std::vector<int> position;            // by block
  std::vector<std::vector<Read>> reads; // by position
  std::vector<std::vector<Make>> makes; // by position
  std::vector<double> seen;             // by net: what arrived in this row
  std::vector<int> rowOf;
  size_t readers = 0;          // of all nets
  std::vector<double> earlier; // by net: the largest part read before this row
  int passed = 0;              // positions that `earlier` knows
};

/// Costs of all pairs of places, row by row.
struct Costs {
  struct Entry {
    int end;
    double load;
  };
  std::vector<size_t> offsets = {0};
  std::vector<Entry> entries;
};

/// The fewest stages of loads up to `most`; the start of the last stage of each
/// place, or nothing if there are more than `stages`.
bool reach(const Costs &costs, double most, int stages,
           std::vector<int> &start) {
  const size_t places = costs.offsets.size();
  std::vector<int> fewest(places, stages + 1);
  start.assign(places, -1);
  fewest[0] = 0;
  for (size_t i = 0; i + 1 < places; ++i) {
    if (fewest[i] >= stages)
      continue;
    for (size_t e = costs.offsets[i]; e < costs.offsets[i + 1]; ++e) {
      const Costs::Entry &entry = costs.entries[e];
      if (entry.load <= most && fewest[i] + 1 < fewest[size_t(entry.end)]) {
        fewest[size_t(entry.end)] = fewest[i] + 1;
        start[size_t(entry.end)] = int(i);
      }
    }
  }
  return fewest.back() <= stages;
}

double largestOn(const Costs &costs, const std::vector<int> &start) {
  double most = 0;
  for (int end = int(start.size()) - 1; end > 0; end = start[size_t(end)])
    for (size_t e = costs.offsets[size_t(start[size_t(end)])];
         e < costs.offsets[size_t(start[size_t(end)]) + 1]; ++e)
      if (costs.entries[e].end == end)
        most = std::max(most, costs.entries[e].load);
  return most;
}

} // namespace

std::optional<Stages> placement::splitOrder(const StageGraph &graph,
                                            const std::vector<int> &order,
                                            const SplitParams &params) {
  Stages stages(order.size(), 0);
  if (order.empty())
    return stages;
  Intervals intervals(graph, order, params);
  const std::vector<int> places = intervals.places();
  Costs costs;
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    intervals.from(i, places, [&](size_t end, double load) {
      if (load < params.below && costs.entries.size() < kMostCosts)
        costs.entries.push_back({int(end), load});
    });
    costs.offsets.push_back(costs.entries.size());
  }
  // Halve what lies between a load that is too small and one that is enough.
  std::vector<int> start, best;
  double enough = std::nextafter(params.below, 0.0);
  if (!reach(costs, enough, params.stages, start))
    return std::nullopt;
  best = start;
  enough = largestOn(costs, best);
  double tooSmall = graph.totalSeconds / params.stages * (1 - 1e-9);
  while (enough > 0) {
    const double middle = tooSmall + (enough - tooSmall) / 2;
    // Of the smallest numbers there are, none may lie in between.
    const bool last = enough - tooSmall <= 1e-6 * enough ||
                      !(tooSmall < middle && middle < enough);
    const double tried = last ? std::nextafter(enough, 0.0) : middle;
    if (reach(costs, tried, params.stages, start)) {
      best = start;
      enough = largestOn(costs, best);
    } else if (last) {
      break;
    } else {
      tooSmall = tried;
    }
  }
  std::vector<int> ends;
  for (int end = int(best.size()) - 1; end > 0; end = best[size_t(end)])
    ends.push_back(places[size_t(end)]);
  std::reverse(ends.begin(), ends.end());
  int stage = 0;
  for (size_t p = 0; p < order.size(); ++p) {
    if (int(p) == ends[size_t(stage)])
      ++stage;
    stages[size_t(order[p])] = stage;
  }
  return stages;
}
