#include "compiler/partition/Choices.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

using namespace smex;
using namespace smex::partition;

namespace {

int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

/// Which sizes, none negative, are small: the smallest ones, as long as they
/// are together at most one `share`-th of the sum. Equal sizes are alike.
std::vector<bool> findSmall(const std::vector<int64_t> &sizes, int64_t share) {
  int64_t sum = 0;
  std::map<int64_t, int64_t> sums; // over equal sizes
  for (int64_t size : sizes) {
    sum = saturatingAdd(sum, size);
    sums[size] = saturatingAdd(sums[size], size);
  }
  int64_t together = 0, largest = -1;
  for (const auto &[size, ofEqual] : sums) {
    together = saturatingAdd(together, ofEqual);
    if (saturatingMultiply(together, share) > sum)
      break;
    largest = size;
  }
  std::vector<bool> small;
  for (int64_t size : sizes)
    small.push_back(size <= largest);
  return small;
}

int64_t product(const std::vector<int64_t> &extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result = saturatingMultiply(result, extent);
  return result;
}

/// The ways of the steps that cut it.
std::vector<int64_t> waysAlong(int along, const History &history,
                               const std::vector<int64_t> &ways) {
  std::vector<int64_t> cutting;
  for (size_t s = 0; s < history.size(); ++s)
    if (history[s].cuts(along))
      cutting.push_back(ways[s]);
  return cutting;
}

const Side *sideOf(int64_t extent, const std::vector<Side> &sides) {
  for (const Side &side : sides)
    if (side.extent == extent)
      return &side;
  return nullptr;
}

int64_t largestPart(const std::vector<int64_t> &bounds) {
  int64_t largest = 0;
  for (size_t i = 0; i + 1 < bounds.size(); ++i)
    largest = std::max(largest, bounds[i + 1] - bounds[i]);
  return largest;
}

/// The next step, of `ways.back()` ways, of a side: for each group of the steps
/// before, the bounds within its part.
Division cutSide(const Side &side, int along, const History &history,
                 const std::vector<int64_t> &ways) {
  std::vector<int64_t> cutting = waysAlong(along, history, ways);
  cutting.push_back(ways.back());
  const std::vector<int64_t> all = side.bounds(cutting);
  int64_t groups = 1;
  for (size_t s = 0; s < history.size(); ++s)
    groups *= ways[s];
  Division::Bounds bounds;
  for (int64_t group = 0; group < groups; ++group) {
    int64_t part = 0, after = groups; // its number among the side's parts
    for (size_t s = 0; s < history.size(); ++s) {
      after /= ways[s];
      if (history[s].cuts(along))
        part = part * ways[s] + group / after % ways[s];
    }
    const auto first = all.begin() + part * ways.back();
    bounds.emplace_back(first + 1, first + ways.back());
  }
  return Division::bounded(along, std::move(bounds));
}

/// The largest part of [0, extent) that the steps so far left.
int64_t largestPart(int64_t extent, int along, const History &history,
                    const std::vector<int64_t> &ways) {
  for (size_t s = 0; s < history.size(); ++s) {
    if (!history[s].cuts(along))
      continue;
    if (history[s].isEven()) {
      extent = extent / ways[s] + (extent % ways[s] != 0);
      continue;
    }
    int64_t largest = 0;
    for (int64_t group = 0; group < ways[s]; ++group)
      largest = std::max(
          largest, history[s].partOf({0, extent}, ways[s], group, 0).size());
    extent = largest;
  }
  return extent;
}

/// How long a side must be for every group to get some of it.
int64_t leastToCut(int64_t ways, const std::vector<int64_t> &weights) {
  if (weights.empty())
    return ways;
  const int64_t sum =
      std::accumulate(weights.begin(), weights.end(), int64_t(0));
  const int64_t least = *std::min_element(weights.begin(), weights.end());
  return (sum + least - 1) / least;
}

std::vector<Division> choose(const std::vector<int64_t> &extents,
                             const std::vector<int> &candidates, bool small,
                             bool alwaysCut, const History &history,
                             const std::vector<int64_t> &ways,
                             const std::vector<int64_t> &weights,
                             const std::vector<Side> &sides, bool alongSides) {
  std::vector<int64_t> parts;
  parts.reserve(candidates.size());
  int64_t longest = 0;
  for (int candidate : candidates) {
    const Side *side = sideOf(extents[candidate], sides);
    parts.push_back(
        side ? largestPart(side->bounds(waysAlong(candidate, history, ways)))
             : largestPart(extents[candidate], candidate, history, ways));
    longest = std::max(longest, parts.back());
  }
  const int64_t needed = leastToCut(ways.back(), weights);
  const int64_t least =
      longest >= needed ? needed : std::max(longest, int64_t(2));
  std::vector<Division> choices;
  choices.reserve(parts.size() + 1);
  const Side *first = nullptr; // that is cut, and by which choice
  size_t ofFirst = 0;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i] >= least ||
        (alwaysCut && longest < 2 && parts[i] == longest)) {
      const Side *side = sideOf(extents[candidates[i]], sides);
      choices.push_back(side ? cutSide(*side, candidates[i], history, ways)
                             : Division::weighted(candidates[i], weights));
      if (side && (!first || side < first)) {
        first = side;
        ofFirst = choices.size() - 1;
      }
    }
  if (alongSides && first)
    return {choices[ofFirst]};
  if (choices.empty() || (small && !alwaysCut))
    choices.push_back(Division::whole());
  return choices;
}

/// The step's weights, or none.
const std::vector<int64_t> &
weightsOf(const std::vector<std::vector<int64_t>> &weights,
          const std::vector<int64_t> &ways) {
  static const std::vector<int64_t> none;
  return ways.size() <= weights.size() ? weights[ways.size() - 1] : none;
}

/// Equal weights are none: parts are even.
std::vector<std::vector<int64_t>>
unequal(std::vector<std::vector<int64_t>> weights) {
  for (std::vector<int64_t> &each : weights)
    if (std::adjacent_find(each.begin(), each.end(),
                           std::not_equal_to<int64_t>()) == each.end())
      each.clear();
  return weights;
}

/// `next(history, ways)` gives the choices for one more step.
template <typename Next>
std::optional<std::vector<History>> enumerate(const std::vector<int64_t> &ways,
                                              size_t limit, Next next) {
  std::vector<History> histories{{}};
  for (size_t s = 0; s < ways.size(); ++s) {
    const std::vector<int64_t> soFar(ways.begin(), ways.begin() + s + 1);
    std::vector<History> longer;
    for (const History &history : histories)
      for (const Division &choice : next(history, soFar)) {
        if (longer.size() == limit)
          return std::nullopt;
        History next;
        next.reserve(ways.size());
        next = history;
        next.push_back(choice);
        longer.push_back(std::move(next));
      }
    histories = std::move(longer);
  }
  return histories;
}

} // namespace

Choices::Choices(const OperatorGraph &graph, const Params &params)
    : graph(graph), alwaysCut(params.alwaysCut),
      weights(unequal(params.weights)), sides(params.sides),
      alongSides(params.alongSides) {
  std::vector<int64_t> bytes, volumes;
  for (const Tensor &tensor : graph.tensors)
    bytes.push_back(
        saturatingMultiply(product(tensor.shape), tensor.elementBytes));
  for (const Operator &op : graph.operators)
    volumes.push_back(product(op.extents));
  smallTensors = findSmall(bytes, params.wholeTensorShare);
  smallOperators = findSmall(volumes, params.wholeOperatorShare);
}

std::vector<Division>
Choices::ofTensor(int tensor, const History &history,
                  const std::vector<int64_t> &ways) const {
  const auto &shape = graph.tensors[tensor].shape;
  std::vector<int> dimensions(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    dimensions[d] = int(d);
  return choose(shape, dimensions, smallTensors[tensor], alwaysCut, history,
                ways, weightsOf(weights, ways), sides, alongSides);
}

std::vector<Division>
Choices::ofOperator(int op, const History &history,
                    const std::vector<int64_t> &ways) const {
  return choose(graph.operators[op].extents, graph.operators[op].splits,
                smallOperators[op], alwaysCut, history, ways,
                weightsOf(weights, ways), sides, alongSides);
}

std::optional<std::vector<History>>
Choices::tensorHistories(int tensor, const std::vector<int64_t> &ways,
                         size_t limit) const {
  return enumerate(ways, limit, [&](const History &history, const auto &soFar) {
    return ofTensor(tensor, history, soFar);
  });
}

std::optional<std::vector<History>>
Choices::operatorHistories(int op, const std::vector<int64_t> &ways,
                           size_t limit) const {
  return enumerate(ways, limit, [&](const History &history, const auto &soFar) {
    return ofOperator(op, history, soFar);
  });
}
