// Graph networks whose messages reach some nodes only, which they choose
// themselves; and those that change the graph they work on.
#include "tools/zoo/GraphLayers.h"

using namespace smex;
using namespace smex::zoo;

namespace {

/// Nodes whose features have a positive product with a vector that is given:
/// bool[nodes].
std::string chosen(ModelBuilder &g, const Value &x, const std::string &weight,
                   const std::string &name) {
  const Value score = g.node("MatMul", name + "/score", {x.name, weight}, 0);
  return g.node("Greater", name, {score.name, g.constant(name + "/zero", 0)}, 0)
      .name;
}

/// tanh of what a node has and of what its messages are, added up.
Value updated(ModelBuilder &g, const Value &x, const std::string &destinations,
              const std::string &name) {
  const Value heard = messages(g, x, name + "/heard", "mean_messages",
                               {"sources", destinations});
  return map(g, "Tanh",
             add(g, dense(g, x, name + "/own", x.width),
                 dense(g, heard, name + "/others", x.width, /*bias=*/false),
                 name + "/both"),
             name + "/tanh");
}

/// Nodes that are active send messages; those that receive any change, and may
/// be active next. In the end those that nobody has reached ask their
/// neighbours.
Status explore(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  Value x = g.nodeFeatures("features", s["features"]);
  x = map(g, "Tanh", dense(g, x, "encoder", s["hidden"]), "encoder/tanh");
  const std::string weight = g.weight("interest", {s["hidden"]}, s["hidden"]);
  std::string active = chosen(g, x, weight, "active"), reached = active;
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const std::string ends = g.node("push_edges", name + "/pushed",
                                    {"sources", "destinations", active}, 0)
                                 .name;
    const std::string receivers =
        g.node("receivers", name + "/receivers", {ends, x.name}, 0).name;
    x = g.node("update_nodes", name,
               {updated(g, x, ends, name).name, x.name, receivers}, x.width);
    reached = g.node("Or", name + "/reached", {reached, receivers}, 0).name;
    active = g.node("And", name + "/active",
                    {receivers, chosen(g, x, weight, name + "/interested")}, 0)
                 .name;
  }
  const std::string others = g.node("Not", "others", {reached}, 0).name;
  const std::string ends =
      g.node("pull_edges", "pulled", {"destinations", others}, 0).name;
  x = g.node("update_nodes", "asked",
             {updated(g, x, ends, "ask").name, x.name, others}, x.width);
  g.output("logits", dense(g, x, "decoder", s["classes"]));
  return {};
}

/// A batch of graphs as it stands after some changes.
struct Graphs {
  Value x;                               // features of nodes
  std::string sources, destinations, of; // names of tensors
};

const Json graphCount = {{"dimension", "graphs"}};

/// relu of a node's features and the mean of what its edges come from.
void convolve(ModelBuilder &g, Graphs &now, const std::string &name,
              int64_t width) {
  const Value own = dense(g, now.x, name + "/own", width),
              others = dense(g, now.x, name + "/neighbours", width,
                             /*bias=*/false),
              mean = messages(g, others, name + "/mean", "mean_messages",
                              {now.sources, now.destinations, "rows_at"});
  now.x = map(g, "Relu", add(g, own, mean, name + "/both"), name + "/relu");
}

/// Gao and Ji's: half of each graph's nodes, by their products with a vector of
/// length 1, and the edges between them.
void pool(ModelBuilder &g, Graphs &now, const std::string &name) {
  const std::string weight =
      g.weight(name + "/weight", {now.x.width}, now.x.width);
  const Value product =
      g.node("MatMul", name + "/product", {now.x.name, weight}, 0);
  const Value norm =
      g.node("ReduceL2", name + "/norm", {weight}, 0, {{"keepdims", 0}});
  const Value score =
      g.node("Div", name + "/score", {product.name, norm.name}, 0);
  const Value gate = map(g, "Tanh", score, name + "/gate");
  const Value top = g.node("top_nodes", name + "/top", {gate.name, now.of}, 0,
                           {{"graphs", graphCount}});
  const Value place = g.node("places", name + "/places", {top.name}, 0);
  const Value nodes = g.node("nodes_at_places", name + "/nodes", {place.name},
                             0, {{"graphs", graphCount}, {"whole", 2}});
  const Value column = reshape(g, gate, name + "/column", {-1, 1});
  now.x = multiply(g, now.x, column, name + "/gated");
  now.x = g.node("rows_at", name, {now.x.name, nodes.name}, now.x.width);
  now.of =
      g.node("graph_of_places", name + "/graph_of", {now.of, nodes.name}, 0)
          .name;
  now.sources =
      g.nodeWith({name + "/destinations"}, "rename_edges", name + "/sources",
                 {now.sources, now.destinations, place.name}, 0)
          .name;
  now.destinations = name + "/destinations";
}

/// Diehl's: nodes that an edge with a large score joins become one. Edges that
/// lead to the same node compete.
void contract(ModelBuilder &g, Graphs &now, const std::string &name,
              int64_t rounds) {
  // Scores of edges: of what their two ends have.
  const auto half = [&](const std::string &end, const std::string &ends) {
    const Value each =
        g.node("MatMul", name + "/" + end,
               {now.x.name, g.weight(name + "/" + end + "/weight",
                                     {now.x.width}, now.x.width)},
               0);
    return g.node("rows_at", name + "/at_" + end, {each.name, ends}, 0);
  };
  const Value sum = add(g, half("source", now.sources),
                        half("destination", now.destinations), name + "/sum");
  const Value raw =
      add(g, sum, {g.filled(name + "/bias", {}, 0)}, name + "/raw");
  const Value share =
      g.node("softmax_of_edges", name + "/share",
             {raw.name, now.destinations, now.x.name}, 0);
  const Value score =
      add(g, share, {g.constant(name + "/half", 0.5)}, name + "/score");
  std::string match = g.node("no_match", name + "/none", {now.of}, 0).name;
  for (int64_t i = 0; i < rounds; ++i)
    match = g.node("match_edges", name + "/match" + std::to_string(i),
                   {score.name, now.sources, now.destinations, match}, 0)
                .name;
  const std::string place =
      g.node("contracted_nodes", name + "/places",
             {match, now.sources, now.destinations, now.of}, 0)
          .name;
  // A node that is made of two has the sum of both, times the edge's score.
  const Value factor = reshape(
      g, g.node("score_of_match", name + "/factor", {score.name, match}, 0),
      name + "/column", {-1, 1});
  const Value scaled = multiply(g, now.x, factor, name + "/scaled");
  now.x = g.node("sum_messages", name, {scaled.name, place, now.x.name},
                 now.x.width);
  const Value nodes = g.node("nodes_at_places", name + "/nodes", {place}, 0);
  now.of =
      g.node("graph_of_places", name + "/graph_of", {now.of, nodes.name}, 0)
          .name;
  g.nodeWith({name + "/renamed_destinations"}, "rename_edges",
             name + "/renamed_sources", {now.sources, now.destinations, place},
             0);
  now.sources =
      g.nodeWith({name + "/destinations"}, "distinct_edges", name + "/sources",
                 {name + "/renamed_sources", name + "/renamed_destinations",
                  now.x.name},
                 0)
          .name;
  now.destinations = name + "/destinations";
}

/// A node more in each graph, made of all that the graph has. It is joined to
/// the node that suits it best, in both directions; where none does, it is not
/// added.
void grow(ModelBuilder &g, Graphs &now, const std::string &name) {
  const Value mean =
      g.node("mean_of_nodes", name + "/mean", {now.x.name, now.of}, now.x.width,
             {{"graphs", graphCount}});
  const Value made = map(g, "Tanh", dense(g, mean, name + "/node", now.x.width),
                         name + "/node/tanh");
  const Value suits = g.node("products_of_graph", name + "/suits",
                             {now.x.name, made.name, now.of}, 0);
  const Value best = g.node("best_nodes", name + "/best", {suits.name, now.of},
                            0, {{"graphs", graphCount}});
  const Value at =
      g.node("at_positive", name + "/at", {best.name, suits.name}, 0);
  const Value added =
      g.node("added_nodes", name + "/added", {at.name, now.x.name}, 0);
  const auto joined = [&](const std::string &what,
                          const std::vector<std::string> &parts) {
    return g.node("Concat", name + "/" + what, parts, 0, {{"axis", 0}}).name;
  };
  const Value of = g.node("graphs_of_added", name + "/of", {added.name}, 0);
  now.x.name = joined("features", {now.x.name, made.name});
  now.of = joined("graph_of", {now.of, of.name});
  now.sources = joined("sources", {now.sources, at.name, added.name});
  now.destinations =
      joined("destinations", {now.destinations, added.name, at.name});
}

Status changing(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  g.batchOfGraphs();
  g.define("no_match(of[V]): lambda v < V: i64(-1)");
  g.define("score_of_match(s[E], match[V]): lambda v < V: s[match[v]] else 1");
  g.define("products_of_graph(x[V, F], y[G, F], of[V]): lambda v < V: "
           "Sum(lambda f < F: x[v, f] * (y[of[v], f] else 0))");
  g.define("at_positive(best[G], s[V]): lambda g < G: best[g] if (s[best[g]] "
           "else 0) > 0 else -1");
  g.define("graphs_of_added(n[G]): lambda g < G: g if n[g] >= 0 else -1");
  Graphs now{g.nodeFeatures("features", s["features"]), "sources",
             "destinations", "graph_of"};
  const std::string change = s.word("change");
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const auto step = [&](const std::string &what, auto &&apply) {
      if (change != "all" && change != what)
        return;
      const std::string name = layerName(i) + "/" + what;
      convolve(g, now, name + "/convolution", s["hidden"]);
      apply(name);
    };
    step("grow", [&](const std::string &name) { grow(g, now, name); });
    step("contract",
         [&](const std::string &name) { contract(g, now, name, s["rounds"]); });
    step("top-k", [&](const std::string &name) { pool(g, now, name); });
  }
  convolve(g, now, "last", s["hidden"]);
  const Value mean = g.node("mean_of_nodes", "readout", {now.x.name, now.of},
                            s["hidden"], {{"graphs", graphCount}});
  g.output("logits", dense(g, mean, "classifier", s["classes"]));
  return {};
}

} // namespace

std::vector<Model> zoo::graphChangeModels() {
  const Size features = {"features", 1433, 1, 1 << 20, "features of a node"};
  const Size hidden = hiddenSize(16, "features of a hidden layer");
  return {{"explore",
           "messages from nodes that are active, which the features decide, "
           "for --graph",
           {{"layers", 2, 1, 64, "times that active nodes send"},
            features,
            hidden,
            classesSize(7)},
           explore},
          {"changing",
           "graph classifier that pools, contracts and grows its graphs, for "
           "--graph",
           {{"layers", 2, 1, 64, "times that the graphs change"},
            features,
            hidden,
            {"rounds", 4, 1, 64, "rounds in which edges are matched"},
            classesSize(7)},
           changing,
           {},
           {{"change",
             "what a layer does to the graphs: a node more in each; nodes that "
             "an edge joins are one; half of the nodes are left; each of these",
             {"all", "grow", "contract", "top-k"}}}}};
}
