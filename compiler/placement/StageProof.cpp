#include "compiler/placement/StageProof.h"

#include "compiler/placement/HeaviestSet.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

constexpr double kRounding = 1e-9;

class Branching {
public:
  Branching(const StageGraph &graph, int devices, double load, int64_t work)
      : graph(graph), count(size_t(graph.count())), devices(devices),
        load(load), mostWork(work), forced(forcedApart(graph, load, work)),
        usedBefore(mostWork - work), sets(graph, forced, load),
        capacities(graph), cuts(graph) {
    sets.limitWork(work);
    capacities.limitWork(work);
    cuts.limitWork(work);
  }

  Proof run() {
    for (double least : forced.leastLoad)
      if (least >= load)
        return Proof::Holds;
    lift();
    if (isOnNoDevice || total > devices * (1 + kRounding))
      return Proof::Holds;
    if (isHopeless())
      return Proof::Unknown;
    std::vector<double> scaled = weights;
    scale = total > 0 ? graph.totalSeconds / total : 1;
    for (double &weight : scaled)
      weight *= scale;
    capacities.weigh(scaled);
    order.resize(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return forced.leastLoad[size_t(a)] > forced.leastLoad[size_t(b)];
    });
    State state;
    state.at.assign(count, -1);
    state.left = int(count);
    return visit(state);
  }

  int64_t used() const {
    return usedBefore + sets.work() + capacities.work() + cuts.work();
  }

private:
  struct Device {
    std::vector<int> in;
    std::vector<char> mayJoin; // the blocks that may be there
    std::vector<char> needs;   // a set of smallest load with all that is there
    double most = 1;           // of the weights
  };
  struct State {
    std::vector<Device> open;
    std::vector<int> at; // by block; -1: not yet
    int left = 0;
  };
  struct Choice {
    int device;
    double load;
  };

  bool isOver() const { return used() >= mostWork; }

  /// Weights of which no set of a load below `load` has more than 1: first what
  /// work says, no more than load; then each block's is divided by the most
  /// that a set with it has, which can be done to all at once; then each in
  /// turn gets a part of what sets with it leave, and at last all of it.
  void lift() {
    weights = graph.seconds;
    for (double &weight : weights)
      weight /= load;
    total = graph.totalSeconds / load;
    struct Round {
      double share; // of what is left; 0: all blocks at once
      int parts;
    };
    for (const Round round : {Round{0, 0}, {0.3, 4}, {0.6, 12}, {1, 12}}) {
      if (total <= 0 || isOver() || (round.parts > 4 && isHopeless()))
        return;
      sets.weigh(weights);
      for (size_t b = 0; b < count && !isOver(); ++b) {
        double &weight = weights[b];
        if (round.share == 0 && weight <= 0)
          continue;
        const auto found = sets.around({int(b), round.parts});
        isOnNoDevice = isOnNoDevice || found.isNone;
        const double most = std::min(1.0, found.most);
        if (round.share == 0) {
          weight /= std::max(most, weight);
        } else {
          weight += round.share * (1 - most);
          sets.weigh(int(b), weight);
        }
      }
      total = std::accumulate(weights.begin(), weights.end(), 0.0);
      if (isOnNoDevice || total > devices * (1 + kRounding))
        return;
    }
  }

  /// Whether weights are so far from what proves the load that branches will
  /// not, either. A few blocks are soon on all devices in turn.
  bool isHopeless() const {
    constexpr size_t kFew = 24;
    constexpr double kNear = 0.94;
    return count > kFew && total < kNear * devices;
  }

  /// Finds again what a device needs; false if that is too much.
  bool look(Device &device) {
    if (cuts.leastLoad(device.in, device.mayJoin) >= load)
      return false;
    device.needs.resize(count);
    for (size_t b = 0; b < count; ++b)
      device.needs[b] = cuts.has(int(b));
    return true;
  }

  Device emptyDevice(const State &state) const {
    Device device;
    device.mayJoin.resize(count);
    for (size_t b = 0; b < count; ++b)
      device.mayJoin[b] = state.at[b] < 0;
    return device;
  }

  /// Where a block may be. A device that needs it is not asked.
  std::vector<Choice> choices(const State &state, int block) {
    std::vector<Choice> found;
    const auto ask = [&](const Device &device, int d) {
      std::vector<int> in = device.in;
      in.push_back(block);
      std::vector<char> mayJoin = device.mayJoin;
      for (size_t b = 0; b < count; ++b)
        mayJoin[b] = mayJoin[b] && !forced.apart[size_t(block)][b];
      if (const double least = cuts.leastLoad(in, mayJoin); least < load)
        found.push_back({d, least});
    };
    for (size_t d = 0; d < state.open.size(); ++d)
      if (const Device &device = state.open[d]; device.mayJoin[size_t(block)]) {
        if (device.needs[size_t(block)])
          found.push_back({int(d), 0});
        else
          ask(device, int(d));
      }
    if (int(state.open.size()) < devices)
      ask(emptyDevice(state), int(state.open.size()));
    return found;
  }

  bool put(State &state, int block, int to) {
    if (to == int(state.open.size()))
      state.open.push_back(emptyDevice(state));
    state.at[size_t(block)] = to;
    --state.left;
    for (size_t d = 0; d < state.open.size(); ++d)
      if (int(d) != to) {
        Device &device = state.open[d];
        device.mayJoin[size_t(block)] = false;
        if (device.needs[size_t(block)] && !look(device))
          return false;
      }
    Device &device = state.open[size_t(to)];
    device.in.push_back(block);
    for (size_t b = 0; b < count; ++b)
      device.mayJoin[b] = device.mayJoin[b] && !forced.apart[size_t(block)][b];
    if (!look(device))
      return false;
    const BlockCapacity most =
        capacities.of(device.in, load, device.mayJoin, likely);
    likely = most.lines.back().slope;
    device.most =
        std::min(device.most, most.at(load) / scale * (1 + kRounding));
    double sum = double(devices) - double(state.open.size());
    for (const Device &each : state.open)
      sum += each.most;
    return sum * (1 + kRounding) >= total;
  }

  Proof visit(const State &state) {
    if (state.left == 0)
      return Proof::Fails;
    if (isOver())
      return Proof::Unknown;
    constexpr int kCandidates = 8;
    int best = -1, seen = 0;
    std::vector<Choice> choice;
    double bestSum = 0;
    for (int block : order) {
      if (state.at[size_t(block)] >= 0)
        continue;
      std::vector<Choice> mine = choices(state, block);
      double sum = 0;
      for (const Choice &each : mine)
        sum += each.load;
      if (best < 0 || mine.size() < choice.size() ||
          (mine.size() == choice.size() && sum > bestSum)) {
        best = block;
        bestSum = sum;
        choice = std::move(mine);
      }
      if (choice.size() <= 1 || ++seen == kCandidates)
        break;
    }
    std::stable_sort(
        choice.begin(), choice.end(),
        [](const Choice &a, const Choice &b) { return a.load < b.load; });
    for (const Choice &each : choice) {
      State next = state;
      if (!put(next, best, each.device))
        continue;
      if (const Proof proof = visit(next); proof != Proof::Holds)
        return proof;
    }
    return Proof::Holds;
  }

  const StageGraph &graph;
  const size_t count;
  const int devices;
  const double load;
  const int64_t mostWork;
  ForcedApart forced;
  const int64_t usedBefore;
  HeaviestSet sets;
  BlockCapacities capacities, cuts;
  std::vector<double> weights; // of which no set has more than 1
  double total = 0;            // of these
  double scale = 1;            // by which `capacities` has them larger
  double likely = 0;
  bool isOnNoDevice = false; // some block
  std::vector<int> order;
};

} // namespace

Proof placement::proveLoad(const StageGraph &graph, int devices, double load,
                           int64_t &work) {
  if (load <= 0)
    return Proof::Holds;
  Branching branching(graph, devices, load, work);
  const Proof proof = branching.run();
  work -= branching.used();
  return proof;
}
