// What every front-end delivers: the model as a list of lambdas applied to
// values, shapes and types bound, nothing said about devices. Plain data, of
// which ir/ makes the semantic graph in MLIR (dialects/smex).
#ifndef SMEX_COMPILER_FRONTEND_MODEL_H
#define SMEX_COMPILER_FRONTEND_MODEL_H

#include "dialects/smex/lists/GraphInputs.h"
#include "dialects/support/PartRange.h"
#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/Ties.h"
#include "runtime/graph/Fanouts.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smex::frontend {

/// A tensor of the model. Values that no name of the model belongs to (inside a
/// composite operator) are named after its node: "softmax_3.1".
struct Value {
  std::string name; // unique
  TensorType type;
};

/// Where a parameter's bytes are. The compiler never holds all weights in
/// memory: they are read, region by region, when the plan is written.
struct ParameterData {
  /// One of: bytes owned by something that lives as long as `keepAlive`
  /// (an initializer inside the model file), a part of a file, or drawn from a
  /// seed when the plan runs (uniform in [-scale, scale)).
  enum class Kind { Memory, File, Drawn } kind = Kind::Memory;
  const std::byte *bytes = nullptr;
  std::shared_ptr<const void> keepAlive;
  std::string path;
  int64_t offset = 0;
  double scale = 0;
  /// Stored with its two dimensions exchanged: a matrix that the exporter has
  /// transposed.
  bool transposed = false;
};

struct Parameter {
  int value = 0;
  ParameterData data;
  /// Not a weight of the model but part of its text: a Constant node, a folded
  /// expression, a table. Training leaves it alone.
  bool constant = false;
  /// Not the model's but the optimizer's: its history.
  bool state = false;
};

/// One lambda applied.
struct Application {
  tdl::Lambda lambda; // canonical
  std::vector<int64_t> extents;
  std::vector<int> operands; // values
  int result = 0;            // value
  std::string node;          // the model's node that it is of
  /// The value whose gradient the result is, or a part of it; or -1.
  int gradientOf = -1;
  bool detached = false;    // see tdl::Application
  bool conditional = false; // of a branch that may not be the one taken
  tdl::Ties ties = tdl::Ties::Shared;
};

/// A parameter takes this value after each step: an optimizer's new weight, or
/// a running statistic. Both have the same type.
struct Update {
  int parameter = 0, value = 0; // values
};

/// What the elements of an input of integers may be, all of them: both ends,
/// and one value beside these that counts for nothing.
struct InputRange {
  int64_t low = 0, high = 0;
  std::optional<int64_t> ignore;
};

using graph::GraphInputs;
using graph::InputRows;

/// Which row of its files each edge of a graph has.
struct EdgeRows : graph::EdgeRows {
  /// For each edge of the model, graph::edgeRows.
  std::shared_ptr<const std::vector<int64_t>> rows;
};

/// A graph that is part of the model: from nodes of one type to nodes of the
/// same or of another one.
struct KnownGraph {
  std::string type; // the type of nodes that edges lead to: its dimension
  bool isOfOneType = true;
  int64_t nodes = 0;                                   // of that type
  std::shared_ptr<const Tensor> sources, destinations; // i64[edges]
};

struct Model {
  std::string name; // file name without folders
  std::vector<Value> values;
  std::vector<int> inputs, outputs; // values; output names are the values'
  /// Outputs keep the model's names even where one value serves two outputs or
  /// is also an input.
  std::vector<std::string> outputNames;
  std::optional<int> loss; // number of the output that training makes small
  std::vector<Parameter> parameters;
  std::vector<Application> applications; // in topological order
  std::vector<Update> updates;
  std::map<int, InputRange> inputRanges; // by value, where one is known
  /// Those of parts of inputs, beside what holds for the whole.
  std::map<int, std::vector<PartRange>> partRanges;
  /// By value, which is an output, i64[]: how many rows a node has chosen, of
  /// so many at most. A run with more is refused.
  std::map<int, int64_t> mostRows;
  std::vector<GraphInputs> graphs;
  std::vector<KnownGraph> knownGraphs; // all of the model's, or none
  std::vector<EdgeRows> edgeRows;
  bool ownAlgorithm = false; // the updates are those of a whole training step
  /// Parameters that the file lists as the module's, whether or not anything
  /// here is computed of them; --freeze may name them.
  std::vector<std::string> listedParameters;
  /// Files that the model consists of (the model itself first, then external
  /// data, --ops files), for the hash in the plan.
  std::vector<std::string> files;
};

/// Drops applications and parameters that neither the outputs nor the updates
/// need.
void dropUnused(Model &model);

/// What the layers of a graph network sample when the plan runs (smexc
/// --sample-layers): each layer so many neighbours of each node, the last one
/// those of `batch` nodes, of one type, or of the nodes at both ends of `batch`
/// edges.
struct LayerSamples {
  graph::Fanouts fanouts;
  int64_t batch = 0;
};

/// What the command line says about the import.
struct ImportOptions {
  std::map<std::string, int64_t> dims;          // --dim NAME=VALUE
  std::map<std::string, std::string> constants; // --constant NAME=FILE
  std::map<std::string, int64_t> bounds;        // --bound NAME=ROWS
  std::vector<std::string> opsFiles;            // --ops FILE
  std::vector<std::string> graphs;              // --graph [NAME=]FILE
  /// --draw-missing-weights: those that are named, with their types, but not
  /// stored.
  bool drawMissingWeights = false;
  /// --graph-room SHARE: the graph is a sample, of those that the plan is run
  /// on.
  std::optional<double> graphRoom;
  /// --sample-layers: layers have edges of their own (Layers.h).
  std::optional<LayerSamples> sampleLayers;
  bool training = false; // keep what the model says about its next step
  /// With training, --freeze NAME: parameters that are not to be trained.
  std::vector<std::string> frozen;
  /// With training: take the model's own algorithm (TrainingInfoProto), if it
  /// has one.
  bool ownAlgorithm = false;
};

/// Reads a model by its extension, .onnx or .json. The error may have several
/// lines: everything unsupported is listed at once, with node names.
Result<Model> importModel(const std::string &path,
                          const ImportOptions &options);

} // namespace smex::frontend

#endif
