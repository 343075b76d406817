// Graph networks on heterogeneous graphs: nodes of several types, each with
// features of its own, and a relation for each kind of edges.
#include "tools/zoo/GraphLayers.h"

#include <map>

using namespace smex;
using namespace smex::zoo;

/// What reaches nodes of type `to` along one relation: the mean over its edges
/// of their sources' features.
static Value along(ModelBuilder &g, const ModelBuilder::Relation &relation,
                   const Value &from, const Value &to, const std::string &name,
                   int64_t width) {
  const Value sent = glorotDense(g, from, name, width, /*bias=*/false);
  const Value read = g.node("at_ends", name + "/messages",
                            {sent.name, relation.name + "/sources"}, width);
  return g.node("mean_messages", name + "/mean",
                {read.name, relation.name + "/destinations", to.name}, width);
}

/// Hamilton et al.'s GraphSAGE with means over each relation, all added up (as
/// Schlichtkrull et al. do with relations): users that rate items, and follow
/// users; users are told into classes.
static Status heteroSage(ModelBuilder &g, const Sizes &s) {
  const std::vector<ModelBuilder::Relation> relations = {
      {"rates", "users", "items"},
      {"rated_by", "items", "users"},
      {"follows", "users", "users"}};
  g.relations(relations);
  std::map<std::string, Value> x = {
      {"users", g.nodeFeatures("users", s["features"], "users")},
      {"items", g.nodeFeatures("items", s["item-features"], "items")}};
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string layer = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t width = last ? s["classes"] : s["hidden"];
    for (auto &[type, value] : x)
      value = dropout(g, value, layer + "/" + type + "/dropped",
                      s.fraction("dropout"));
    std::map<std::string, Value> next;
    for (const auto &[type, value] : x) {
      if (last && type != "users")
        continue; // nobody reads it
      const std::string name = layer + "/" + type;
      Value sum = glorotDense(g, value, name + "/own", width);
      for (const ModelBuilder::Relation &relation : relations)
        if (relation.to == type)
          sum = add(g, sum,
                    along(g, relation, x[relation.from], value,
                          layer + "/" + relation.name, width),
                    name + "/with_" + relation.name);
      next[type] = last ? sum : map(g, "Relu", sum, name + "/relu");
    }
    x = next;
  }
  g.output("logits", x["users"]);
  return {};
}

/// A graph transformer on the same users and items, each edge with features:
/// what nodes read along each relation that leads to them, all added up.
static Status heteroTransformer(ModelBuilder &g, const Sizes &s) {
  const std::vector<ModelBuilder::Relation> relations = {
      {"rates", "users", "items"},
      {"rated_by", "items", "users"},
      {"follows", "users", "users"}};
  g.relations(relations);
  std::map<std::string, Value> x = {
      {"users", g.nodeFeatures("users", s["features"], "users")},
      {"items", g.nodeFeatures("items", s["item-features"], "items")}};
  std::map<std::string, Value> edges;
  for (const auto &[name, from, to] : relations)
    edges[name] = g.edgeFeatures(name + "/features", s["edge-features"], name);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string layer = layerName(i);
    const bool last = i + 1 == s["layers"];
    const int64_t heads = last ? 1 : s["heads"];
    const int64_t each = last ? s["classes"] : s["hidden"];
    for (auto &[type, value] : x)
      value = dropout(g, value, layer + "/" + type + "/dropped",
                      s.fraction("dropout"));
    std::map<std::string, Value> next;
    for (const auto &[type, value] : x) {
      if (last && type != "users")
        continue; // nobody reads it
      const std::string name = layer + "/" + type;
      Value sum = dense(g, value, name + "/own", heads * each);
      for (const auto &[relation, from, to] : relations)
        if (to == type)
          sum = add(g, sum,
                    transformerAttention(g, value, x[from], edges[relation],
                                         layer + "/" + relation, heads, each,
                                         relation + "/sources",
                                         relation + "/destinations"),
                    name + "/with_" + relation);
      next[type] = last ? sum : map(g, "Relu", sum, name + "/relu");
    }
    x = next;
  }
  g.output("logits", x["users"]);
  return {};
}

std::vector<Model> zoo::graphHeteroModels() {
  return {{"hetero-transformer",
           "graph transformer on users and items, for --graph of three "
           "relations with features of edges",
           {{"layers", 2, 1, 64, "layers"},
            {"features", 64, 1, 1 << 20, "features of a user"},
            {"item-features", 128, 1, 1 << 20, "features of an item"},
            {"edge-features", 8, 1, 1 << 20, "features of an edge"},
            hiddenSize(8, "features of each head of a hidden layer"),
            {"heads", 4, 1, 1024, "heads of a hidden layer"},
            classesSize(7)},
           heteroTransformer,
           {dropoutOf("the input of each layer")}},
          {"hetero-sage",
           "GraphSAGE on users and items, for --graph of three relations",
           {{"layers", 2, 1, 64, "layers"},
            {"features", 64, 1, 1 << 20, "features of a user"},
            {"item-features", 128, 1, 1 << 20, "features of an item"},
            hiddenSize(16, "features of a hidden layer"),
            classesSize(7)},
           heteroSage,
           {dropoutOf("the input of each layer")}}};
}
