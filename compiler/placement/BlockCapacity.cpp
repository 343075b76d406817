#include "compiler/placement/BlockCapacity.h"

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::placement;

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
void BlockCapacities::build(int block, const std::vector<char> &mayJoin) {
  for (int b : members)
    nodeOf[size_t(b)] = MinCut::kSink;
  members.assign(1, block);
  nodeOf[size_t(block)] = MinCut::kSource;
  self = block;
  int next = 2;
  for (int b = 0; b < graph.count(); ++b)
    if (b != block && mayJoin[size_t(b)]) {
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

  cut.clear(int(members.size()) + 1);
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

BlockCapacity BlockCapacities::of(int block, double load,
                                  const std::vector<char> &mayJoin) {
  build(block, mayJoin);
  BlockCapacity capacity;
  const auto ask = [&](double slope) {
    const Point point = solve(slope);
    capacity.lines.push_back({slope, -point.value});
    // As slope * load(S) - work(S) >= value.
    capacity.leastLoad =
        std::max(capacity.leastLoad,
                 (point.value + graph.seconds[size_t(block)]) / slope);
    return point;
  };
  Point small = ask(1), large;
  if (small.load > load) {
    large = small;
    constexpr double kSteep = 1e3; // near enough to the load alone
    small = ask(kSteep);
    if (small.load > load)
      return capacity;
  } else {
    constexpr double kFlat = 1e-3;
    large = ask(kFlat);
    if (large.load <= load)
      return capacity;
  }
  for (int round = 0; round < 4; ++round) {
    if (large.load - small.load <= 1e-9 * load ||
        large.work - small.work <= 1e-9 * large.work)
      break;
    const double slope = (large.work - small.work) / (large.load - small.load);
    const Point between = ask(slope);
    const double known = slope * small.load - small.work;
    if (between.value >= known - 1e-6 * std::abs(known))
      break;
    (between.load <= load ? small : large) = between;
  }
  return capacity;
}
