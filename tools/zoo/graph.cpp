// Graph neural networks: features per node, messages along the edges of a graph
// that smexc is given (--graph).
#include "tools/zoo/GraphLayers.h"

using namespace smex;
using namespace smex::zoo;

Value zoo::glorotDense(ModelBuilder &g, const Value &x, const std::string &name,
                       int64_t features, bool bias) {
  return denseOf(
      g, x, g.glorot(name + "/weight", {x.width, features}, x.width, features),
      name, features, bias);
}

/// Roc's (section 7.5): what a layer was given is added to its result, by a
/// matrix where their widths differ.
static Value residual(ModelBuilder &g, Value given, const Value &x,
                      const std::string &name) {
  if (given.width != x.width)
    given = glorotDense(g, given, name + "/shortcut", x.width, /*bias=*/false);
  return add(g, x, given, name + "/residual");
}

/// Kipf and Welling's: features are multiplied first where that makes them
/// fewer, which it does in all common networks.
static Status gcn(ModelBuilder &g, const Sizes &s) {
  const bool matrix = s.flag("matrix"), weighted = s.flag("edge-weights");
  g.inputGraph(matrix ? ModelBuilder::SelfLoops::AsGiven
                      : ModelBuilder::SelfLoops::Added);
  if (matrix)
    g.edgeValues("edge_weights");
  else if (weighted)
    g.edgeValues("edge_weights", 1);
  const auto layer = [&](Value x, const std::string &name, int64_t width) {
    x = glorotDense(g, x, name, width, /*bias=*/false);
    x = matrix
            ? g.node("weighted_messages", name + "/convolution",
                     {"edge_weights", x.name, "sources", "destinations"}, width)
        : weighted
            ? g.node("weighted_graph_convolution", name + "/convolution",
                     {x.name, "edge_weights", "sources", "destinations"}, width)
            : g.node("graph_convolution", name + "/convolution",
                     {x.name, "sources", "destinations"}, width);
    return g.node("Add", name + "/biased",
                  {x.name, g.filled(name + "/bias", {width}, 0)}, width);
  };
  layersOnNodes(
      g, s, layer, [](const Value &x) { return x; },
      [&](const Value &given, const Value &x, const std::string &name) {
        return s.flag("residual") ? residual(g, given, x, name) : x;
      });
  return {};
}

/// The sum of neighbours' features by learnt coefficients; of both, some are
/// dropped.
static Value attention(ModelBuilder &g, const Value &x, const std::string &name,
                       const std::string &left, const std::string &right,
                       double rate) {
  if (rate == 0) // in one operator, which stores no coefficient
    return g.node("graph_attention", name,
                  {x.name, left, right, "sources", "destinations"}, x.width);
  Value p = g.node("scores_of_edges", name + "/scores",
                   {x.name, left, right, "sources", "destinations"}, 0);
  p = g.node("softmax_of_edges", name + "/coefficients",
             {p.name, "destinations", x.name}, 0);
  p = dropout(g, p, name + "/coefficients/dropped", rate);
  // As in the authors' code; their text names the coefficients only.
  const Value values = dropout(g, x, name + "/values", rate);
  return g.node("weighted_messages", name,
                {p.name, values.name, "sources", "destinations"}, x.width);
}

/// Velickovic et al.'s: heads side by side in all layers but the last, which
/// has one.
static Status gat(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::Added);
  Value x = g.nodeFeatures("features", s["features"]);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t heads = last ? 1 : s["heads"];
    const int64_t each = last ? s["classes"] : s["hidden"];
    const int64_t width = heads * each;
    const double rate = s.fraction("dropout");
    x = dropout(g, x, name + "/dropped", rate);
    x = glorotDense(g, x, name, width, /*bias=*/false);
    x = reshape(g, x, name + "/heads", {-1, heads, each});
    const std::string left = g.glorot(name + "/attention/source", {heads, each},
                                      each, 1),
                      right = g.glorot(name + "/attention/destination",
                                       {heads, each}, each, 1);
    x = attention(g, x, name + "/attention", left, right, rate);
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

Value zoo::messages(ModelBuilder &g, const Value &x, const std::string &name,
                    const char *reduction, const Edges &edges) {
  const Value read =
      g.node(edges.read, name + "/messages", {x.name, edges.sources}, x.width);
  return g.node(reduction, name, {read.name, edges.destinations, x.name},
                x.width);
}

/// Xu et al.'s: a network of two layers, of the node's own features times a
/// number that is learnt, and the sum of its neighbours'. With a readout, a
/// result for each graph of a batch.
static Status gin(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const std::string readout = s.word("readout");
  if (readout != "none")
    g.batchOfGraphs();
  const auto layer = [&](Value x, const std::string &name, int64_t width) {
    const Value factor = g.node(
        "Add", name + "/factor",
        {g.filled(name + "/epsilon", {}, 0), g.constant(name + "/one", 1)}, 0);
    const Value own = multiply(g, x, factor, name + "/own"),
                sum = messages(g, x, name + "/sum", "sum_messages");
    x = add(g, own, sum, name + "/both");
    x = dense(g, x, name + "/first", s["hidden"]);
    x = map(g, "Relu", x, name + "/first/relu");
    return dense(g, x, name + "/second", width);
  };
  layersOnNodes(g, s, layer, [&](const Value &x) {
    return readout == "none"
               ? x
               : g.node(readout + "_of_nodes", "readout", {x.name, "graph_of"},
                        x.width, {{"graphs", {{"dimension", "graphs"}}}});
  });
  return {};
}

/// Hamilton et al.'s GraphSAGE with means; like gcn's, neighbours' features are
/// multiplied before they are added up.
static Status sage(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  layersOnNodes(g, s, [&](Value x, const std::string &name, int64_t width) {
    const Value own = glorotDense(g, x, name + "/own", width),
                others = glorotDense(g, x, name + "/neighbours", width,
                                     /*bias=*/false),
                mean = messages(g, others, name + "/mean", "mean_messages");
    return add(g, own, mean, name);
  });
  return {};
}

/// Sukhbaatar et al.'s: agents' states, and the mean of those that they hear.
static Status commnet(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const double rate = s.fraction("dropout");
  Value x = g.nodeFeatures("features", s["features"]);
  x = dropout(g, x, "encoder/dropped", rate);
  x = map(g, "Tanh", dense(g, x, "encoder", s["hidden"]), "encoder/tanh");
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    x = dropout(g, x, name + "/dropped", rate);
    const Value heard = g.node("mean_of_others", name + "/heard",
                               {x.name, "sources", "destinations"}, x.width),
                own = dense(g, x, name + "/own", s["hidden"]),
                others = dense(g, heard, name + "/others", s["hidden"],
                               /*bias=*/false);
    x = map(g, "Tanh", add(g, own, others, name), name + "/tanh");
  }
  x = dropout(g, x, "decoder/dropped", rate);
  g.output("logits", dense(g, x, "decoder", s["classes"]));
  return {};
}

/// Schlichtkrull et al.'s: a weight for each type of edges, and one for the
/// node itself.
static Status rgcn(ModelBuilder &g, const Sizes &s) {
  g.typedGraph(s["relations"]);
  layersOnNodes(g, s, [&](Value x, const std::string &name, int64_t width) {
    const std::string weights =
        g.glorot(name + "/relations/weight", {s["relations"], x.width, width},
                 x.width, width);
    const Value own = glorotDense(g, x, name + "/own", width),
                each = g.node("MatMul", name + "/relations", {x.name, weights},
                              width),
                sum =
                    g.node("sum_of_relations", name + "/sum",
                           {each.name, "edge_types", "sources", "destinations"},
                           width);
    return add(g, own, sum, name);
  });
  return {};
}

std::vector<Model> zoo::graphModels() {
  const Size features = {"features", 1433, 1, 1 << 20, "features of a node"};
  const Size layers = {"layers", 2, 1, 64, "layers"};
  const Size hidden = hiddenSize(16, "features of a hidden layer"),
             classes = classesSize(7);
  const std::vector<Fraction> ofLayers = {dropoutOf("the input of each layer")};
  const std::vector<Size> common = {layers, features, hidden, classes};
  return {
      {"gcn",
       "graph convolutional network, for --graph",
       common,
       gcn,
       ofLayers,
       {},
       {{"edge-weights",
         "edges count for the numbers in the graph's file, self-loops for 1"},
        {"matrix",
         "layers multiply with the matrix in the graph's file as it is: no "
         "self-loops are added, nothing is divided by degrees"},
        {"residual",
         "what a layer is given is added to its result, by a matrix where "
         "their widths differ"}}},
      {"gat",
       "graph attention network, for --graph",
       {layers,
        features,
        hiddenSize(8, "features of each head of a hidden layer"),
        {"heads", 8, 1, 1024, "heads of a hidden layer"},
        classes},
       gat,
       {dropoutOf("the input of each layer, its coefficients and messages")}},
      {"gin",
       "graph isomorphism network, for --graph",
       common,
       gin,
       ofLayers,
       {{"readout",
         "a result for each graph of a batch: what its nodes have, made one",
         {"none", "sum", "mean", "max"}}}},
      {"sage", "GraphSAGE with means, for --graph", common, sage, ofLayers},
      {"commnet", "CommNet, for --graph", common, commnet, ofLayers},
      {"rgcn",
       "relational graph convolutional network, for --graph",
       {layers,
        features,
        hidden,
        {"relations", 3, 1, 1 << 16, "types of edges"},
        classes},
       rgcn,
       ofLayers}};
}
