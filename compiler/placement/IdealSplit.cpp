#include "compiler/placement/IdealSplit.h"

#include <limits>
#include <unordered_map>

using namespace smex;
using namespace smex::placement;

namespace {

/// All ideals, and how each grows by one block.
class Ideals {
public:
  Ideals(const StageGraph &graph, size_t most)
      : words((size_t(graph.count()) + 63) / 64) {
    bits.resize(words); // the empty one
    numbers.emplace(hashOf(0), 0);
    for (size_t ideal = 0; ideal < size() && complete; ++ideal) {
      offsets.push_back(steps.size());
      for (int block = 0; block < graph.count(); ++block)
        if (mayFollow(graph, ideal, block))
          grow(ideal, block, most);
    }
    offsets.push_back(steps.size());
  }

  struct Step {
    int block, to;
  };

  size_t size() const { return bits.size() / words; }
  bool has(size_t ideal, int block) const {
    return bits[ideal * words + size_t(block) / 64] >> (block % 64) & 1;
  }
  const Step *begin(size_t ideal) const {
    return steps.data() + offsets[ideal];
  }
  const Step *end(size_t ideal) const {
    return steps.data() + offsets[ideal + 1];
  }

  bool complete = true;

private:
  bool mayFollow(const StageGraph &graph, size_t ideal, int block) const {
    if (has(ideal, block))
      return false;
    for (int b : graph.before[size_t(block)])
      if (!has(ideal, b))
        return false;
    return true;
  }

  uint64_t hashOf(size_t ideal) const {
    uint64_t hash = 0;
    for (size_t w = 0; w < words; ++w)
      hash = (hash ^ bits[ideal * words + w]) * 0x9e3779b97f4a7c15,
      hash ^= hash >> 29;
    return hash;
  }

  void grow(size_t ideal, int block, size_t most) {
    const size_t candidate = size();
    bits.resize(bits.size() + words);
    for (size_t w = 0; w < words; ++w)
      bits[candidate * words + w] = bits[ideal * words + w];
    bits[candidate * words + size_t(block) / 64] |= uint64_t(1) << (block % 64);
    const auto [first, last] = numbers.equal_range(hashOf(candidate));
    for (auto known = first; known != last; ++known)
      if (std::equal(bits.begin() + ptrdiff_t(candidate * words), bits.end(),
                     bits.begin() + ptrdiff_t(known->second * words))) {
        steps.push_back({block, int(known->second)});
        bits.resize(candidate * words);
        return;
      }
    if (candidate >= most) {
      complete = false;
      bits.resize(candidate * words);
      return;
    }
    numbers.emplace(hashOf(candidate), candidate);
    steps.push_back({block, int(candidate)});
  }

  size_t words;
  std::vector<uint64_t> bits;
  std::unordered_multimap<uint64_t, size_t> numbers; // by hash
  std::vector<size_t> offsets;
  std::vector<Step> steps;
};

/// A stage that grows block by block from an ideal, and shrinks again.
class GrowingStage {
public:
  GrowingStage(const StageGraph &graph)
      : graph(graph), nets(graph.nets.size()) {
    for (size_t n = 0; n < nets.size(); ++n) {
      nets[n].readersLeft = int(graph.nets[n].readers.size());
      nets[n].largestFirst = graph.nets[n].readers;
      std::stable_sort(nets[n].largestFirst.begin(), nets[n].largestFirst.end(),
                       [](const Net::Reader &a, const Net::Reader &b) {
                         return a.seconds > b.seconds;
                       });
    }
  }

  StageLoad load;
  int64_t looks = 0; // at nets and their readers, so far

  void add(int block) {
    undone.push_back(load);
    load.compute += graph.seconds[size_t(block)];
    looks += int64_t(graph.reads[size_t(block)].size() +
                     graph.makes[size_t(block)].size());
    for (int n : graph.reads[size_t(block)])
      arrive(n, block);
    for (int n : graph.makes[size_t(block)]) {
      nets[size_t(n)].isMade = true;
      load.out += leaves(n);
    }
    inStage.resize(std::max(inStage.size(), size_t(block) + 1));
    inStage[size_t(block)] = true;
  }

  /// The block that was added last.
  void remove(int block) {
    inStage[size_t(block)] = false;
    for (int n : graph.makes[size_t(block)])
      nets[size_t(n)].isMade = false;
    for (size_t i = graph.reads[size_t(block)].size(); i-- > 0;) {
      State &net = nets[size_t(graph.reads[size_t(block)][i])];
      ++net.readersLeft;
      if (!net.isMade) {
        net.arrived = arrivedBefore.back();
        arrivedBefore.pop_back();
      }
    }
    load = undone.back();
    undone.pop_back();
  }

private:
  struct State {
    bool isMade = false;
    int readersLeft = 0;
    double arrived = 0;
    std::vector<Net::Reader> largestFirst;
  };

  /// What a net that this stage makes sends to others: to readers that are
  /// not here. All that are in earlier stages have been made before it.
  double leaves(int n) {
    const double toHost = graph.nets[size_t(n)].hostSeconds;
    const State &net = nets[size_t(n)];
    if (net.readersLeft == 0)
      return toHost;
    const auto &readers = net.largestFirst;
    if (readers.front().seconds == readers.back().seconds)
      return std::max(toHost, readers.front().seconds);
    for (const Net::Reader &reader : readers) {
      ++looks;
      if (size_t(reader.block) >= inStage.size() ||
          !inStage[size_t(reader.block)])
        return std::max(toHost, reader.seconds);
    }
    return toHost;
  }

  void arrive(int n, int block) {
    State &net = nets[size_t(n)];
    const double seconds = graph.nets[size_t(n)].secondsOf(block);
    if (!net.isMade) {
      --net.readersLeft;
      arrivedBefore.push_back(net.arrived);
      if (seconds > net.arrived) {
        load.in += seconds - net.arrived;
        net.arrived = seconds;
      }
      return;
    }
    load.out -= leaves(n);
    --net.readersLeft;
    inStage.resize(std::max(inStage.size(), size_t(block) + 1));
    inStage[size_t(block)] = true;
    load.out += leaves(n);
    inStage[size_t(block)] = false;
  }

  const StageGraph &graph;
  std::vector<State> nets;
  std::vector<char> inStage;
  std::vector<StageLoad> undone;
  std::vector<double> arrivedBefore;
};

class Search {
public:
  Search(const StageGraph &graph, const Ideals &ideals,
         const SplitParams &params, const IdealLimits &limits)
      : graph(graph), ideals(ideals), params(params), pairsLeft(limits.pairs),
        mostLooks(limits.looks), stages(size_t(params.stages)), stage(graph),
        below(params.below), visited(ideals.size(), -1),
        best(ideals.size() * (stages + 1), kNone), from(best.size(), -1) {}

  bool run() {
    best[0] = 0;
    // Ideals are numbered by size: none grows into an earlier one.
    for (size_t ideal = 0; ideal < ideals.size() && !isOver(); ++ideal)
      if (smallest(ideal) < below) {
        stage.load = {};
        bytes = 0;
        explore(int(ideal), int(ideal));
      }
    return !isOver();
  }

  std::optional<Stages> result() const {
    const size_t all = ideals.size() - 1;
    size_t count = 0;
    for (size_t s = 0; s <= stages; ++s)
      if (best[all * (stages + 1) + s] < best[all * (stages + 1) + count])
        count = s;
    if (best[all * (stages + 1) + count] >= params.below)
      return std::nullopt;
    Stages result(size_t(graph.count()), 0);
    for (size_t at = all; count > 0; --count) {
      const size_t before = size_t(from[at * (stages + 1) + count]);
      for (int b = 0; b < graph.count(); ++b)
        if (ideals.has(at, b) && !ideals.has(before, b))
          result[size_t(b)] = int(count) - 1;
      at = before;
    }
    return result;
  }

private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  bool isOver() const { return pairsLeft <= 0 || stage.looks > mostLooks; }

  double smallest(size_t ideal) const {
    double least = kNone;
    for (size_t s = 0; s <= stages; ++s)
      least = std::min(least, best[ideal * (stages + 1) + s]);
    return least;
  }

  void explore(int first, int at) {
    visited[size_t(at)] = first;
    for (const Ideals::Step *step = ideals.begin(size_t(at));
         step != ideals.end(size_t(at)); ++step) {
      if (visited[size_t(step->to)] == first || --pairsLeft <= 0 || isOver())
        continue;
      const int64_t more =
          params.memoryBytes ? (*params.bytes)[size_t(step->block)] : 0;
      if (stage.load.compute + graph.seconds[size_t(step->block)] >= below ||
          (params.memoryBytes && bytes + more > *params.memoryBytes))
        continue;
      stage.add(step->block);
      bytes += more;
      // Sums of what came and went may be off by rounding.
      use(first, step->to,
          std::max(stage.load.of(params.transfersOverlap), 0.0));
      explore(first, step->to);
      bytes -= more;
      stage.remove(step->block);
    }
  }

  void use(int first, int at, double load) {
    if (load >= below)
      return;
    for (size_t s = 0; s < stages; ++s) {
      const double sofar = best[size_t(first) * (stages + 1) + s];
      const size_t place = size_t(at) * (stages + 1) + s + 1;
      if (const double largest = std::max(sofar, load); largest < best[place]) {
        best[place] = largest;
        from[place] = first;
        if (size_t(at) + 1 == ideals.size())
          below = std::min(below, largest);
      }
    }
  }

  const StageGraph &graph;
  const Ideals &ideals;
  const SplitParams &params;
  int64_t pairsLeft;
  const int64_t mostLooks;
  size_t stages;
  GrowingStage stage;
  double below;
  int64_t bytes = 0;
  std::vector<int> visited;
  // By ideal and number of stages: the smallest largest load, and the ideal
  // before the last stage.
  std::vector<double> best;
  std::vector<int> from;
};

} // namespace

IdealSplit placement::splitIdeals(const StageGraph &graph,
                                  const SplitParams &params,
                                  const IdealLimits &limits) {
  IdealSplit split;
  if (graph.count() == 0)
    return {true, Stages()};
  const Ideals ideals(graph, limits.ideals);
  if (!ideals.complete)
    return split;
  Search search(graph, ideals, params, limits);
  split.complete = search.run();
  split.stages = search.result();
  return split;
}
