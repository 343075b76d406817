// Graphs for tests of the partition search, built operator by operator.
#ifndef SMEX_TEST_COMPILER_PARTITION_MODELS_H
#define SMEX_TEST_COMPILER_PARTITION_MODELS_H

#include "compiler/partition/Graph.h"

#include <functional>

namespace smex::partition::test {

using analysis::Access;
using analysis::IntervalProgram;
using Code = IntervalProgram::Instruction;

/// i * factor
inline IntervalProgram index(int64_t i, int64_t factor = 1) {
  if (factor == 1)
    return {{{Code::Index, i}}};
  return {{{Code::Index, i}, {Code::Const, factor}, {Code::Mul}}};
}
/// Even parts along these dimensions; -1: whole.
inline std::vector<Division> divisions(const std::vector<int> &along) {
  std::vector<Division> list;
  for (int dimension : along)
    list.push_back(dimension < 0 ? Division::whole()
                                 : Division::part(dimension));
  return list;
}
inline IntervalProgram constant(int64_t value) {
  return {{{Code::Const, value}}};
}
inline IntervalProgram whole() { return {{{Code::Whole}}}; }
inline IntervalProgram operator+(IntervalProgram a, const IntervalProgram &b) {
  a.code.insert(a.code.end(), b.code.begin(), b.code.end());
  a.code.push_back({Code::Add});
  return a;
}

/// x[i0, i1, ..]
inline Access indices(std::vector<int64_t> variables) {
  Access access;
  for (int64_t i : variables)
    access.dims.push_back(index(i));
  return access;
}

struct Model : OperatorGraph {
  int tensor(std::vector<int64_t> shape, int64_t elementBytes = 4) {
    tensors.push_back(
        {"t" + std::to_string(tensors.size()), std::move(shape), elementBytes});
    return int(tensors.size()) - 1;
  }

  /// All index variables may be cut. Returns the result.
  int apply(std::vector<int64_t> shape, std::vector<int64_t> reduction,
            std::vector<Operand> operands) {
    Operator op;
    op.name = "op" + std::to_string(operators.size());
    op.result = tensor(shape);
    op.extents = std::move(shape);
    op.extents.insert(op.extents.end(), reduction.begin(), reduction.end());
    op.operands = std::move(operands);
    for (size_t i = 0; i < op.extents.size(); ++i)
      op.splits.push_back(int(i));
    operators.push_back(std::move(op));
    return operators.back().result;
  }

  const std::vector<int64_t> &shape(int t) const { return tensors[t].shape; }

  int elementwise(std::vector<int> inputs) {
    std::vector<int64_t> all;
    for (size_t d = 0; d < shape(inputs[0]).size(); ++d)
      all.push_back(int64_t(d));
    std::vector<Operand> operands;
    for (int input : inputs)
      operands.push_back({input, indices(all)});
    return apply(shape(inputs[0]), {}, operands);
  }

  /// a[i, k] * b[k, j]
  int matmul(int a, int b) {
    return apply({shape(a)[0], shape(b)[1]}, {shape(a)[1]},
                 {{a, indices({0, 2})}, {b, indices({2, 1})}});
  }

  /// data[n, ci, y * s + ky - p, ..] * filter[co, ci, ky, kx]; the same size
  /// but for the stride.
  int conv(int data, int64_t channels, int64_t kernel, int64_t stride = 1) {
    const auto in = shape(data);
    const auto size = [&](int64_t n) { return (n + stride - 1) / stride; };
    const int filter = tensor({channels, in[1], kernel, kernel});
    const auto place = [&](int64_t i, int64_t k) {
      return index(i, stride) + index(k) + constant(-(kernel / 2));
    };
    Access access{{index(0), index(4), place(2, 5), place(3, 6)}};
    return apply({in[0], channels, size(in[2]), size(in[3])},
                 {in[1], kernel, kernel},
                 {{data, access}, {filter, indices({1, 4, 5, 6})}});
  }

  /// data * scale[channel] + shift[channel]
  int scaleChannels(int data) {
    const int64_t channels = shape(data)[1];
    const int scale = tensor({channels}), shift = tensor({channels});
    return apply(shape(data), {},
                 {{data, indices({0, 1, 2, 3})},
                  {scale, indices({1})},
                  {shift, indices({1})}});
  }

  int globalPool(int data) {
    const auto in = shape(data);
    return apply({in[0], in[1]}, {in[2], in[3]},
                 {{data, indices({0, 1, 2, 3})}});
  }
};

inline Model matmulModel(int64_t m, int64_t k, int64_t n) {
  Model model;
  const int a = model.tensor({m, k}), b = model.tensor({k, n});
  model.matmul(a, b);
  return model;
}

/// Layers of width `hidden`: x = relu(x.W).
inline Model chain(int layers, int64_t batch, int64_t hidden) {
  Model model;
  int x = model.tensor({batch, hidden});
  for (int i = 0; i < layers; ++i)
    x = model.elementwise({model.matmul(x, model.tensor({hidden, hidden}))});
  return model;
}

/// `operators` element-wise and matrix operators in a chain, every fifth adding
/// what was there five before.
inline Model chainWithSkips(int operators, int64_t batch, int64_t hidden) {
  Model model;
  int x = model.tensor({batch, hidden}), skip = x;
  for (int i = 0; i < operators; ++i) {
    if (i % 5 == 4) {
      x = model.elementwise({x, skip});
      skip = x;
    } else if (i % 5 == 0 || i % 5 == 2) {
      x = model.matmul(x, model.tensor({hidden, hidden}));
    } else {
      x = model.elementwise({x});
    }
  }
  return model;
}

/// ResNet-50, inference, with normalization and activation as operators of
/// their own, written as `pieces` element-wise operators each.
inline Model resnet50(int64_t batch, int pieces = 1) {
  Model model;
  const auto normalize = [&](int x) {
    x = model.scaleChannels(x);
    for (int i = 1; i < pieces; ++i)
      x = model.elementwise({x});
    return x;
  };
  const auto relu = [&](int x) {
    for (int i = 0; i < pieces; ++i)
      x = model.elementwise({x});
    return x;
  };
  int x = model.tensor({batch, 3, 224, 224});
  x = relu(normalize(model.conv(x, 64, 7, 2)));
  x = model.conv(x, 64, 3, 2); // stands for the pooling
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < blocks[stage]; ++block) {
      const int64_t width = 64 << stage;
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      int branch = relu(normalize(model.conv(x, width, 1)));
      branch = relu(normalize(model.conv(branch, width, 3, stride)));
      branch = normalize(model.conv(branch, 4 * width, 1));
      if (block == 0)
        x = normalize(model.conv(x, 4 * width, 1, stride));
      x = relu(model.elementwise({branch, x}));
    }
  x = model.globalPool(x);
  model.matmul(x, model.tensor({2048, 1000}));
  return model;
}

/// Fully connected layers, from each width to the next, and their training
/// step: forward, gradients of activations and weights, and an update. Tensors
/// know whose gradients they are if `named`, and operators their layer.
inline Model trainedMlp(const std::vector<int64_t> &widths, int64_t batch,
                        bool named) {
  Model model;
  const auto of = [&](int gradient, int tensor) {
    if (named)
      model.tensors[gradient].gradientOf = tensor;
    return gradient;
  };
  const auto node = [&](int layer) {
    if (named)
      model.operators.back().group = layer;
  };
  const int layers = int(widths.size()) - 1;
  std::vector<int> activations{model.tensor({batch, widths[0]})}, weights,
      products;
  for (int i = 0; i < layers; ++i) {
    weights.push_back(model.tensor({widths[i], widths[i + 1]}));
    products.push_back(model.matmul(activations.back(), weights.back()));
    node(i);
    activations.push_back(model.elementwise({products.back()}));
  }
  int gradient = of(model.elementwise({activations.back(), activations.back()}),
                    activations.back());
  for (int i = layers; i-- > 0;) {
    gradient =
        of(model.elementwise({gradient, activations[i + 1]}), products[i]);
    const int update = of(model.apply({widths[i], widths[i + 1]}, {batch},
                                      {{activations[i], indices({2, 0})},
                                       {gradient, indices({2, 1})}}),
                          weights[i]);
    node(i);
    model.elementwise({weights[i], update});
    gradient = of(model.apply({batch, widths[i]}, {widths[i + 1]},
                              {{gradient, indices({0, 2})},
                               {weights[i], indices({1, 2})}}),
                  activations[i]);
    node(i);
  }
  return model;
}

/// `layers` of the same width, whose gradients have no names.
inline Model trainedMlp(int layers, int64_t batch, int64_t hidden) {
  return trainedMlp(std::vector<int64_t>(layers + 1, hidden), batch, false);
}

/// What trainedMlp has as activations and as gradients of them: tensors.
inline std::vector<std::pair<int, int>> gradientPairs(int layers) {
  const int ofLast = 3 * layers + 1; // after an input, and three a layer
  std::vector<std::pair<int, int>> pairs{{3 * layers, ofLast}};
  for (int i = 0; i < layers; ++i)
    pairs.push_back({3 * (layers - 1 - i), ofLast + 4 * (i + 1)});
  return pairs;
}

/// `layers` recurrent layers over `length` timesteps, forward only: every
/// timestep reads the same two weights.
inline Model recurrent(int layers, int length, int64_t batch, int64_t hidden) {
  Model model;
  std::vector<int> inputs;
  for (int t = 0; t < length; ++t)
    inputs.push_back(model.tensor({batch, hidden}));
  for (int layer = 0; layer < layers; ++layer) {
    const int fromBelow = model.tensor({hidden, 4 * hidden});
    const int fromBefore = model.tensor({hidden, 4 * hidden});
    int state = model.tensor({batch, hidden});
    int cell = model.tensor({batch, hidden});
    for (int t = 0; t < length; ++t) {
      const int gates = model.elementwise({model.matmul(inputs[t], fromBelow),
                                           model.matmul(state, fromBefore)});
      // gates[b, g * hidden + i] for the four of them
      std::vector<Operand> reads{{cell, indices({0, 1})}};
      for (int64_t g = 0; g < 4; ++g)
        reads.push_back(
            {gates, Access{{index(0), index(1) + constant(g * hidden)}}});
      cell = model.apply({batch, hidden}, {}, reads);
      state =
          model.apply({batch, hidden}, {}, {{cell, indices({0, 1})}, reads[4]});
      inputs[t] = state;
    }
  }
  return model;
}

} // namespace smex::partition::test

#endif
