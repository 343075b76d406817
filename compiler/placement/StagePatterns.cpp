#include "compiler/placement/StagePatterns.h"

#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {

constexpr double kRounding = 1e-9;

/// One block of each of the groups with the most work, the most first. Blocks
/// are of one group where to part them costs more than one of them takes:
/// marks say most if what is tied to one is not marked again.
/// There are as many as leave the most behind: the first that is not among them
/// has the least work, by that of the last that is.
std::vector<int> heavyBlocks(const StageGraph &graph, double most) {
  struct Tie {
    double seconds;
    int from, to;
  };
  constexpr size_t kWide = 64; // nets of more readers tie no two together
  std::vector<Tie> ties;
  for (const Net &net : graph.nets)
    if (net.from >= 0 && net.readers.size() <= kWide)
      for (const Net::Reader &reader : net.readers)
        ties.push_back({reader.seconds, net.from, reader.block});
  std::stable_sort(ties.begin(), ties.end(), [](const Tie &a, const Tie &b) {
    return a.seconds > b.seconds;
  });
  std::vector<int> group(size_t(graph.count()));
  std::iota(group.begin(), group.end(), 0);
  const auto find = [&](int block) {
    while (group[size_t(block)] != block)
      block = group[size_t(block)] = group[size_t(group[size_t(block)])];
    return block;
  };
  std::vector<double> work = graph.seconds;
  std::vector<int> largest = group;
  for (const Tie &tie : ties) {
    int a = find(tie.from), b = find(tie.to);
    if (a == b || tie.seconds < std::min(work[size_t(a)], work[size_t(b)]) ||
        work[size_t(a)] + work[size_t(b)] > most)
      continue;
    if (work[size_t(a)] < work[size_t(b)])
      std::swap(a, b);
    group[size_t(b)] = a;
    work[size_t(a)] += work[size_t(b)];
    if (graph.seconds[size_t(largest[size_t(b)])] >
        graph.seconds[size_t(largest[size_t(a)])])
      largest[size_t(a)] = largest[size_t(b)];
  }
  std::vector<int> heads;
  for (int b = 0; b < graph.count(); ++b)
    if (find(b) == b && work[size_t(b)] > 0)
      heads.push_back(b);
  std::stable_sort(heads.begin(), heads.end(), [&](int a, int b) {
    return work[size_t(a)] > work[size_t(b)];
  });
  constexpr size_t kFewest = 3, kMost = 14;
  const auto workOf = [&](size_t i) {
    return i < heads.size() ? work[size_t(heads[i])] : 0;
  };
  size_t count = std::min(kFewest, heads.size());
  for (size_t i = count; i <= std::min(kMost, heads.size()); ++i)
    if (i > 0 && workOf(i) * workOf(count - 1) < workOf(count) * workOf(i - 1))
      count = i;
  heads.resize(count);
  for (int &head : heads)
    head = largest[size_t(head)];
  return heads;
}

class Patterns {
public:
  Patterns(const StageGraph &graph, BlockCapacities &capacities,
           const StageBoundParams &params, const Companionship &companions,
           std::vector<int> marked)
      : graph(graph), capacities(capacities), params(params),
        marked(std::move(marked)), byFirst(this->marked.size()) {
    for (int block : this->marked)
      mayJoin.push_back(companions(block));
  }

  /// Finds patterns and what they hold, most exactly around this load. False
  /// if there were too many.
  bool enumerate(double around) {
    this->around = around;
    mostWork = capacities.work() + params.patternWork;
    capacities.limitWork(mostWork);
    const std::vector<char> all(size_t(graph.count()), true);
    std::vector<int> in;
    visit(0, in, 0, 0, all);
    return capacities.work() <= mostWork;
  }

  /// Whether the work of all blocks may fit into stages of this load.
  bool mayFit(double load) {
    const size_t sets = size_t(1) << marked.size();
    const size_t stages = std::min(size_t(params.stages), marked.size());
    const double none = empty.at(load);
    constexpr double kNever = -1;
    // Of so many stages and of marked blocks that are in these, the most work.
    std::vector<double> most(sets, kNever), next;
    most[0] = 0;
    const double needed = graph.totalSeconds * (1 - kRounding);
    for (auto &patterns : byFirst)
      for (Pattern &pattern : patterns)
        pattern.now = pattern.capacity.leastLoad * (1 - kRounding) <= load
                          ? pattern.capacity.at(load)
                          : kNever;
    for (size_t used = 1; used <= stages; ++used) {
      next.assign(sets, kNever);
      for (size_t done = 0; done + 1 < sets; ++done) {
        if (most[done] < 0)
          continue;
        size_t first = 0;
        while (done >> first & 1)
          ++first;
        for (const Pattern &pattern : byFirst[first])
          if (!(pattern.set & done) && pattern.now >= 0) {
            double &of = next[done | pattern.set];
            of = std::max(of, most[done] + pattern.now);
          }
      }
      std::swap(most, next);
      if (most[sets - 1] >= 0 &&
          most[sets - 1] + double(size_t(params.stages) - used) * none >=
              needed)
        return true;
    }
    return false;
  }

private:
  struct Pattern {
    size_t set;
    BlockCapacity capacity;
    double now = 0; // at the load that is asked for
  };

  /// Patterns with `in`, whose blocks are among the first `next` marked ones,
  /// and without the others of these.
  void visit(size_t next, std::vector<int> &in, size_t set, double seconds,
             const std::vector<char> &join) {
    if (capacities.work() > mostWork)
      return;
    if (next == marked.size()) {
      BlockCapacity capacity = capacities.of(in, around, join, likely);
      // Patterns that come one after the other are alike.
      likely = capacity.lines.back().slope;
      if (set == 0)
        empty = std::move(capacity);
      else if (capacity.leastLoad * (1 - kRounding) <= params.reached)
        byFirst[size_t(__builtin_ctzll(set))].push_back(
            {set, std::move(capacity)});
      return;
    }
    const int block = marked[next];
    std::vector<char> with = join;
    const double more = seconds + graph.seconds[size_t(block)];
    if (join[size_t(block)] && more * (1 - kRounding) <= params.reached) {
      for (size_t b = 0; b < with.size(); ++b)
        with[b] = with[b] && mayJoin[next][b];
      in.push_back(block);
      if (capacities.leastLoad(in, with) * (1 - kRounding) <= params.reached)
        visit(next + 1, in, set | size_t(1) << next, more, with);
      in.pop_back();
    }
    with = join;
    with[size_t(block)] = false;
    visit(next + 1, in, set, seconds, with);
  }

  const StageGraph &graph;
  BlockCapacities &capacities;
  const StageBoundParams &params;
  const std::vector<int> marked;          // blocks
  std::vector<std::vector<char>> mayJoin; // by marked block
  // By the first of their marked blocks; and the pattern of none.
  std::vector<std::vector<Pattern>> byFirst;
  BlockCapacity empty;
  double around = 0, likely = 0;
  int64_t mostWork = 0;
};

} // namespace

double placement::patternBound(const StageGraph &graph,
                               BlockCapacities &capacities,
                               const StageBoundParams &params, double known,
                               const Companionship &companions) {
  std::vector<int> marked = heavyBlocks(graph, params.reached);
  if (marked.empty())
    return known;
  Patterns patterns(graph, capacities, params, companions, std::move(marked));
  if (!patterns.enumerate((known + params.reached) / 2))
    return known;
  if (!patterns.mayFit(params.reached * (1 - kRounding)))
    return params.reached * (1 - kRounding);
  constexpr int kRounds = 14;
  double tooSmall = known, enough = params.reached;
  for (int round = 0; round < kRounds; ++round) {
    const double load = (tooSmall + enough) / 2;
    (patterns.mayFit(load) ? enough : tooSmall) = load;
  }
  return tooSmall;
}
