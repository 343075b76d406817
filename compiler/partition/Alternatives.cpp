#include "compiler/partition/Alternatives.h"

#include "compiler/partition/Choices.h"
#include "compiler/partition/Factorize.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace smex;
using namespace smex::partition;
using machines::Device;
using machines::Level;

std::string partition::toString(const Search &search) {
  std::string text = search.algorithm;
  if (search.groups > 0)
    text += ", on " + std::to_string(search.groups) + " groups";
  if (search.replicas > 1)
    text += ", in " + std::to_string(search.replicas) + " replicas";
  for (size_t s = 0; s < search.ways.size(); ++s)
    text += (s ? " x " : ", steps of ") + std::to_string(search.ways[s]);
  if (!search.linkCosts.empty())
    text += ", by links";
  if (!search.weights.empty())
    text += ", parts by " + search.weightsOf;
  text += search.alwaysCut ? ", all cut" : "";
  text += search.alongSides ? ", along vertices" : "";
  text += search.bytesAlone ? ", by bytes alone" : "";
  return text + (search.withoutMachine ? ", as without a machine" : "");
}

namespace {

Search named(const char *algorithm) {
  Search search;
  search.algorithm = algorithm;
  return search;
}

Search inSteps(const std::vector<int64_t> &ways, bool alwaysCut) {
  Search search;
  search.ways = ways;
  search.alwaysCut = alwaysCut;
  return search;
}

/// Sequences of ways whose steps each part groups of one level: those of the
/// outermost level first.
std::vector<std::vector<int64_t>> sequences(const std::vector<Level> &levels) {
  const size_t limit = size_t(Params().maxSequences);
  std::vector<std::vector<int64_t>> all = {{}};
  for (size_t l = levels.size(); l-- > 0;) {
    const int64_t inner = l > 0 ? levels[l - 1].gpus : 1;
    std::vector<std::vector<int64_t>> longer;
    for (const auto &begun : all)
      for (const auto &rest :
           partition::sequences(levels[l].gpus / inner, limit)) {
        if (longer.size() == limit)
          break;
        longer.push_back(begun);
        longer.back().insert(longer.back().end(), rest.begin(), rest.end());
      }
    all = std::move(longer);
  }
  return all;
}

/// Of each step: how much slower its links are than the fastest. None where all
/// are alike.
std::vector<int64_t> costsOf(const std::vector<int64_t> &ways,
                             const std::vector<Level> &levels) {
  constexpr double most = 1 << 20;
  std::vector<int64_t> costs;
  int64_t group = workersOf(ways);
  for (int64_t k : ways) {
    const Level &level = levels[machines::levelOf(levels, group)];
    costs.push_back(int64_t(std::lround(
        std::min(most, levels.front().bytesPerSecond / level.bytesPerSecond))));
    group /= k;
  }
  const bool areAlike =
      std::all_of(costs.begin(), costs.end(),
                  [&](int64_t cost) { return cost == costs.front(); });
  return areAlike ? std::vector<int64_t>() : costs;
}

/// A quality of devices that parts can follow.
struct Measure {
  const char *name;
  std::function<double(const Device &)> of;
};

const std::vector<Measure> &measures() {
  static const std::vector<Measure> all = {
      {"flops",
       [](const Device &device) {
         return device.flops.at(DType::F32) * device.contraction.most;
       }},
      {"memory bandwidth",
       [](const Device &device) {
         return device.memoryBandwidth * device.memoryEfficiency;
       }},
      {"memory",
       [](const Device &device) { return double(device.memoryBytes); }},
  };
  return all;
}

/// Per step and group: the sum over the group's devices, in all groups of the
/// steps before. None where devices are alike.
std::vector<std::vector<int64_t>> weightsOf(const std::vector<int64_t> &ways,
                                            const std::vector<Device> &devices,
                                            const Measure &measure) {
  constexpr double fine = 64; // of the device that has most
  double most = 0;
  for (const Device &device : devices)
    most = std::max(most, measure.of(device));
  std::vector<int64_t> each;
  for (const Device &device : devices)
    each.push_back(
        std::max<int64_t>(1, std::lround(fine * measure.of(device) / most)));
  if (std::all_of(each.begin(), each.end(),
                  [&](int64_t weight) { return weight == each.front(); }))
    return {};
  std::vector<std::vector<int64_t>> weights;
  for (int64_t k : ways)
    weights.emplace_back(size_t(k), 0);
  for (size_t w = 0; w < each.size(); ++w) {
    const std::vector<int64_t> digits = digitsOf(ways, int64_t(w));
    for (size_t s = 0; s < ways.size(); ++s)
      weights[s][size_t(digits[s])] += each[w];
  }
  for (std::vector<int64_t> &step : weights) {
    int64_t divisor = 0;
    for (int64_t weight : step)
      divisor = std::gcd(divisor, weight);
    for (int64_t &weight : step)
      weight /= divisor;
  }
  return weights;
}

bool isSame(const Search &a, const Search &b) {
  return a.algorithm == b.algorithm && a.groups == b.groups &&
         a.replicas == b.replicas && a.ways == b.ways &&
         a.alwaysCut == b.alwaysCut && a.alongSides == b.alongSides &&
         a.bytesAlone == b.bytesAlone && a.linkCosts == b.linkCosts &&
         a.weights == b.weights && a.withoutMachine == b.withoutMachine;
}

} // namespace

std::vector<Search> partition::alternatives(int64_t workers) {
  std::vector<Search> list;
  if (workers == 1)
    return list;
  const auto ways = sequences(workers, size_t(Params().maxSequences));
  for (const std::vector<int64_t> &each : ways)
    for (const bool alwaysCut : {false, true})
      if (alwaysCut || &each != &ways.front())
        list.push_back(inSteps(each, alwaysCut));
  for (const char *name :
       {"tofu", "critical-dp", "equal-chop", "spartan", "all-row-greedy",
        "icml18", "layer-wise", "one-weird-trick", "data-parallel"})
    list.push_back(named(name));
  return list;
}

Result<Site> partition::siteOf(const machines::Machine &machine,
                               int64_t workers) {
  auto levels = machines::levelsOf(machine, workers);
  if (!levels)
    return levels.takeError();
  Site site{{}, std::move(*levels)};
  for (int64_t w = 0; w < workers; ++w)
    site.devices.push_back(machine.deviceOf(int(w)));
  return site;
}

std::vector<Search> partition::searchesFor(const Site &site, bool hasSides) {
  const int64_t workers = int64_t(site.devices.size());
  std::vector<Search> list;
  const auto add = [&](Search search) {
    for (const Search &known : list)
      if (isSame(known, search))
        return;
    list.push_back(std::move(search));
  };
  if (workers == 1)
    return {Search()};
  const auto ways = ::sequences(site.levels);
  const auto forMachine = [&](const std::vector<int64_t> &steps,
                              const Measure *measure, bool alwaysCut) {
    Search search = inSteps(steps, alwaysCut);
    // The default search takes these steps of itself.
    if (steps == factorize(workers) && !alwaysCut)
      search.ways.clear();
    search.linkCosts = costsOf(steps, site.levels);
    if (measure) {
      search.weights = weightsOf(steps, site.devices, *measure);
      search.weightsOf = measure->name;
    }
    if (!search.linkCosts.empty() || !search.weights.empty())
      search.ways = steps;
    add(std::move(search));
  };
  forMachine(ways.front(), &measures().front(), false);
  Search general;
  general.withoutMachine = true;
  add(std::move(general));
  if (hasSides) {
    Search along = list.front(), byBytes = list.front();
    along.alongSides = byBytes.bytesAlone = true;
    add(std::move(along));
    add(std::move(byBytes));
    byBytes = Search();
    byBytes.bytesAlone = byBytes.withoutMachine = true;
    add(std::move(byBytes));
  }
  for (const Measure &measure : measures())
    forMachine(ways.front(), &measure, false);
  forMachine(ways.front(), nullptr, false);
  for (const bool alwaysCut : {false, true})
    for (const std::vector<int64_t> &steps : ways)
      forMachine(steps, &measures().front(), alwaysCut);
  add(Search());
  for (Search &other : alternatives(workers))
    add(std::move(other));
  return list;
}
