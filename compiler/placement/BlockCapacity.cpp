#include "compiler/placement/BlockCapacity.h"

#include <cmath>
#include <optional>

using namespace smex;
using namespace smex::placement;

namespace {
constexpr double kSteep = 1e3; // of a line: near enough to the load alone
}

double BlockCapacity::at(double load) const {
  double most = load;
  for (const CapacityLine &line : lines)
    most = std::min(most, line.slope * load + line.offset);
  return most;
}

BlockCapacities::BlockCapacities(const StageGraph &graph)
    : graph(graph), hostOut(size_t(graph.count())),
      insOf(size_t(graph.count())), outsOf(size_t(graph.count())),
      nodeOf(size_t(graph.count()), MinCut::kSink) {
  // The largest part of those that read is a sum over levels: what each adds
  // as soon as one reads as much.
  constexpr size_t kMostLevels = 8;
  for (const Net &net : graph.nets) {
    std::vector<double> values;
    for (const Net::Reader &reader : net.readers)
      values.push_back(reader.seconds);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > kMostLevels) // fewer parts are a smaller cost
      values.resize(kMostLevels);
    double inBefore = 0, outBefore = net.hostSeconds;
    if (net.from >= 0)
      hostOut[size_t(net.from)] += net.hostSeconds;
    for (double value : values) {
      Level level{net.from, value - inBefore, {}};
      inBefore = value;
      for (const Net::Reader &reader : net.readers)
        if (reader.seconds >= value)
          level.readers.push_back(reader.block);
      if (net.from >= 0 && value > outBefore) {
        outs.push_back(level);
        outs.back().seconds = value - outBefore;
        outBefore = value;
      }
      if (level.seconds > 0)
        ins.push_back(std::move(level));
    }
  }
  const auto index = [](const std::vector<Level> &levels,
                        std::vector<std::vector<int>> &of) {
    for (size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].from >= 0)
        of[size_t(levels[i].from)].push_back(int(i));
      for (int reader : levels[i].readers)
        of[size_t(reader)].push_back(int(i));
    }
  };
  index(ins, insOf);
  index(outs, outsOf);
}

/// Numbers the blocks that may join, and finds the levels that matter.
void BlockCapacities::build(const std::vector<int> &blocks,
                            const std::vector<char> &mayJoin) {
  for (int b : members)
    nodeOf[size_t(b)] = MinCut::kSink;
  members = blocks;
  least = 0;
  for (int b : blocks) {
    nodeOf[size_t(b)] = MinCut::kSource;
    least += graph.seconds[size_t(b)];
  }
  int next = 2;
  for (int b = 0; b < graph.count(); ++b)
    if (nodeOf[size_t(b)] == MinCut::kSink && mayJoin[size_t(b)]) {
      nodeOf[size_t(b)] = next++;
      members.push_back(b);
    }
  usedIns.clear();
  usedOuts.clear();
  for (int b : members) {
    usedIns.insert(usedIns.end(), insOf[size_t(b)].begin(),
                   insOf[size_t(b)].end());
    usedOuts.insert(usedOuts.end(), outsOf[size_t(b)].begin(),
                    outsOf[size_t(b)].end());
  }
  for (std::vector<int> *used : {&usedIns, &usedOuts}) {
    std::sort(used->begin(), used->end());
    used->erase(std::unique(used->begin(), used->end()), used->end());
  }
}

/// The set with the smallest slope * load - work.
BlockCapacities::Point BlockCapacities::solve(double slope) {
  // Capacities are whole numbers, rounded down: the cut is a lower bound.
  double all = 0;
  for (int b : members)
    all += graph.seconds[size_t(b)] + slope * hostOut[size_t(b)];
  for (int i : usedIns)
    all += slope * ins[size_t(i)].seconds;
  for (int i : usedOuts)
    all += slope * outs[size_t(i)].seconds;
  const double scale =
      std::ldexp(1.0, 50) / std::max(all * (1 + slope), 1e-300);
  const auto scaled = [&](double seconds) { return int64_t(seconds * scale); };

  cut.clear(2);
  for (int b : members)
    if (nodeOf[size_t(b)] != MinCut::kSource)
      cut.addNode();
  double gain = 0; // of work, where all of it joins
  for (int b : members) {
    const double cost = (slope - 1) * graph.seconds[size_t(b)];
    if (cost < 0) {
      gain -= cost;
      cut.addEdge(MinCut::kSource, nodeOf[size_t(b)], scaled(-cost));
    }
    cut.addEdge(nodeOf[size_t(b)], MinCut::kSink,
                scaled(std::max(cost, 0.0) + slope * hostOut[size_t(b)]));
  }
  for (int i : usedIns) {
    const Level &level = ins[size_t(i)];
    const int from =
        level.from < 0 ? MinCut::kSink : nodeOf[size_t(level.from)];
    if (from == MinCut::kSource)
      continue;
    const int any = cut.addNode();
    cut.addEdge(any, from, scaled(slope * level.seconds));
    for (int reader : level.readers)
      if (nodeOf[size_t(reader)] != MinCut::kSink)
        cut.addEdge(nodeOf[size_t(reader)], any, MinCut::kUncut);
  }
  for (int i : usedOuts) {
    const Level &level = outs[size_t(i)];
    const int from = nodeOf[size_t(level.from)];
    if (from == MinCut::kSink)
      continue;
    const int all = cut.addNode();
    cut.addEdge(from, all, scaled(slope * level.seconds));
    for (int reader : level.readers)
      cut.addEdge(all, nodeOf[size_t(reader)], MinCut::kUncut);
  }
  Point point;
  const double smallest = double(cut.solve()) / scale;
  point.value = smallest - gain;
  point.work = 0;
  for (int b : members)
    if (nodeOf[size_t(b)] == MinCut::kSource ||
        cut.onSourceSide(nodeOf[size_t(b)]))
      point.work += graph.seconds[size_t(b)];
  point.load = (point.value + point.work) / slope;
  return point;
}

double BlockCapacities::leastLoad(const std::vector<int> &blocks,
                                  const std::vector<char> &mayJoin) {
  build(blocks, mayJoin);
  return (solve(kSteep).value + least) / kSteep;
}

BlockCapacity BlockCapacities::of(const std::vector<int> &blocks, double load,
                                  const std::vector<char> &mayJoin,
                                  double likely) {
  build(blocks, mayJoin);
  BlockCapacity capacity;
  const auto ask = [&](double slope) {
    const Point point = solve(slope);
    capacity.lines.push_back({slope, -point.value});
    // As slope * load(S) - work(S) >= value.
    capacity.leastLoad =
        std::max(capacity.leastLoad, (point.value + least) / slope);
    return point;
  };
  // A point on either side of the load: small.load <= load < large.load.
  std::optional<Point> small, large;
  const auto place = [&](const Point &point) {
    if (point.load <= load) {
      if (!small || point.load > small->load)
        small = point;
    } else if (!large || point.load < large->load) {
      large = point;
    }
  };
  place(ask(1));
  if (likely > 0)
    place(ask(likely));
  constexpr double kFlat = 1e-3;
  if (!small)
    place(ask(kSteep));
  else if (!large)
    place(ask(kFlat));
  if (!small || !large)
    return capacity;
  const int rounds = likely > 0 ? 2 : 4;
  for (int round = 0; round < rounds; ++round) {
    const double more = large->load - small->load;
    const double moreWork = large->work - small->work;
    if (more <= 1e-9 * load || moreWork <= 1e-9 * large->work)
      break;
    const double slope = moreWork / more;
    const Point between = ask(slope);
    const double known = slope * small->load - small->work;
    if (between.value >= known - 1e-6 * std::abs(known))
      break;
    place(between);
  }
  return capacity;
}
