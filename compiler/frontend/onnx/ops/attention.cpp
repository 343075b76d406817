// Attention and what goes with it.
#include "compiler/frontend/onnx/Elements.h"
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::frontend;

/// [batch, sequence, heads * size] to [batch, heads, sequence, size].
static ValueId splitHeads(Node &n, ValueId v, int64_t heads) {
  const auto shape = n.type(v).shape;
  if (shape.size() == 4)
    return v;
  n.require(shape.size() == 3 && heads > 0 && shape[2] % heads == 0,
            "its operands must have rank 4, or 3 with a number of heads");
  return n.transpose(
      n.reshape(v, {shape[0], shape[1], heads, shape[2] / heads}),
      {0, 2, 1, 3});
}

static ValueId joinHeads(Node &n, ValueId v) {
  const auto shape = n.type(v).shape;
  return n.reshape(n.transpose(v, {0, 2, 1, 3}),
                   {shape[0], shape[2], shape[1] * shape[3]});
}

/// A mask may say nothing of the last keys, which then do not count.
static ValueId maskOfAllKeys(Node &n, ValueId mask, int64_t keys) {
  const TensorType type = n.type(mask);
  if (type.shape.empty() || type.shape.back() == 1 || type.shape.back() >= keys)
    return mask;
  TensorType rest = type;
  rest.shape.back() = keys - type.shape.back();
  const bool flags = type.dtype == DType::Bool;
  const ValueId none = n.addReals({flags ? 0.0 : -INFINITY}, {},
                                  flags ? DType::F32 : type.dtype);
  return n.concat(
      {mask, n.expand(flags ? n.cast(none, DType::Bool) : none, rest.shape)},
      type.rank() - 1);
}

/// Keys too far from a query do not count; on a side whose size is -1, all do.
static ValueId inWindow(Node &n, ValueId s, int64_t past) {
  if (n.opset < 25)
    return s;
  const int64_t left = n.integer("left_window_size", -1),
                right = n.integer("right_window_size", -1);
  n.require(left >= -1 && right >= -1, "the size of its window is negative");
  if (left < 0 && right < 0)
    return s;
  // No longer than the keys, so that nothing overflows.
  const int64_t most = n.type(s).shape[2] + n.type(s).shape[3] + past;
  const tdl::Attributes sizes = {{"left", std::min(left, most)},
                                 {"right", std::min(right, most)}};
  if (n.has(6))
    return n.apply("window_padded", {s, n.in(6)}, sizes);
  tdl::Attributes all = sizes;
  all.emplace("past", past);
  return n.apply("window", {s}, all);
}

static void convertAttention(Node &n) {
  const ValueId q = splitHeads(n, n.in(0), n.integer("q_num_heads", 0));
  const int64_t keyHeads = n.integer("kv_num_heads", 0);
  ValueId k = splitHeads(n, n.in(1), keyHeads),
          v = splitHeads(n, n.in(2), keyHeads);
  int64_t past = 0;
  n.require(n.has(4) == n.has(5), "past keys and values go together");
  n.require(!n.has(6) || !n.has(4), "padded keys and past ones exclude each "
                                    "other");
  if (n.has(4)) {
    n.require(n.rank(4) == 4 && n.rank(5) == 4,
              "past keys and values must have rank 4");
    past = n.shape(4)[2];
    k = n.concat({n.in(4), k}, 2);
    v = n.concat({n.in(5), v}, 2);
  }
  const auto &keys = n.type(k).shape, &queries = n.type(q).shape;
  n.require(keys[1] > 0 && queries[1] % keys[1] == 0,
            "heads of keys must divide heads of queries");
  const DType type = n.type(q).dtype;
  const bool half = byteSize(type) < 4;
  DType precision = half ? DType::F32 : type; // of the softmax: never narrower
  if (const auto wanted = n.optionalDtype("softmax_precision");
      wanted && isFloat(*wanted) && byteSize(*wanted) > byteSize(precision))
    precision = *wanted;
  const double scale = n.real("scale", 1 / std::sqrt(double(queries[3])));
  const double softcap = n.real("softcap", 0.0);
  const int64_t mode = n.integer("qk_matmul_output_mode", 0);
  n.require(mode >= 0 && mode <= 3, "qk_matmul_output_mode is not known");
  std::vector<ValueId> stages; // what the fourth output may show
  ValueId s;
  if (half && scale >= 0) {
    // Half of the scale on each side, so that no product is out of range.
    const tdl::Attributes root = {{"by", std::sqrt(scale)}};
    s = n.cast(n.apply("attention_scores", {n.apply("scale", {q}, root),
                                            n.apply("scale", {k}, root)}),
               DType::F32);
  } else {
    s = n.apply("scale", {n.apply("attention_scores", {q, k})},
                {{"by", scale}});
  }
  stages.push_back(s);
  // Capped before anything is masked: a key that is masked stays so.
  if (softcap > 0)
    s = n.apply("scaled_tanh", {s},
                {{"alpha", softcap}, {"beta", 1 / softcap}});
  stages.push_back(s);
  if (n.integer("is_causal", 0))
    s = n.has(6) ? n.apply("causal_padded", {s, n.in(6)})
                 : n.apply("causal", {s}, {{"past", past}});
  s = inWindow(n, s, past);
  if (n.has(3)) {
    const ValueId mask = maskOfAllKeys(n, n.in(3), keys[2]);
    if (n.inType(3).dtype == DType::Bool)
      s = n.apply("masked", {s, mask});
    else
      s = n.apply("add", {s, n.cast(mask, n.type(s).dtype)});
    n.require(n.type(s).rank() == 4, "its mask has too many dimensions");
  }
  if (n.has(6))
    s = n.apply("keys_before", {s, n.in(6)});
  stages.push_back(s);
  const ValueId p = n.apply("attention_weights", {n.cast(s, precision)});
  stages.push_back(p);
  ValueId y = n.apply("attention_values", {n.cast(p, type), v});
  n.out(0, n.rank(0) == 3 ? joinHeads(n, y) : y);
  n.out(1, k);
  n.out(2, v);
  n.out(3, n.cast(stages[mode], type));
}

static void convertRotary(Node &n) {
  ValueId x = splitHeads(n, n.in(0), n.integer("num_heads", 0));
  const auto table = [&](size_t i) {
    // By position, or one row for each element of the sequence.
    return n.has(3)
               ? n.apply("gather", {n.in(i), n.in(3)}, {{"axis", int64_t(0)}})
               : n.in(i);
  };
  const int64_t size = n.type(x).shape[3];
  const int64_t rotated = n.integer("rotary_embedding_dim", 0);
  const ValueId c = table(1), s = table(2);
  n.require(n.type(c).rank() == 3 &&
                n.type(c).shape[2] * 2 == (rotated ? rotated : size) &&
                rotated <= size,
            "its tables do not fit the features that are rotated");
  x = n.apply("rotary", {x, c, s},
              {{"interleaved", n.integer("interleaved", 0)}});
  n.out(0, n.rank(0) == 3 ? joinHeads(n, x) : x);
}

/// A recurrent state, a matrix per head of keys, unrolled over the sequence; in
/// 32 bits, whatever the operands' type is.
static void convertLinearAttention(Node &n) {
  const std::string rule = n.text("update_rule", "gated_delta");
  const bool delta = rule == "delta" || rule == "gated_delta";
  const bool gated = rule == "gated" || rule == "gated_delta";
  n.require(delta || gated || rule == "linear", "update_rule is not known");
  n.ignore("chunk_size"); // says how to compute, not what
  const int64_t queries = n.integer("q_num_heads"),
                keys = n.integer("kv_num_heads");
  n.require(queries > 0 && keys > 0 && queries % keys == 0,
            "heads of keys must divide heads of queries");
  for (size_t i = 0; i < n.inputs.size(); ++i)
    n.require(!n.has(i) || n.rank(i) == (i == 3 ? 4 : 3),
              "an operand has the wrong rank");
  // [batch, sequence, heads * size] by head.
  const auto byHead = [&](size_t i, int64_t heads) {
    const auto shape = n.shape(i);
    n.require(shape[0] == n.shape(0)[0] && shape[1] == n.shape(0)[1] &&
                  shape[2] % heads == 0,
              "an operand has the wrong shape");
    return n.cast(
        n.reshape(n.in(i), {shape[0], shape[1], heads, shape[2] / heads}),
        DType::F32);
  };
  const ValueId q = byHead(0, queries), k = byHead(1, keys),
                v = byHead(2, keys);
  const int64_t batch = n.shape(0)[0], steps = n.shape(0)[1],
                size = n.type(k).shape[3], width = n.type(v).shape[3];
  n.require(n.type(q).shape[3] == size && size > 0,
            "queries and keys differ in size");
  n.require(steps >= 1 && steps <= 100000,
            "the length of its sequence is out of range");
  n.require(!gated || n.has(4), "this update rule needs a decay");
  n.require(!delta || n.has(5), "this update rule needs beta");
  double scale = n.real("scale", 0.0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(size));
  const std::vector<int64_t> stateShape = {batch, keys, size, width};
  ValueId state = n.has(3) ? n.cast(n.in(3), DType::F32)
                           : n.expand(n.addReals({0}, {}), stateShape);
  n.require(n.type(state).shape == stateShape, "its state has the wrong shape");
  std::vector<Elements> parts = {{n, q, 1}, {n, k, 1}, {n, v, 1}};
  if (gated) {
    const ValueId g = byHead(4, keys);
    n.require(n.type(g).shape[3] == size || n.type(g).shape[3] == 1,
              "its decay has the wrong shape");
    parts.emplace_back(n, g, 1);
  }
  if (delta) {
    const int64_t heads = n.shape(5)[2];
    n.require(heads == keys || heads == 1, "beta has the wrong shape");
    parts.emplace_back(n, byHead(5, heads), 1);
  }
  std::vector<ValueId> outputs;
  for (int64_t t = 0; t < steps; ++t) {
    const ValueId key = parts[1].at(t);
    ValueId value = parts[2].at(t);
    if (gated)
      state = n.apply("state_decay", {state, parts[3].at(t)});
    if (delta)
      value =
          n.apply("state_missing", {value, n.apply("state_read", {state, key}),
                                    parts.back().at(t)});
    state = n.apply("state_write", {state, key, value});
    const ValueId read = n.apply("state_read", {state, parts[0].at(t)});
    outputs.push_back(n.reshape(n.apply("scale", {read}, {{"by", scale}}),
                                {batch, 1, queries * width}));
  }
  n.out(0, n.cast(n.concat(outputs, 1), n.inType(0).dtype));
  n.out(1, n.cast(state, n.has(3) ? n.inType(3).dtype : n.inType(0).dtype));
}

std::vector<Row> smex::frontend::attentionRows() {
  return {
      {"Attention", 23, convertAttention},
      {"RotaryEmbedding", 23, convertRotary},
      {"LinearAttention", 27, convertLinearAttention},
  };
}
