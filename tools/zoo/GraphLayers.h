// What most graph networks have in common.
#ifndef SMEX_TOOLS_ZOO_GRAPHLAYERS_H
#define SMEX_TOOLS_ZOO_GRAPHLAYERS_H

#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

namespace smex::zoo {

inline std::string layerName(int64_t i) { return "layer" + std::to_string(i); }

/// From nodes' `features` to `logits`, by so many --layers: dropout before each
/// of them, Relu in between. `layer(x, name, width)` gives a layer's result,
/// `width` wide: that of --hidden, or in the end as many as there are classes;
/// `join(given, result, name)` makes it one with what the layer was given. The
/// last one's result is read out by `readout(x)`.
template <typename Layer, typename Readout, typename Join>
void layersOnNodes(ModelBuilder &g, const Sizes &s, const Layer &layer,
                   const Readout &readout, const Join &join) {
  Value x = g.nodeFeatures("features", s["features"]);
  for (int64_t i = 0; i < s["layers"]; ++i) {
    const std::string name = layerName(i);
    const bool last = i + 1 == s["layers"];
    const Value given = x;
    x = dropout(g, x, name + "/dropped", s.fraction("dropout"));
    x = layer(x, name, last ? s["classes"] : s["hidden"]);
    if (!last)
      x = map(g, "Relu", x, name + "/relu");
    x = join(given, x, name);
  }
  g.output("logits", readout(x));
}

template <typename Layer, typename Readout>
void layersOnNodes(ModelBuilder &g, const Sizes &s, const Layer &layer,
                   const Readout &readout) {
  layersOnNodes(
      g, s, layer, readout,
      [](const Value &, const Value &x, const std::string &) { return x; });
}

/// A dense layer that begins as those of Kipf and Welling, Velickovic, Hamilton
/// and Schlichtkrull et al. do (Glorot's; the others' as PyTorch's, Layers.h).
Value glorotDense(ModelBuilder &g, const Value &x, const std::string &name,
                  int64_t features, bool bias = true);

/// Edges along which messages pass: names of the tensors with their ends.
struct Edges {
  std::string sources = "sources", destinations = "destinations";
  /// How they read their sources: rows_at where some have none.
  const char *read = "at_ends";
};

/// What reaches each node along its edges, made one by `reduction`.
Value messages(ModelBuilder &g, const Value &x, const std::string &name,
               const char *reduction, const Edges &edges = {});

/// What nodes `to` read along edges that come from nodes `from`, by so many
/// heads of attention; edges have features, too. Its parameters are those of
/// queries, keys, values and edges.
Value transformerAttention(ModelBuilder &g, const Value &to, const Value &from,
                           const Value &edges, const std::string &name,
                           int64_t heads, int64_t each,
                           const std::string &sources,
                           const std::string &destinations);

template <typename Layer>
void layersOnNodes(ModelBuilder &g, const Sizes &s, const Layer &layer) {
  layersOnNodes(g, s, layer, [](const Value &x) { return x; });
}

} // namespace smex::zoo

#endif
