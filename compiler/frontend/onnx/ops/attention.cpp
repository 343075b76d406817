// Attention and what goes with it.
#include "compiler/frontend/onnx/Table.h"

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

static void convertAttention(Node &n) {
  const ValueId q = splitHeads(n, n.in(0), n.integer("q_num_heads", 0));
  const int64_t keyHeads = n.integer("kv_num_heads", 0);
  ValueId k = splitHeads(n, n.in(1), keyHeads),
          v = splitHeads(n, n.in(2), keyHeads);
  int64_t past = 0;
  n.require(n.has(4) == n.has(5), "past keys and values go together");
  n.require(!n.has(6), "padded keys are not supported");
  if (n.has(4)) {
    past = n.shape(4).at(2);
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
    s = n.apply("causal", {s}, {{"past", past}});
  if (n.has(3)) {
    if (n.inType(3).dtype == DType::Bool)
      s = n.apply("masked", {s, n.in(3)});
    else
      s = n.apply("add", {s, n.cast(n.in(3), n.type(s).dtype)});
    n.require(n.type(s).rank() == 4, "its mask has too many dimensions");
  }
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

std::vector<Row> smex::frontend::attentionRows() {
  return {
      {"Attention", 23, convertAttention},
      {"RotaryEmbedding", 23, convertRotary},
  };
}
