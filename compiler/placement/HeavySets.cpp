#include "compiler/placement/HeavySets.h"

#include "dialects/support/Random.h"

#include <cmath>

using namespace smex;
using namespace smex::placement;

HeavySets::HeavySets(const StageGraph &graph, double load)
    : graph(graph), most(load), isIn(size_t(graph.count())),
      placeOf(size_t(graph.count())) {}

/// Of what the set receives or sends of a net.
double HeavySets::costOf(const Net &net) const {
  const bool makes = net.from >= 0 && isIn[size_t(net.from)];
  double cost = makes ? net.hostSeconds : 0;
  for (const Net::Reader &reader : net.readers)
    if (bool(isIn[size_t(reader.block)]) != makes)
      cost = std::max(cost, reader.seconds);
  return cost;
}

void HeavySets::flip(int block, const std::vector<double> &weights) {
  const size_t b = size_t(block);
  const auto costs = [&] {
    double sum = 0;
    for (const auto *nets : {&graph.makes[b], &graph.reads[b]})
      for (int n : *nets) {
        sum += costOf(graph.nets[size_t(n)]);
        work += 1 + int64_t(graph.nets[size_t(n)].readers.size());
      }
    return sum;
  };
  load -= costs();
  const double sign = isIn[b] ? -1 : 1;
  if (isIn[b]) {
    const size_t place = size_t(placeOf[b]);
    members[place] = members.back();
    placeOf[size_t(members[place])] = int(place);
    members.pop_back();
  } else {
    placeOf[b] = int(members.size());
    members.push_back(block);
  }
  isIn[b] = !isIn[b];
  load += costs() + sign * graph.seconds[b];
  weight += sign * weights[b];
}

/// One that makes what this one reads, or reads what it makes; or itself.
int HeavySets::neighbourOf(int block, uint64_t pick) const {
  const auto &makes = graph.makes[size_t(block)],
             &reads = graph.reads[size_t(block)];
  const size_t nets = makes.size() + reads.size();
  if (nets == 0)
    return block;
  const size_t n = size_t(pick & 0xffff) % nets;
  const Net &net =
      graph.nets[size_t(n < makes.size() ? makes[n] : reads[n - makes.size()])];
  const size_t i = size_t(pick >> 16) % (net.readers.size() + 1);
  if (i < net.readers.size())
    return net.readers[i].block;
  return net.from >= 0 ? net.from : block;
}

std::vector<int> HeavySets::around(int block,
                                   const std::vector<double> &weights,
                                   const Random &random) {
  for (int b : members)
    isIn[size_t(b)] = false;
  members.clear();
  load = weight = 0;
  flip(block, weights);
  std::vector<int> best;
  double bestWeight = 0;
  // Weights are about 1 in sum. A set that is too large by a share weighs so
  // many times less.
  constexpr int kSteps = 1000;
  constexpr double kOver = 3, kHot = 0.05, kCold = 0.003;
  const auto worth = [&] {
    return weight - kOver * std::max(0.0, load / most - 1);
  };
  double now = worth();
  uint64_t draw = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (load < most && weight > bestWeight) {
      bestWeight = weight;
      best = members;
    }
    const int inside =
        members[size_t(random.below(int64_t(members.size()), draw++))];
    const uint64_t pick = random.bits(draw++);
    // Half of the time one leaves; else mostly one comes that has to do with
    // who is there.
    int next = inside;
    if ((pick & 15) == 1)
      next = int(random.below(graph.count(), draw++));
    else if (pick & 1)
      next = neighbourOf(inside, pick >> 4);
    if (next == block)
      continue;
    flip(next, weights);
    const double then = worth();
    const double temperature =
        kHot * std::pow(kCold / kHot, double(step) / kSteps);
    const double chance = double(random.bits(draw++) >> 11) * 0x1p-53;
    if (then >= now || chance < std::exp((then - now) / temperature))
      now = then;
    else
      flip(next, weights);
  }
  return best;
}
