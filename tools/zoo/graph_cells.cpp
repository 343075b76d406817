// Graph networks with recurrent cells: a node's messages read one after the
// other, and trees computed from their leaves up.
#include "tools/zoo/GraphLayers.h"

using namespace smex;
using namespace smex::zoo;

/// The last hidden state of an LSTM that reads what each node's edges bring, in
/// the order of the edges.
static Value lstmOfMessages(ModelBuilder &g, const Value &x,
                            const std::string &name, int64_t width) {
  const Value messages =
      g.node("at_ends", name + "/messages", {x.name, "sources"}, x.width);
  const std::string input =
      g.weight(name + "/input/weight", {1, 4 * width, x.width}, width);
  const std::string hidden =
      g.weight(name + "/hidden/weight", {1, 4 * width, width}, width);
  const std::string bias = g.weight(name + "/bias", {1, 8 * width}, width);
  const Json reduce = g.body({name + "/mailbox", name + "/lengths"}, [&] {
    const Value all =
        g.nodeWith({name + "/cell/last"}, "LSTM", name + "/cell",
                   {name + "/mailbox", input, hidden, bias, name + "/lengths"},
                   width, {{"hidden_size", width}, {"layout", 1}});
    return std::vector<Value>{
        reshape(g, {all.name + "/last", width}, name + "/last", {-1, width})};
  });
  return g.node("reduce_mailboxes", name, {messages.name}, width,
                {{"reduce", reduce}});
}

/// Hamilton et al.'s GraphSAGE with an LSTM for an aggregator.
static Status sageLstm(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  layersOnNodes(
      g, s, [&](const Value &x, const std::string &name, int64_t width) {
        const Value own = glorotDense(g, x, name + "/own", width),
                    read = lstmOfMessages(g, x, name + "/lstm", s["hidden"]),
                    others = glorotDense(g, read, name + "/neighbours", width,
                                         /*bias=*/false);
        return add(g, own, others, name);
      });
  return {};
}

/// Tai et al.'s child-sum TreeLSTM: edges lead from children to their parent,
/// and every node has a word (of a phrase, one that stands for none) and a
/// class.
static Status treeLstm(ModelBuilder &g, const Sizes &s) {
  const int64_t H = s["hidden"];
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const Value words = g.nodeTokens("words");
  Value x = embed(g, g.weight("embedding", {s["vocabulary"], s["features"]}, 1),
                  words, "embedded", s["features"]);
  x = dropout(g, x, "embedded/dropped", s.fraction("dropout"));
  // Of all nodes at once: input, output, candidate, and forget gates.
  const Value gates = dense(g, x, "gates/input", 3 * H),
              forget = dense(g, x, "forget/input", H);
  const Json update = g.body(
      {"children/hidden", "children/cell", "parents", "node/gates",
       "node/forget"},
      [&] {
        const Value sum =
            g.node("sum_messages", "children/sum",
                   {"children/hidden", "parents", "node/gates"}, H);
        const Value all =
            add(g, {"node/gates", 3 * H},
                dense(g, sum, "gates/hidden", 3 * H, false), "gates");
        g.nodeWith({"gates/output", "gates/candidate"}, "Split", "gates/in",
                   {all.name}, H, {{"axis", 1}, {"num_outputs", 3}});
        // Each child has a forget gate of its own.
        const Value own =
            g.node("at_ends", "forget/own", {"node/forget", "parents"}, H);
        const Value kept =
            map(g, "Sigmoid",
                add(g, own,
                    dense(g, {"children/hidden", H}, "forget/hidden", H, false),
                    "forget"),
                "forget/gate");
        const Value remembered =
            multiply(g, kept, {"children/cell", H}, "remembered");
        const Value old = g.node("sum_messages", "remembered/sum",
                                 {remembered.name, "parents", "node/gates"}, H);
        const Value more = multiply(
            g, map(g, "Sigmoid", {"gates/in", H}, "gates/in/gate"),
            map(g, "Tanh", {"gates/candidate", H}, "candidate"), "new");
        const Value cell = add(g, old, more, "cell");
        const Value hidden =
            multiply(g, map(g, "Sigmoid", {"gates/output", H}, "output/gate"),
                     map(g, "Tanh", cell, "cell/tanh"), "hidden");
        return std::vector<Value>{hidden, cell};
      });
  const Value hidden =
      g.nodeWith({"tree/cell"}, "propagate", "tree", {gates.name, forget.name},
                 H, {{"update", update}, {"widths", {H, H}}});
  x = dropout(g, hidden, "tree/dropped", s.fraction("dropout"));
  g.output("logits", dense(g, x, "classifier", s["classes"]));
  return {};
}

std::vector<Model> zoo::graphCellModels() {
  const Size layers = {"layers", 2, 1, 64, "layers"};
  return {{"sage-lstm",
           "GraphSAGE with an LSTM over neighbours, for --graph",
           {layers,
            {"features", 1433, 1, 1 << 20, "features of a node"},
            hiddenSize(16, "features of a hidden layer, and of the LSTM"),
            classesSize(7)},
           sageLstm,
           {dropoutOf("the input of each layer")}},
          {"treelstm",
           "child-sum TreeLSTM, for --graph of trees",
           {vocabularySize(20000),
            {"features", 300, 1, 1 << 20, "features of a word"},
            hiddenSize(150, "features of a node"),
            classesSize(5)},
           treeLstm,
           {dropoutOf("words' features and nodes' states")}}};
}
