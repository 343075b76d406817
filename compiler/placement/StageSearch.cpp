#include "compiler/placement/StageSearch.h"

#include "dialects/support/Random.h"

#include <cmath>

using namespace smex;
using namespace smex::placement;

namespace {

/// Loads of stages while blocks move.
class State {
public:
  State(const StageGraph &graph, Stages stages, const SplitParams &params)
      : graph(graph), params(params), stages(std::move(stages)),
        loads(stageLoads(graph, this->stages, params.stages)),
        used(size_t(params.stages)), arrives(size_t(params.stages)),
        isTouched(size_t(params.stages)) {
    if (params.memoryBytes)
      for (int b = 0; b < graph.count(); ++b)
        used[size_t(at(b))] += (*params.bytes)[size_t(b)];
  }

  int at(int block) const { return stages[size_t(block)]; }
  const Stages &all() const { return stages; }
  double loadOf(int stage) const {
    return loads[size_t(stage)].of(params.transfersOverlap);
  }
  double largest() const {
    double most = 0;
    for (int s = 0; s < params.stages; ++s)
      most = std::max(most, loadOf(s));
    return most;
  }

  /// The stages that the block's neighbours allow: the first and the last.
  std::pair<int, int> range(int block) const {
    int first = 0, last = params.stages - 1;
    if (!params.inOrder)
      return {first, last};
    for (int b : graph.before[size_t(block)])
      first = std::max(first, at(b));
    for (int b : graph.after[size_t(block)])
      last = std::min(last, at(b));
    return {first, last};
  }

  /// Neighbours that this looks at, of which many cost as much as one reader
  /// that a move looks at.
  int64_t workOfRange(int block) const {
    constexpr size_t kMany = 8;
    return params.inOrder ? int64_t((graph.before[size_t(block)].size() +
                                     graph.after[size_t(block)].size()) /
                                    kMany)
                          : 0;
  }

  bool hasRoom(int block, int stage) const {
    return !params.memoryBytes ||
           used[size_t(stage)] + (*params.bytes)[size_t(block)] <=
               *params.memoryBytes;
  }

  /// Readers that a move looks at.
  int64_t workOf(int block) const {
    int64_t work = 4;
    for (int n : graph.makes[size_t(block)])
      work += int64_t(graph.nets[size_t(n)].readers.size());
    for (int n : graph.reads[size_t(block)])
      work += int64_t(graph.nets[size_t(n)].readers.size());
    return work;
  }

  /// The stage of a block that makes what this one reads, or reads with it, or
  /// reads what it makes: by `pick`, any bits. -1 if there is none.
  int besideOf(int block, uint64_t pick) const {
    const std::vector<int> &makes = graph.makes[size_t(block)],
                           &reads = graph.reads[size_t(block)];
    const size_t nets = makes.size() + reads.size();
    if (nets == 0)
      return -1;
    const size_t n = size_t(pick & 0xffff) % nets;
    pick >>= 16;
    const Net &net = graph.nets[size_t(
        n < makes.size() ? makes[n] : reads[n - makes.size()])];
    const bool isRead = n >= makes.size() && net.from >= 0 && (pick & 1);
    if (isRead || net.readers.empty())
      return net.from < 0 ? -1 : at(net.from);
    return at(net.readers[size_t(pick >> 1) % net.readers.size()].block);
  }

  /// Stages whose load the last move changed.
  const std::vector<int> &touched() const { return touchedStages; }
  const std::vector<StageLoad> &loadsBefore() const { return before; }

  void move(int block, int stage) {
    for (int s : touchedStages)
      isTouched[size_t(s)] = false;
    touchedStages.clear();
    before.clear();
    const int old = at(block);
    touch(old);
    touch(stage);
    addNets(block, -1);
    stages[size_t(block)] = stage;
    addNets(block, 1);
    loads[size_t(old)].compute -= graph.seconds[size_t(block)];
    loads[size_t(stage)].compute += graph.seconds[size_t(block)];
    if (params.memoryBytes) {
      used[size_t(old)] -= (*params.bytes)[size_t(block)];
      used[size_t(stage)] += (*params.bytes)[size_t(block)];
    }
  }

  /// Takes the last move back, to the bit.
  void undo(int block, int old) {
    const int now = at(block);
    stages[size_t(block)] = old;
    for (size_t i = 0; i < touchedStages.size(); ++i)
      loads[size_t(touchedStages[i])] = before[i];
    if (params.memoryBytes) {
      used[size_t(now)] -= (*params.bytes)[size_t(block)];
      used[size_t(old)] += (*params.bytes)[size_t(block)];
    }
  }

private:
  void touch(int stage) {
    if (isTouched[size_t(stage)])
      return;
    isTouched[size_t(stage)] = true;
    touchedStages.push_back(stage);
    before.push_back(loads[size_t(stage)]);
  }

  void addNets(int block, double sign) {
    for (int n : graph.makes[size_t(block)])
      add(graph.nets[size_t(n)], sign);
    for (int n : graph.reads[size_t(block)])
      add(graph.nets[size_t(n)], sign);
  }

  void add(const Net &net, double sign) {
    const int from = net.from < 0 ? -1 : at(net.from);
    double leaves = net.hostSeconds;
    for (const Net::Reader &reader : net.readers)
      if (const int to = at(reader.block); to != from) {
        leaves = std::max(leaves, reader.seconds);
        arrives[size_t(to)] = std::max(arrives[size_t(to)], reader.seconds);
      }
    for (const Net::Reader &reader : net.readers)
      if (const int to = at(reader.block); arrives[size_t(to)] > 0) {
        touch(to);
        loads[size_t(to)].in += sign * arrives[size_t(to)];
        arrives[size_t(to)] = 0;
      }
    if (from >= 0 && leaves > 0) {
      touch(from);
      loads[size_t(from)].out += sign * leaves;
    }
  }

  const StageGraph &graph;
  const SplitParams &params;
  Stages stages;
  std::vector<StageLoad> loads;
  std::vector<int64_t> used;
  std::vector<double> arrives;
  std::vector<char> isTouched;
  std::vector<int> touchedStages;
  std::vector<StageLoad> before; // of these, before the last move
};

/// x^(2^squarings)
double power(double x, int squarings) {
  for (int i = 0; i < squarings; ++i)
    x *= x;
  return x;
}

} // namespace

Stages placement::anneal(const StageGraph &graph, Stages stages,
                         const SplitParams &params, int64_t work, uint64_t seed,
                         const Heat &heat) {
  if (graph.count() < 2 || params.stages < 2)
    return stages;
  const Random random(seed, "stages");
  State state(graph, stages, params);
  Stages best = state.all();
  double bestLoad = state.largest();
  if (bestLoad <= 0)
    return best;
  constexpr double kCold = 0.002;
  uint64_t draw = 0;
  const int64_t all = work;
  double temperature = heat.hot;
  for (int64_t step = 0; work > 0; ++step) {
    if (step % 256 == 0)
      temperature =
          heat.hot * std::pow(kCold / heat.hot, 1 - double(work) / double(all));
    const int block = int(random.below(graph.count(), draw++));
    work -= 2 + state.workOfRange(block);
    const int old = state.at(block);
    const auto [first, last] = state.range(block);
    if (first == last)
      continue;
    // Mostly to where it has to do with somebody, which in order is next to it.
    int stage = params.inOrder ? old + (random.bits(draw++) & 1 ? 1 : -1)
                               : state.besideOf(block, random.bits(draw++));
    if ((random.bits(draw++) & 3) == 0)
      stage = first + int(random.below(last - first + 1, draw++));
    if (stage < first || stage > last || stage == old ||
        !state.hasRoom(block, stage))
      continue;
    work -= state.workOf(block);
    state.move(block, stage);
    // What counts is the largest load; the others count a little, or there
    // would be no way down.
    double change = 0;
    for (size_t i = 0; i < state.touched().size(); ++i)
      change +=
          power(state.loadOf(state.touched()[i]) / bestLoad, heat.squarings) -
          power(state.loadsBefore()[i].of(params.transfersOverlap) / bestLoad,
                heat.squarings);
    const double chance = double(random.bits(draw++) >> 11) * 0x1p-53;
    if (change > 0 && chance >= std::exp(-change / temperature)) {
      state.undo(block, old);
      continue;
    }
    if (change >= 0)
      continue;
    bool mayBeBest = true;
    for (int s : state.touched())
      mayBeBest = mayBeBest && state.loadOf(s) < bestLoad;
    if (mayBeBest)
      if (const double load = state.largest(); load < bestLoad * (1 - 1e-9)) {
        bestLoad = load;
        best = state.all();
      }
  }
  return best;
}
