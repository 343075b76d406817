#include "compiler/placement/HeaviestSet.h"

#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::placement;

static constexpr double kRounding = 1e-9;

HeaviestSet::HeaviestSet(const StageGraph &graph, const ForcedApart &forced,
                         double load)
    : graph(graph), forced(forced), load(load), count(size_t(graph.count())),
      capacities(graph), weights(count), slopes(count) {}

void HeaviestSet::limitWork(int64_t most) {
  mostWork = most;
  capacities.limitWork(most);
}

void HeaviestSet::weigh(const std::vector<double> &ofBlocks) {
  weights = ofBlocks;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  unit = sum > 0 ? graph.totalSeconds / sum : 1;
  std::vector<double> scaled = weights;
  for (double &weight : scaled)
    weight *= unit;
  capacities.weigh(std::move(scaled));
}

void HeaviestSet::weigh(int block, double weight) {
  weights[size_t(block)] = weight;
  capacities.weigh(block, weight * unit);
}

std::vector<char> HeaviestSet::companions(int block) const {
  std::vector<char> mayJoin(count);
  for (size_t b = 0; b < count; ++b)
    mayJoin[b] = !forced.apart[size_t(block)][b];
  return mayJoin;
}

double HeaviestSet::weightOf(const std::vector<int> &set) const {
  double sum = 0;
  for (int block : set)
    sum += weights[size_t(block)];
  return sum;
}

HeaviestSet::Answer HeaviestSet::around(const Question &question) {
  struct Part {
    double most;
    std::vector<int> in;
    std::vector<char> mayJoin;
    int next;     // the block that parts it, or -1
    double slope; // of the line that bounds it
  };
  const auto isLess = [](const Part &a, const Part &b) {
    return a.most < b.most;
  };
  Answer answer;
  double seen = 0, &slope = slopes[size_t(question.block)];
  std::vector<Part> parts;
  const double enough = question.enough * unit;
  const auto add = [&](std::vector<int> in, std::vector<char> mayJoin,
                       double most, double likely) {
    BlockCapacity found =
        capacities.of(in, load, mayJoin, likely, true, enough);
    if (found.leastLoad * (1 - kRounding) >= load)
      return;
    if (slope == 0)
      slope = found.lines.back().slope;
    if (const double weight = weightOf(found.within); weight > seen) {
      seen = weight;
      answer.set = std::move(found.within);
    }
    int next = -1;
    for (int b : found.undecided)
      if (next < 0 ||
          forced.leastLoad[size_t(b)] > forced.leastLoad[size_t(next)])
        next = b;
    parts.push_back({std::min(most, found.at(load)), std::move(in),
                     std::move(mayJoin), next, found.lines.back().slope});
    std::push_heap(parts.begin(), parts.end(), isLess);
  };
  std::vector<char> others = companions(question.block);
  if (question.among)
    for (size_t b = 0; b < count; ++b)
      others[b] = others[b] && (*question.among)[b];
  add({question.block}, std::move(others),
      std::numeric_limits<double>::infinity(), slope);
  for (int looks = 0;
       looks < question.mostParts && !parts.empty() && work() < mostWork;
       ++looks) {
    // A set that is too heavy is an answer, too.
    if (parts.front().next < 0 || parts.front().most <= enough ||
        (enough > 0 && seen > question.enough))
      break;
    std::pop_heap(parts.begin(), parts.end(), isLess);
    const Part part = std::move(parts.back());
    parts.pop_back();
    std::vector<int> with = part.in;
    with.push_back(part.next);
    std::vector<char> mayJoin = part.mayJoin;
    for (size_t b = 0; b < count; ++b)
      mayJoin[b] = mayJoin[b] && !forced.apart[size_t(part.next)][b];
    add(std::move(with), std::move(mayJoin), part.most, part.slope);
    mayJoin = part.mayJoin;
    mayJoin[size_t(part.next)] = false;
    add(part.in, std::move(mayJoin), part.most, part.slope);
  }
  answer.isNone = parts.empty();
  answer.most = parts.empty() ? 0 : parts.front().most / unit * (1 + kRounding);
  return answer;
}
