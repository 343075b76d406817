// Transformers: a decoder like GPT-2, and ParDNN's translation model.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

namespace {

Status checkHeads(const char *option, int64_t features, int64_t heads) {
  if (features % heads == 0)
    return {};
  return Error{std::string("--") + option + " " + std::to_string(features) +
                   ": must be a multiple of --heads " + std::to_string(heads),
               Fault::Usage};
}

/// Heads of queries `from` against keys and values `to`, before any further
/// projection.
Value attention(ModelBuilder &g, const Value &from, const Value &to,
                const std::string &name, int64_t heads, bool causal) {
  const Value q = denseSequence(g, from, name + "/query", from.width),
              k = denseSequence(g, to, name + "/key", from.width),
              v = denseSequence(g, to, name + "/value", from.width);
  Json attributes = {{"q_num_heads", heads}, {"kv_num_heads", heads}};
  if (causal)
    attributes["is_causal"] = 1;
  return g.node("Attention", name, {q.name, k.name, v.name}, from.width,
                attributes);
}

/// Every word's similarity to the result: the embedding's table again.
Value tiedLogits(ModelBuilder &g, const Value &x, const std::string &table,
                 int64_t words) {
  return g.node("Einsum", "scores", {x.name, table}, words,
                {{"equation", "bsd,vd->bsv"}});
}

Value gptBlock(ModelBuilder &g, Value x, const std::string &name,
               const Sizes &s) {
  const int64_t hidden = x.width, inner = s["inner"] ? s["inner"] : 4 * hidden;
  Value y = layerNorm(g, x, name + "/norm1");
  y = attention(g, y, y, name + "/attention", s["heads"], true);
  y = denseSequence(g, y, name + "/projection", hidden);
  y = dropout(g, y, name + "/projection/dropped", s.fraction("dropout"));
  x = add(g, x, y, name + "/sum1");
  y = layerNorm(g, x, name + "/norm2");
  y = denseSequence(g, y, name + "/inner", inner);
  y = g.node("Gelu", name + "/gelu", {y.name}, inner,
             {{"approximate", "tanh"}});
  y = denseSequence(g, y, name + "/outer", hidden);
  y = dropout(g, y, name + "/outer/dropped", s.fraction("dropout"));
  return add(g, x, y, name + "/sum2");
}

Status gpt(ModelBuilder &g, const Sizes &s) {
  const int64_t hidden = s["hidden"], sequence = s["sequence"],
                words = s["vocabulary"];
  if (Status ok = checkHeads("hidden", hidden, s["heads"]); !ok)
    return ok;
  const Value tokens = g.tokens("tokens", {s["batch"], sequence});
  const std::string table = g.weight("embedding", {words, hidden}, hidden);
  Value x = embed(g, table, tokens, "embedded", hidden);
  x = g.node("Add", "placed",
             {x.name, g.weight("positions", {sequence, hidden}, hidden)},
             hidden);
  x = dropout(g, x, "placed/dropped", s.fraction("dropout"));
  for (int64_t i = 0; i < s["layers"]; ++i)
    x = gptBlock(g, x, "layer" + std::to_string(i), s);
  x = layerNorm(g, x, "norm");
  g.output("logits", tiedLogits(g, x, table, words));
  return {};
}

/// Attention or a perceptron, added to what it read, normalized.
Value residualNorm(ModelBuilder &g, const Value &x, const Value &y,
                   const std::string &name, double rate) {
  const Value kept = dropout(g, y, name + "/dropped", rate);
  return layerNorm(g, add(g, x, kept, name + "/sum"), name + "/norm");
}

Value perceptron(ModelBuilder &g, const Value &x, const std::string &name,
                 int64_t inner, double rate) {
  Value y = denseSequence(g, x, name + "/inner", inner);
  y = map(g, "Relu", y, name + "/relu");
  return residualNorm(g, x, denseSequence(g, y, name + "/outer", x.width), name,
                      rate);
}

/// Embedded tokens, scaled, with sines and cosines of their positions.
Value placed(ModelBuilder &g, const Value &tokens, const std::string &table,
             const std::string &name, int64_t features, double rate) {
  Value x = embed(g, table, tokens, name + "/embedded", features);
  x = g.node("add_positions", name + "/placed", {x.name}, features);
  return dropout(g, x, name + "/dropped", rate);
}

Status trn(ModelBuilder &g, const Sizes &s) {
  const int64_t features = s["model"], heads = s["heads"],
                words = s["vocabulary"];
  const double rate = s.fraction("dropout");
  if (Status ok = checkHeads("model", features, heads); !ok)
    return ok;
  g.define("add_positions(x[B, S, D]): lambda b < B, s < S, d < D: "
           "x[b, s, d] * D ** 0.5 + sin(cast(s, x) / 10000 ** "
           "(cast(d - d % 2, x) / D) + cast(d % 2, x) * pi / 2)");
  const Shape shape = {s["batch"], s["sequence"]};
  const Value source = g.tokens("source", shape),
              target = g.tokens("target", shape);
  const std::string table = g.weight("embedding", {words, features}, features);

  Value x = placed(g, source, table, "encoder", features, rate);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = "encoder/layer" + std::to_string(i),
                      self = name + "/attention";
    x = residualNorm(g, x, attention(g, x, x, self, heads, false), self, rate);
    x = perceptron(g, x, name + "/perceptron", s["hidden"], rate);
  }
  const Value memory = x;
  x = placed(g, target, table, "decoder", features, rate);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = "decoder/layer" + std::to_string(i),
                      self = name + "/attention", cross = name + "/cross";
    x = residualNorm(g, x, attention(g, x, x, self, heads, true), self, rate);
    x = residualNorm(g, x, attention(g, x, memory, cross, heads, false), cross,
                     rate);
    x = perceptron(g, x, name + "/perceptron", s["hidden"], rate);
  }
  g.output("logits", tiedLogits(g, x, table, words));
  return {};
}

Size headsSize(int64_t value) {
  return {"heads", value, 1, 1 << 16, "heads of attention"};
}
Size sequenceSize(int64_t value) {
  return {"sequence", value, 1, 1 << 24, "tokens of a sample"};
}
} // namespace

std::vector<Model> zoo::transformerModels() {
  return {
      {"transformer",
       "a decoder like GPT-2",
       {layersSize(12),
        hiddenSize(768, "features of a token"),
        headsSize(12),
        sequenceSize(1024),
        vocabularySize(50257),
        {"inner", 0, 0, 1 << 22,
         "features inside each perceptron; 0: four times --hidden"},
        batchSize(8)},
       gpt,
       {dropoutOf(
           "embeddings, and of what each attention and perceptron adds,")}},
      {"trn",
       "ParDNN's TRN: encoder and decoder for translation",
       {{"layers", 24, 1, 4096, "layers of the encoder, and of the decoder"},
        hiddenSize(5120, "features inside each perceptron"),
        {"model", 2048, 1, 1 << 20, "features of a token"},
        headsSize(8),
        sequenceSize(100),
        vocabularySize(32000),
        batchSize(1)},
       trn,
       {dropoutOf(
           "embeddings, and of what each attention and perceptron adds,")}},
  };
}
