// Graph networks whose edges have features of their own: an input with a row
// per edge.
#include "tools/zoo/GraphLayers.h"

#include <cmath>

using namespace smex;
using namespace smex::zoo;

/// Gilmer et al.'s edge-conditioned convolution: what an edge reads of its
/// source it multiplies by a matrix that a network of two layers makes of the
/// edge's features.
static Status nnconv(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const Value edges = g.edgeFeatures("edge_features", s["edge-features"]);
  layersOnNodes(g, s, [&](Value x, const std::string &name, int64_t width) {
    Value w = dense(g, edges, name + "/edges/first", s["edge-hidden"]);
    w = map(g, "Relu", w, name + "/edges/relu");
    w = dense(g, w, name + "/edges/second", x.width * width);
    w = reshape(g, w, name + "/edges/matrices", {-1, x.width, width});
    const Value read = g.node("edge_conditioned_messages", name + "/messages",
                              {x.name, w.name, "sources"}, width),
                sum = g.node("sum_messages", name + "/sum",
                             {read.name, "destinations", x.name}, width),
                own = dense(g, x, name + "/own", width);
    return add(g, own, sum, name);
  });
  return {};
}

Value zoo::transformerAttention(ModelBuilder &g, const Value &to,
                                const Value &from, const Value &edges,
                                const std::string &name, int64_t heads,
                                int64_t each, const std::string &sources,
                                const std::string &destinations) {
  const int64_t width = heads * each;
  const auto headsOf = [&](const Value &x, const std::string &part, bool bias) {
    const Value made = dense(g, x, name + "/" + part, width, bias);
    return reshape(g, made, name + "/" + part + "/heads", {-1, heads, each})
        .name;
  };
  const std::string q = headsOf(to, "query", true),
                    k = headsOf(from, "key", true),
                    v = headsOf(from, "value", true);
  const Value weight = {
      g.weight(name + "/edge/weight", {edges.width, width}, edges.width), each};
  const Value w =
      reshape(g, weight, name + "/edge/heads", {edges.width, heads, each});
  const Value read =
      g.node("transformer_attention", name + "/attention",
             {q, k, v, edges.name, w.name, sources, destinations}, width,
             {{"scale", 1 / std::sqrt(double(each))}});
  Value joined = reshape(g, read, name + "/joined", {-1, width});
  joined.width = width;
  return joined;
}

/// Shi et al.'s graph transformer, with features of edges in keys and values:
/// heads side by side in all layers but the last, which has one.
static Status graphTransformer(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const Value edges = g.edgeFeatures("edge_features", s["edge-features"]);
  Value x = g.nodeFeatures("features", s["features"]);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t heads = last ? 1 : s["heads"];
    const int64_t each = last ? s["classes"] : s["hidden"];
    x = dropout(g, x, name + "/dropped", s.fraction("dropout"));
    const Value read = transformerAttention(g, x, x, edges, name, heads, each,
                                            "sources", "destinations"),
                own = dense(g, x, name + "/own", heads * each);
    x = add(g, own, read, name);
    if (!last)
      x = map(g, "Relu", x, name + "/relu");
  }
  g.output("logits", x);
  return {};
}

std::vector<Model> zoo::graphEdgeModels() {
  const Size layers = {"layers", 2, 1, 64, "layers"};
  const Size features = {"features", 64, 1, 1 << 20, "features of a node"};
  const Size ofEdges = {"edge-features", 8, 1, 1 << 20, "features of an edge"};
  return {{"nnconv",
           "edge-conditioned network, for --graph with features of edges",
           {layers,
            features,
            ofEdges,
            hiddenSize(16, "features of a hidden layer"),
            {"edge-hidden", 16, 1, 1 << 20,
             "features of the layer that edges' matrices are made of"},
            classesSize(7)},
           nnconv,
           {dropoutOf("the input of each layer")}},
          {"graph-transformer",
           "graph transformer, for --graph with features of edges",
           {layers,
            features,
            ofEdges,
            hiddenSize(8, "features of each head of a hidden layer"),
            {"heads", 4, 1, 1024, "heads of a hidden layer"},
            classesSize(7)},
           graphTransformer,
           {dropoutOf("the input of each layer")}}};
}
