// Graph neural networks: features per node, messages along the edges of a graph
// that smexc is given (--graph).
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

static std::string layerName(int64_t i) { return "layer" + std::to_string(i); }

/// Kipf and Welling's: features are multiplied first where that makes them
/// fewer, which it does in all common networks.
static Status gcn(Graph &g, const Sizes &s) {
  g.inputGraph();
  Value x = g.nodeFeatures("features", s["features"]);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t width = last ? s["classes"] : s["hidden"];
    x = dense(g, x, name, width, /*bias=*/false);
    x = g.node("graph_convolution", name + "/convolution",
               {x.name, "sources", "destinations"}, width);
    x = g.node("Add", name + "/biased",
               {x.name, g.filled(name + "/bias", {width}, 0)}, width);
    if (!last)
      x = map(g, "Relu", x, name + "/relu");
  }
  g.output("logits", x);
  return {};
}

/// Velickovic et al.'s: heads side by side in all layers but the last, which
/// has one.
static Status gat(Graph &g, const Sizes &s) {
  g.inputGraph();
  Value x = g.nodeFeatures("features", s["features"]);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t heads = last ? 1 : s["heads"];
    const int64_t each = last ? s["classes"] : s["hidden"];
    const int64_t width = heads * each;
    x = dense(g, x, name, width, /*bias=*/false);
    x = reshape(g, x, name + "/heads", {-1, heads, each});
    x = g.node("graph_attention", name + "/attention",
               {x.name,
                g.weight(name + "/attention/source", {heads, each}, each),
                g.weight(name + "/attention/destination", {heads, each}, each),
                "sources", "destinations"},
               each);
    x = reshape(g, x, name + "/joined", {-1, width});
    x.width = width;
    x = g.node("Add", name + "/biased",
               {x.name, g.filled(name + "/bias", {width}, 0)}, width);
    if (!last)
      x = map(g, "Elu", x, name + "/elu");
  }
  g.output("logits", x);
  return {};
}

std::vector<Model> zoo::graphModels() {
  const Size features = {"features", 1433, 1, 1 << 20, "features of a node"};
  const Size layers = {"layers", 2, 1, 64, "layers"};
  return {{"gcn",
           "graph convolutional network, for --graph",
           {layers, features, hiddenSize(16, "features of a hidden layer"),
            classesSize(7)},
           gcn},
          {"gat",
           "graph attention network, for --graph",
           {layers,
            features,
            hiddenSize(8, "features of each head of a hidden layer"),
            {"heads", 8, 1, 1024, "heads of a hidden layer"},
            classesSize(7)},
           gat}};
}
