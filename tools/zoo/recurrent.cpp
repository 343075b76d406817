// Recurrent networks of Tofu and ParDNN: stacked LSTM layers, unrolled.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

namespace {

/// Of zoo::lstm with dropout, and slices before it.
constexpr int64_t nodesPerCell = 8;

Status rnn(ModelBuilder &g, const Sizes &s) {
  if (Status ok = checkUnrolled(s, nodesPerCell); !ok)
    return ok;
  Value x = g.image("input", {s["steps"], s["batch"], s["input"]});
  x.width = s["input"];
  Value y = lstm(g, timesteps(g, x, 0, s["steps"]), s["layers"], s["hidden"],
                 s["batch"]);
  if (s["classes"])
    y = dense(g, y, "classifier", s["classes"]);
  g.output(s["classes"] ? "logits" : "output", y);
  return {};
}

Status wordRnn(ModelBuilder &g, const Sizes &s) {
  if (Status ok = checkUnrolled(s, nodesPerCell); !ok)
    return ok;
  const int64_t hidden = s["hidden"], words = s["vocabulary"];
  const Value tokens = g.tokens("tokens", {s["batch"], s["steps"]});
  const std::string table = g.weight("embedding", {words, hidden}, hidden);
  const Value x = embed(g, table, tokens, "embedded", hidden);
  const Value y = lstm(g, timesteps(g, x, 1, s["steps"]), s["layers"], hidden,
                       s["batch"], s.fraction("dropout"));
  g.output("logits", dense(g, y, "classifier", words));
  return {};
}

/// A word's features from its characters: convolutions of widths 1 to 7, each
/// channel's largest response over the word.
Value wordFeatures(ModelBuilder &g, const Sizes &s) {
  const int64_t words = s["batch"] * s["steps"], embedding = s["embedding"];
  const Value characters =
      g.tokens("characters", {s["batch"], s["steps"], s["word"]});
  const std::string table =
      g.weight("embedding", {s["characters"], embedding}, embedding);
  Value x = embed(g, table, characters, "embedded", embedding);
  x = reshape(g, x, "words", {words, s["word"], embedding});
  x = g.node("Transpose", "words/transposed", {x.name}, embedding,
             {{"perm", {0, 2, 1}}});
  constexpr int64_t shares[] = {1, 2, 3, 4, 4, 4, 4};
  std::vector<Value> features;
  for (int64_t width = 1; width <= 7; ++width) {
    const std::string name = "width" + std::to_string(width);
    Value y = conv(g, x, name, shares[width - 1] * s["filters"],
                   {{width}, {1}, {0}}, true);
    y = map(g, "Tanh", y, name + "/tanh");
    y = map(g, "GlobalMaxPool", y, name + "/largest");
    features.push_back(
        g.node("Flatten", name + "/features", {y.name}, y.width));
  }
  return concat(g, features, "features", 1);
}

/// gate * relu(W x) + (1 - gate) * x
Value highway(ModelBuilder &g, const Value &x, const std::string &name) {
  Value gate = dense(g, x, name + "/gate", x.width);
  gate = map(g, "Sigmoid", gate, name + "/gate/sigmoid");
  Value y = dense(g, x, name + "/transform", x.width);
  y = map(g, "Relu", y, name + "/transform/relu");
  y = multiply(g, gate, y, name + "/transformed");
  const Value rest = g.node("Sub", name + "/rest",
                            {g.constant(name + "/one", 1), gate.name}, x.width);
  return add(g, y, multiply(g, rest, x, name + "/carried"), name);
}

Status charCrn(ModelBuilder &g, const Sizes &s) {
  if (Status ok = checkUnrolled(s, nodesPerCell); !ok)
    return ok;
  Value x = wordFeatures(g, s);
  for (int64_t i = 0; i < s["highways"]; ++i)
    x = highway(g, x, "highway" + std::to_string(i));
  x = reshape(g, x, "sequence", {s["batch"], s["steps"], x.width});
  const Value y = lstm(g, timesteps(g, x, 1, s["steps"]), s["layers"],
                       s["hidden"], s["batch"], s.fraction("dropout"));
  g.output("logits", dense(g, y, "classifier", s["vocabulary"]));
  return {};
}

Size stepsSize(int64_t value) {
  return {"steps", value, 1, 4096, "timesteps, unrolled"};
}
} // namespace

std::vector<Model> zoo::recurrentModels() {
  return {
      {"rnn",
       "Tofu's RNN: stacked LSTM layers over a sequence of vectors",
       {layersSize(6),
        hiddenSize(4096, "features of each layer"),
        stepsSize(20),
        {"input", 1024, 1, 1 << 20, "features of the input"},
        {"classes", 0, 0, 1 << 24,
         "classes of each timestep; 0: the last layer's state is the output"},
        batchSize(512)},
       rnn},
      {"word-rnn",
       "ParDNN's Word-RNN: LSTM language model on words",
       {layersSize(8), hiddenSize(2048, "features of words and layers"),
        stepsSize(28), vocabularySize(20000), batchSize(16)},
       wordRnn,
       {dropoutOf("the input of each layer and of the classifier")}},
      {"char-crn",
       "ParDNN's Char-CRN: LSTM language model on words' characters",
       {layersSize(8),
        hiddenSize(2048, "features of each layer"),
        {"embedding", 15, 1, 1 << 16, "features of a character"},
        {"filters", 50, 1, 1 << 16,
         "filters of width 1; of widths 2 to 7, up to four times as many"},
        {"highways", 2, 0, 4096, "highway layers"},
        {"characters", 51, 2, 1 << 24, "distinct characters"},
        {"word", 21, 7, 4096, "characters of a word, padded"},
        stepsSize(35),
        vocabularySize(10000),
        batchSize(8)},
       charCrn,
       {dropoutOf("the input of each LSTM layer and of the classifier")}},
  };
}
