// Small random graphs, with accesses of every kind: halos, strides, transposed,
// reversed, divided, whole.
#ifndef SMEX_TEST_COMPILER_PARTITION_RANDOMGRAPH_H
#define SMEX_TEST_COMPILER_PARTITION_RANDOMGRAPH_H

#include "compiler/partition/Choices.h"
#include "test/compiler/partition/Models.h"

#include <random>

namespace smex::partition::test {

/// The same numbers on every machine, which std's distributions don't promise.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// One of 0 .. n - 1.
  int64_t below(int64_t n) { return int64_t(engine() % uint64_t(n)); }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  bool chance(int percent) { return below(100) < percent; }

private:
  std::mt19937_64 engine;
};

inline IntervalProgram randomProgram(Random &random, int64_t indexCount) {
  if (indexCount == 0 || random.chance(8))
    return random.chance(50) ? whole() : constant(random.below(3));
  const int64_t i = random.below(indexCount), j = random.below(indexCount);
  switch (random.below(10)) {
  case 0:
    return index(i) + index(j) + constant(-1);
  case 1:
    return index(i, 2) + index(j);
  case 2:
    return index(i, 3);
  case 3: // reversed
    return {{{Code::Const, 5}, {Code::Index, i}, {Code::Sub}}};
  case 4:
    return {{{Code::Index, i}, {Code::Const, 2}, {Code::FloorDiv}}};
  case 5:
    return {{{Code::Index, i}, {Code::Const, 3}, {Code::Mod}}};
  case 6: // clamped
    return {{{Code::Index, i}, {Code::Const, 2}, {Code::Min}}};
  default:
    return index(i);
  }
}

/// Of a box of these extents, along one of the dimensions `splits`. `before`:
/// how many groups the steps before have made.
inline Division randomDivision(Random &random,
                               const std::vector<int64_t> &extents,
                               const std::vector<int> &splits, int64_t ways,
                               int64_t before) {
  if (random.chance(12))
    return Division::placed(random.below(ways));
  if (splits.empty() || random.chance(25))
    return Division::whole();
  const int along = splits[size_t(random.below(int64_t(splits.size())))];
  const int kind = int(random.below(4));
  if (kind == 0) {
    std::vector<int64_t> weights(size_t(ways), 0);
    for (int64_t &weight : weights)
      weight = random.below(4);
    weights[size_t(random.below(ways))] += 1;
    return Division::weighted(along, std::move(weights));
  }
  if (kind == 1) {
    Division::Bounds bounds(size_t(before), std::vector<int64_t>(ways - 1));
    for (std::vector<int64_t> &list : bounds) {
      for (int64_t &bound : list)
        bound = random.between(0, extents[size_t(along)]);
      std::sort(list.begin(), list.end());
    }
    return Division::bounded(along, std::move(bounds));
  }
  return Division::part(along);
}

struct RandomSizes {
  int maxOperators = 3;
  int maxRank = 3;
  int maxReductions = 2;
  int64_t maxExtent = 9;
};

/// Of which every whole plan can be tried.
inline RandomSizes fewPlans() { return {2, 2, 1, 9}; }

inline Model randomGraph(Random &random, const RandomSizes &sizes = {}) {
  Model model;
  const auto randomShape = [&](int64_t rank) {
    std::vector<int64_t> shape;
    for (int64_t d = 0; d < rank; ++d)
      shape.push_back(random.between(1, sizes.maxExtent));
    return shape;
  };
  model.tensor(randomShape(random.below(sizes.maxRank + 1)),
               random.between(1, 8));
  const int64_t operators = random.between(1, sizes.maxOperators);
  for (int64_t o = 0; o < operators; ++o) {
    const auto shape = randomShape(random.below(sizes.maxRank + 1));
    const auto reduction = randomShape(random.below(sizes.maxReductions + 1));
    const int64_t indexCount = int64_t(shape.size() + reduction.size());
    std::vector<Operand> operands;
    for (int64_t i = random.between(1, 2); i-- > 0;) {
      const int tensor =
          random.chance(30)
              ? model.tensor(randomShape(random.below(sizes.maxRank + 1)))
              : int(random.below(int64_t(model.tensors.size())));
      Access access;
      for (size_t d = 0; d < model.shape(tensor).size(); ++d)
        access.dims.push_back(randomProgram(random, indexCount));
      operands.push_back({tensor, access});
    }
    model.apply(shape, reduction, operands);
    auto &splits = model.operators.back().splits;
    if (!splits.empty() && random.chance(30))
      splits.erase(splits.begin() + random.below(int64_t(splits.size())));
  }
  return model;
}

inline Params randomParams(Random &random) {
  Params params;
  params.alwaysCut = random.chance(25);
  const int64_t shares[] = {1, 3, 1024};
  params.wholeTensorShare = shares[random.below(3)];
  params.wholeOperatorShare = shares[random.below(3)];
  return params;
}

/// For failure messages.
inline std::string describe(const OperatorGraph &graph) {
  std::string text;
  for (const Tensor &tensor : graph.tensors) {
    text += tensor.name + ": " + std::to_string(tensor.elementBytes) + " x [";
    for (int64_t extent : tensor.shape)
      text += " " + std::to_string(extent);
    text += " ]\n";
  }
  for (const Operator &op : graph.operators) {
    text += op.name + " -> t" + std::to_string(op.result) + " over [";
    for (int64_t extent : op.extents)
      text += " " + std::to_string(extent);
    text += " ], cut along";
    for (int split : op.splits)
      text += " " + std::to_string(split);
    for (const Operand &operand : op.operands) {
      text += "; reads t" + std::to_string(operand.tensor) + "[";
      for (const IntervalProgram &program : operand.access.dims) {
        text += " (";
        for (const auto &instruction : program.code)
          text += " " + std::to_string(instruction.code) + ":" +
                  std::to_string(instruction.value);
        text += " )";
      }
      text += " ]";
    }
    text += "\n";
  }
  return text;
}

} // namespace smex::partition::test

#endif
