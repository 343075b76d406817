// Softmax and the normalizations.
#include "compiler/frontend/onnx/Table.h"

#include <numeric>

using namespace smex;
using namespace smex::frontend;

/// Before opset 13: over all dimensions from the axis on, as if flattened.
static Convert softmax1(const char *op) {
  return [op](Node &n) {
    const int64_t axis = n.axis(n.integer("axis", 1), n.rank(0));
    const auto shape = n.shape(0);
    std::vector<int64_t> flat(shape.begin(), shape.begin() + axis);
    flat.push_back(std::accumulate(shape.begin() + axis, shape.end(),
                                   int64_t(1), std::multiplies<int64_t>()));
    const ValueId v = n.apply(op, {n.reshape(n.in(0), flat)}, {{"axis", axis}});
    n.out(0, n.reshape(v, shape));
  };
}

static Convert softmax(const char *op) {
  return [op](Node &n) {
    const int64_t axis = n.axis(n.integer("axis", -1), n.rank(0));
    n.out(0, n.apply(op, {n.in(0)}, {{"axis", axis}}));
  };
}

static void convertBatchNorm(Node &n) {
  n.require(n.rank(0) >= 2, "its operand must have a dimension of channels");
  n.require(n.opset >= 9 || n.integer("spatial", 1) == 1,
            "spatial = 0 is not supported");
  const double epsilon = n.real("epsilon", 1e-5),
               momentum = n.real("momentum", 0.9);
  const bool training = n.opset >= 14 && n.integer("training_mode", 0);
  const DType type = n.inType(0).dtype;
  const DType wide = isFloat(type) && byteSize(type) < 4 ? DType::F32 : type;
  // Statistics are moved, not trained.
  const auto operand = [&](size_t i) {
    return i < 3 ? n.in(i) : n.builder.untrained(n.in(i));
  };
  std::vector<ValueId> operands;
  bool oneType = !training;
  for (size_t i = 1; i < 5; ++i)
    oneType &= n.inType(i).dtype == type;
  for (size_t i = 0; i < 5; ++i)
    operands.push_back(n.cast(operand(i), oneType ? type : wide));
  if (training) {
    const auto results =
        n.applyAll("batch_norm_training", operands,
                   {{"epsilon", epsilon}, {"momentum", momentum}});
    n.out(0, n.cast(results[0], type));
    for (size_t i : {1, 2}) {
      const ValueId moved = n.cast(results[i], n.inType(i + 2).dtype);
      n.out(i, moved);
      n.builder.addUpdate(operand(i + 2), moved);
    }
    return;
  }
  n.out(0,
        n.cast(n.apply("batch_norm", operands, {{"epsilon", epsilon}}), type));
}

static void convertInstanceNorm(Node &n) {
  n.require(n.rank(0) >= 3, "its operand must have spatial dimensions");
  n.out(0, n.apply("instance_norm", {n.in(0), n.in(1), n.in(2)},
                   {{"epsilon", n.real("epsilon", 1e-5)}}));
}

static void convertGroupNorm(Node &n) {
  const int64_t groups = n.integer("num_groups");
  n.dtype("stash_type", DType::F32);
  n.require(n.rank(0) >= 2 && groups > 0 && n.shape(0)[1] % groups == 0,
            "groups must divide channels");
  const int64_t channels = n.shape(0)[1];
  ValueId scale = n.in(1), bias = n.in(2);
  if (n.opset < 21) { // one number per group
    const auto spread = [&](ValueId v) {
      const ValueId wide =
          n.expand(n.reshape(v, {groups, 1}), {groups, channels / groups});
      return n.reshape(wide, {channels});
    };
    scale = spread(scale);
    bias = spread(bias);
  }
  n.out(0, n.apply("group_norm", {n.in(0), scale, bias},
                   {{"G", groups}, {"epsilon", n.real("epsilon", 1e-5)}}));
}

static void convertLayerNorm(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", -1), n.rank(0));
  const DType type = n.inType(0).dtype,
              stash = n.dtype("stash_type", DType::F32);
  const DType wide = byteSize(type) < byteSize(stash) ? stash : type;
  const auto results =
      n.applyAll("layer_norm", {n.cast(n.in(0), wide), n.cast(n.in(1), wide)},
                 {{"axis", axis}, {"epsilon", n.real("epsilon", 1e-5)}});
  ValueId y = results[0];
  if (n.has(2))
    y = n.apply("add", {y, n.cast(n.in(2), wide)});
  n.out(0, n.cast(y, type));
  std::vector<int64_t> shape = n.shape(0);
  std::fill(shape.begin() + axis, shape.end(), 1);
  for (size_t i = 1; i < 3; ++i)
    if (n.wants(i))
      n.out(i, n.cast(n.reshape(results[i], shape), stash));
}

static void convertRmsNorm(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", -1), n.rank(0));
  const DType type = n.inType(0).dtype,
              stash = n.dtype("stash_type", DType::F32);
  const DType wide = byteSize(type) < byteSize(stash) ? stash : type;
  const ValueId y =
      n.apply("rms_norm", {n.cast(n.in(0), wide), n.cast(n.in(1), wide)},
              {{"axis", axis}, {"epsilon", n.real("epsilon", 1e-5)}});
  n.out(0, n.cast(y, type));
}

static void convertLrn(Node &n) {
  n.require(n.rank(0) >= 2, "its operand must have a dimension of channels");
  n.out(0, n.apply("lrn", {n.in(0)},
                   {{"size", n.integer("size")},
                    {"alpha", n.real("alpha", 0.0001)},
                    {"beta", n.real("beta", 0.75)},
                    {"bias", n.real("bias", 1.0)}}));
}

static void convertLpNormalization(Node &n) {
  const int64_t p = n.integer("p", 2);
  n.require(p == 1 || p == 2, "p must be 1 or 2");
  n.out(0, n.apply(
               "lp_normalization", {n.in(0)},
               {{"axis", n.axis(n.integer("axis", -1), n.rank(0))}, {"p", p}}));
}

static void convertMeanVariance(Node &n) {
  std::vector<int64_t> axes = n.integers("axes");
  if (axes.empty())
    axes = {0, 2, 3};
  axes = n.axes(axes, n.rank(0));
  const DType type = n.inType(0).dtype;
  const ValueId x = n.summable(n.in(0));
  const ValueId centered =
      n.apply("sub", {x, n.reduce("reduce_mean", x, axes, true)});
  const ValueId variance =
      n.reduce("reduce_mean", n.apply("mul", {centered, centered}), axes, true);
  const ValueId deviation =
      n.apply("affine", {n.apply("sqrt", {variance})}, {{"beta", 1e-9}});
  n.out(0, n.cast(n.apply("div", {centered, deviation}), type));
}

std::vector<Row> smex::frontend::normalizationRows() {
  return {
      {"Softmax", 1, softmax1("softmax")},
      {"Softmax", 13, softmax("softmax")},
      {"LogSoftmax", 1, softmax1("log_softmax")},
      {"LogSoftmax", 13, softmax("log_softmax")},
      {"Hardmax", 1, softmax1("hardmax")},
      {"Hardmax", 13, softmax("hardmax")},
      {"BatchNormalization", 7, convertBatchNorm},
      {"InstanceNormalization", 6, convertInstanceNorm},
      {"GroupNormalization", 18, convertGroupNorm},
      {"LayerNormalization", 17, convertLayerNorm},
      {"LayerNormalization", 1, convertLayerNorm, "com.microsoft"},
      {"RMSNormalization", 23, convertRmsNorm},
      {"LRN", 1, convertLrn},
      {"LpNormalization", 1, convertLpNormalization},
      {"MeanVarianceNormalization", 9, convertMeanVariance},
  };
}
