#include "compiler/placement/BlockCapacity.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

using namespace smex;
using namespace smex::placement;

/// What only the first has.
static std::vector<int> less(std::vector<int> all, std::vector<int> some) {
  std::sort(all.begin(), all.end());
  std::sort(some.begin(), some.end());
  std::vector<int> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(),
                      std::back_inserter(rest));
  return rest;
}

double BlockCapacity::at(double load) const {
  double most = lines.empty() ? load : std::numeric_limits<double>::infinity();
  for (const CapacityLine &line : lines)
    most = std::min(most, line.slope * load + line.offset);
  return most;
}

BlockCapacities::BlockCapacities(const StageGraph &graph)
    : graph(graph), weights(graph.seconds), hostOut(size_t(graph.count())),
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
  isInUsed.resize(ins.size());
  isOutUsed.resize(outs.size());
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
    least += weights[size_t(b)];
  }
  int next = 2;
  for (int b = 0; b < graph.count(); ++b)
    if (nodeOf[size_t(b)] == MinCut::kSink && mayJoin[size_t(b)]) {
      nodeOf[size_t(b)] = next++;
      members.push_back(b);
    }
  const auto collect = [&](const std::vector<std::vector<int>> &of,
                           std::vector<char> &isUsed, std::vector<int> &used) {
    for (int i : used)
      isUsed[size_t(i)] = false;
    used.clear();
    for (int b : members)
      for (int i : of[size_t(b)])
        if (!isUsed[size_t(i)]) {
          isUsed[size_t(i)] = true;
          used.push_back(i);
        }
  };
  collect(insOf, isInUsed, usedIns);
  collect(outsOf, isOutUsed, usedOuts);
}

BlockCapacities::Point BlockCapacities::solve(double slope, double share) {
  double gain = 0; // where all that gain anything join
  for (int b : members)
    gain += std::max(0.0, share * weights[size_t(b)] -
                              slope * graph.seconds[size_t(b)]);
  if (cut.isOver()) // there is no time even to make a network
    return {0, 0, -gain, {}};
  // Capacities are whole numbers, rounded down: the cut is a lower bound.
  double all = 0;
  for (int b : members)
    all += share * weights[size_t(b)] +
           slope * (graph.seconds[size_t(b)] + hostOut[size_t(b)]);
  for (int i : usedIns)
    all += slope * ins[size_t(i)].seconds;
  for (int i : usedOuts)
    all += slope * outs[size_t(i)].seconds;
  const double scale =
      std::ldexp(1.0, 50) / std::max(all * (1 + slope), 1e-280);
  const auto scaled = [&](double seconds) { return int64_t(seconds * scale); };

  cut.clear(2);
  for (int b : members)
    if (nodeOf[size_t(b)] != MinCut::kSource)
      cut.addNode();
  for (int b : members) {
    const double cost =
        slope * graph.seconds[size_t(b)] - share * weights[size_t(b)];
    if (cost < 0)
      cut.addEdge(MinCut::kSource, nodeOf[size_t(b)], scaled(-cost));
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
  point.weight = 0;
  if (cut.isOver()) // it is not known which set that is of
    return point;
  for (int b : members)
    if (nodeOf[size_t(b)] == MinCut::kSource ||
        cut.onSourceSide(nodeOf[size_t(b)])) {
      point.weight += weights[size_t(b)];
      if (keepsSets)
        point.set.push_back(b);
    }
  point.load = (point.value + share * point.weight) / slope;
  return point;
}

double BlockCapacities::leastLoad(const std::vector<int> &blocks,
                                  const std::vector<char> &mayJoin) {
  build(blocks, mayJoin);
  return solve(1, 0).value;
}

BlockCapacity BlockCapacities::of(const std::vector<int> &blocks, double load,
                                  const std::vector<char> &mayJoin,
                                  double likely, bool tellsUndecided,
                                  double enough) {
  build(blocks, mayJoin);
  keepsSets = tellsUndecided;
  BlockCapacity capacity;
  const auto ask = [&](double slope) {
    const Point point = solve(slope);
    capacity.lines.push_back({slope, -point.value});
    // As slope * load(S) - weight(S) >= value.
    capacity.leastLoad =
        std::max(capacity.leastLoad, (point.value + least) / slope);
    return point;
  };
  // A point on either side of the load: small.load <= load < large.load.
  std::optional<Point> small, large;
  const auto place = [&](const Point &point) {
    if (cut.isOver())
      return;
    if (point.load <= load) {
      if (!small || point.load > small->load)
        small = point;
    } else if (!large || point.load < large->load) {
      large = point;
    }
  };
  if (likely <= 0 || !tellsUndecided)
    place(ask(1));
  if (likely > 0)
    place(ask(likely));
  if (capacity.at(load) <= enough)
    return capacity;
  constexpr double kFlat = 1e-3, kSteep = 1e3; // next to one of the two alone
  if (likely > 0 && tellsUndecided && (!small || !large)) {
    constexpr double kNear = 1.3; // where the other point mostly is
    place(ask(small ? likely / kNear : likely * kNear));
    if (capacity.at(load) <= enough)
      return capacity;
  }
  if (!small)
    place(ask(kSteep));
  else if (!large)
    place(ask(kFlat));
  if (!small || !large || cut.isOver()) {
    if (large)
      capacity.undecided = less(large->set, blocks);
    if (small)
      capacity.within = std::move(small->set);
    return capacity;
  }
  const int rounds = likely > 0 ? 2 : 4;
  for (int round = 0; round < rounds && !cut.isOver(); ++round) {
    const double more = large->load - small->load;
    const double moreWeight = large->weight - small->weight;
    if (more <= 1e-9 * load || moreWeight <= 1e-9 * large->weight)
      break;
    const double slope = moreWeight / more;
    const Point between = ask(slope);
    const double known = slope * small->load - small->weight;
    if (between.value >= known - 1e-6 * std::abs(known))
      break;
    place(between);
    if (capacity.at(load) <= enough)
      break;
  }
  capacity.undecided = less(large->set, small->set);
  capacity.within = std::move(small->set);
  return capacity;
}
