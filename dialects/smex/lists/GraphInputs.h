// What a model says of the graphs that it works on: which of its inputs they
// are, and what has a row for each of their nodes, edges, and so on.
#ifndef SMEX_DIALECTS_SMEX_LISTS_GRAPHINPUTS_H
#define SMEX_DIALECTS_SMEX_LISTS_GRAPHINPUTS_H

#include "dialects/smex/lists/Rooms.h"

#include <string>
#include <utility>

namespace smex::graph {

/// Rows of inputs, as many as a graph has of something: a row per node of a
/// type, per edge, or per graph of a batch.
struct InputRows {
  std::string dimension;
  int64_t count = 0; // that there is room for
  /// Inputs whose first dimension it is.
  std::vector<std::string> inputs = {};
  /// Outputs that are declared so.
  std::vector<std::string> outputs = {};

  bool operator==(const InputRows &other) const {
    return dimension == other.dimension && count == other.count &&
           inputs == other.inputs && outputs == other.outputs;
  }
};

/// In the place of a layer's number: the edges that results or labels are of,
/// where these have a row per edge. No layer passes messages along them.
constexpr int64_t ofBatch = -1;

/// What an input is called that each layer has for itself; `layer` as in
/// GraphInputs. Who runs a plan gives rows of edges by `name` alone.
inline std::string layerName(const std::string &name, int64_t layer) {
  return name +
         (layer == ofBatch ? ".batch" : ".layer" + std::to_string(layer));
}

/// The inputs, by name, that are a graph which the model works on, where that
/// is given when the plan runs; all i64[edges]. Where its nodes are handled in
/// groups, so are lists of what is where.
struct GraphInputs {
  std::string name; // or "": the only one
  /// Of a network whose layers have edges of their own, the one that these are
  /// of, from 1 up; 0: of all layers; or ofBatch.
  int64_t layer = 0;
  std::string sources, destinations;
  std::string types;              // of edges; or ""
  int64_t edgeTypes = 0;          // so many
  bool selfLoops = false;         // are added
  InputRows to;                   // nodes that edges lead to
  std::optional<InputRows> from;  // that they come from, of another type
  std::string graphOf;            // i64[nodes], the graph of each; or ""
  std::optional<InputRows> batch; // graphs, where the model has results of each
  InputRows edges;                // features of edges; not what follows here
  std::string values; // f32[edges], the numbers in the graph's file; or ""
  std::string added;  // bool[edges], which edges are self-loops that no file
                      // has; or ""
  Rooms rooms;        // of nodes and edges; of groups, where there are any
  std::vector<std::pair<std::string, GraphList>> lists; // inputs

  bool operator==(const GraphInputs &other) const {
    return name == other.name && layer == other.layer &&
           sources == other.sources && destinations == other.destinations &&
           types == other.types && edgeTypes == other.edgeTypes &&
           selfLoops == other.selfLoops && to == other.to &&
           from == other.from && graphOf == other.graphOf &&
           batch == other.batch && edges == other.edges &&
           values == other.values && added == other.added &&
           rooms == other.rooms && lists == other.lists;
  }
};

/// What has a row per edge of a graph that the model is compiled with: the
/// edges have an order of their own in it (runtime/graph/Bind.h), and whoever
/// gives features has them in the order of the files.
struct EdgeRows {
  std::string graph;          // its name; or "": the only one
  int64_t fileEdges = 0;      // without self-loops that were added
  std::vector<int64_t> nodes; // of the type, or types, at its ends
  InputRows edges;

  bool operator==(const EdgeRows &other) const {
    return graph == other.graph && fileEdges == other.fileEdges &&
           nodes == other.nodes && edges == other.edges;
  }
};

} // namespace smex::graph

#endif
