// What one step of training in portions works on (Samples.h): parts of the
// plan's graphs, and which rows of features and labels go with them.
#ifndef SMEX_RUNTIME_EXECUTOR_SAMPLER_H
#define SMEX_RUNTIME_EXECUTOR_SAMPLER_H

#include "runtime/executor/Fanouts.h"
#include "runtime/executor/GraphInputs.h"

#include <memory>

namespace smex::runtime {

struct Sampling {
  /// Of each layer, the network's first one first: so many neighbours of each
  /// node, or all of them, -1; in each of the plan's graphs
  /// (graph::sampleNeighbours).
  graph::Numbers fanouts;
  int64_t batch = 0; // nodes whose label counts in a step; fewer end an epoch
  uint64_t seed = 0;
  int64_t parts = 0; // instead of nodes: parts in a step; fewer end an epoch
  /// Instead of fan-outs: a walk of so many edges from each node of the batch,
  /// against their direction, so that messages along them lead to where it
  /// starts (graph::randomWalks). The nodes seen and the edges walked remain.
  int64_t walk = 0;
  /// Of graphs by name, in place of `fanouts`.
  std::map<std::string, graph::Numbers> fanoutsOf = {};
  /// Each layer of the network has a sample of its own (plans whose graphs have
  /// layers).
  bool perLayer = false;
  /// These are of so many nodes of the whole graph that each layer draws by
  /// importance, in place of neighbours (graph::sampleLayers).
  bool byImportance = false;
  /// Instead of batches of nodes whose labels count: these, in this order, in
  /// each step; of the type of this name, or of the only one, "".
  std::optional<graph::Numbers> nodes = std::nullopt;
  std::string type = {};

  /// The option of the command line that says how, for messages.
  const char *option() const {
    return parts > 0  ? "--parts"
           : walk > 0 ? "--walk"
           : perLayer ? "--sample-layers"
                      : "--sample";
  }
};

/// What inputs have a row for each of: nodes of a type, by the plan's names of
/// types ("" where there is one), then graphs of a batch, and last, edges of
/// each of the plan's graphs.
class RowKinds {
public:
  explicit RowKinds(const plan::Program &program);

  const std::vector<std::string> &types() const { return names; }
  /// The types of nodes of a graph of the plan.
  size_t sources(size_t graph) const { return ends[graph].first; }
  size_t destinations(size_t graph) const { return ends[graph].second; }
  /// The kind that edges of a graph are.
  size_t edges(size_t graph) const { return names.size() + 1 + graph; }
  /// The graph whose edges a kind is.
  std::optional<size_t> edgesOf(size_t kind) const {
    return kind > names.size() ? std::optional(kind - names.size() - 1)
                               : std::nullopt;
  }
  /// That of an input; nothing where its rows are of no graph.
  std::optional<size_t> of(const plan::Port &port) const;

private:
  size_t typeOf(const std::string &name);

  const std::vector<plan::GraphInputs> &graphs;
  std::vector<std::string> names;
  std::vector<std::pair<size_t, size_t>> ends;
};

/// What is drawn in each step: nodes of a type, or edges of a graph.
struct Drawn {
  size_t kind = 0; // of rows
  /// The plan's graph, of edges.
  std::optional<size_t> edgesOf = std::nullopt;

  const char *each() const { return edgesOf ? "edge" : "node"; }
  /// The nodes that a sample for `some` is for: of edges, those at both ends.
  /// Errors: an edge that is not there.
  Result<graph::Numbers> nodesOf(const graph::Graph &graph,
                                 const graph::Numbers &some) const;
};

/// Of each graph of the plan a part; of each kind of rows, which ones they are:
/// of edges, those of the part, in its order.
struct Taken {
  std::vector<graph::Relation> relations;
  std::vector<graph::Numbers> rows;
};

class Sampler {
public:
  virtual ~Sampler() = default;
  /// For some nodes, which are the first ones of their type then; for some
  /// edges, which are there, too; or of some parts. A function of its
  /// arguments.
  virtual Result<Taken> take(const graph::Numbers &some, uint64_t seed) = 0;
  /// What `count` of them are called, "a sample for 3 nodes".
  virtual std::string what(size_t count) const = 0;
  /// How many there are to choose from, where these are parts.
  virtual std::optional<int64_t> parts() const { return std::nullopt; }
};

/// "1 node", "3 nodes".
std::string counted(size_t count, const char *thing);

/// For nodes of a type, edges of a graph, or for parts. Errors: graphs that
/// tell differently how many nodes of a type there are; nodes, where layers
/// have edges of their own and results are of edges.
Result<std::unique_ptr<Sampler>> makeSampler(const plan::Program &program,
                                             const RowKinds &kinds,
                                             std::vector<RunGraph> graphs,
                                             const Sampling &sampling,
                                             const Drawn &drawn);

/// The same for nodes of one type, where each layer has a sample of its own.
Result<std::unique_ptr<Sampler>> makeLayerSampler(const plan::Program &program,
                                                  std::vector<RunGraph> graphs,
                                                  const Sampling &sampling,
                                                  const Drawn &drawn);

/// The same for nodes of several types, whether or not layers have samples of
/// their own.
Result<std::unique_ptr<Sampler>>
makeRelationSampler(const plan::Program &program, const RowKinds &kinds,
                    std::vector<RunGraph> graphs, const Sampling &sampling,
                    const Drawn &drawn);

} // namespace smex::runtime

#endif
