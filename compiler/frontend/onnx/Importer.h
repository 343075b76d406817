// Walks an ONNX graph: scopes, order, functions, control flow that can be
// decided at compile time. What a node means is in the import table.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_IMPORTER_H
#define SMEX_COMPILER_FRONTEND_ONNX_IMPORTER_H

#include "compiler/frontend/onnx/InputGraph.h"
#include "compiler/frontend/onnx/Lengths.h"
#include "compiler/frontend/onnx/Node.h"
#include "dialects/smex/lists/Rooms.h"
#include "runtime/graph/Graph.h"

#include <unordered_map>
#include <unordered_set>

namespace smex::frontend {

/// Values by name; names of an outer graph are visible in an inner one.
struct Scope {
  const Scope *outer = nullptr;
  std::unordered_map<std::string, ValueId> values;

  /// The value, or noValue where no scope has the name.
  ValueId find(const std::string &name) const;
};

/// A value whose node could not be imported; nodes that need it are skipped in
/// silence, or one unsupported node would be reported with all its readers.
constexpr ValueId failedValue = -2;

/// What the nodes of one graph or function share.
struct Surroundings {
  std::string prefix; // of node and value names
  std::map<std::string, int64_t> opsets;
  /// Inside a function: the attributes of the call.
  const AttributeMap *call = nullptr;
  int depth = 0;
};

/// A graph that --graph has given: the one that the model works on, or a sample
/// of those that it will. Its edges are in the canonical order, that of the
/// inputs. Or, with --sample-layers, what runs sample, of which nothing is
/// known but how many messages a node gets at most.
struct BoundGraph {
  int64_t nodes = 0; // as many as the end that has more
  int64_t sourceNodes = 0, destinationNodes = 0;
  std::shared_ptr<const Tensor> sources, destinations; // i64[edges]
  /// The input that says where edges lead, and the value that it is.
  std::string destinationsName;
  ValueId destinationsValue = noValue;
  /// Where the features of each edge are (graph::edgeRows), of so many.
  std::shared_ptr<const graph::Numbers> edgeRows;
  int64_t fileEdges = 0;
  /// Of a sample: how much more the plan has room for (graph::Rooms).
  std::optional<double> share;
  /// With --sample-layers; -1: any number.
  std::optional<int64_t> mostMessages;
  bool isOfOneType = true; // nodes at both ends
  graph::Rooms rooms;
  /// Lists of places that nodes of the model have asked for: constants, or
  /// inputs of the numbers given.
  std::map<graph::GraphList, ValueId> lists;
  std::vector<std::pair<size_t, graph::GraphList>> inputs;
  /// Of the one graph, where there is room for no other.
  std::map<graph::GraphList, Tensor> values;

  graph::Graph edges() const;
};

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Whether the model's own training algorithms are to be imported, and the
/// model whose graph they have become a part of.
bool hasOwnAlgorithm(const onnx::ModelProto &model,
                     const ImportOptions &options);
std::shared_ptr<const onnx::ModelProto>
withAlgorithms(const onnx::ModelProto &model);

/// The model with a tensor for each element of an input that is a sequence or
/// an optional (PlainInputs.cpp). Takes their lengths from the options' dims.
Result<std::shared_ptr<const onnx::ModelProto>>
withPlainInputs(std::shared_ptr<const onnx::ModelProto> model,
                const std::string &path, ImportOptions &options);

class Importer {
public:
  Importer(std::shared_ptr<const onnx::ModelProto> model, std::string path,
           const ImportOptions &options,
           std::map<std::string, int64_t> rowsAsIf = {});
  /// As if there were so many rows of the nodes that choose some.
  Result<SampledModel> run();

private:
  // BindGraphs.cpp
  std::vector<std::vector<std::string>>
  graphFiles(const std::vector<InputGraph> &declared);
  void bindGraphs(Scope &scope);
  void bindGraph(const InputGraph &names, const std::vector<std::string> &from,
                 std::map<std::string, std::string> &origins, Scope &scope);
  std::optional<int64_t> batchRoom(const InputGraph &names,
                                   const BoundGraph &bound, int64_t graphs);
  InputRows inputRows(const Model &result, const std::string &dimension) const;
  bool addBatch(const Model &result, const InputGraph &names,
                GraphInputs &inputs) const;
  std::optional<GraphInputs> openGraph(const Model &result,
                                       const InputGraph &names) const;
  std::vector<GraphInputs> openGraphs(const Model &result) const;
  std::vector<KnownGraph> knownGraphs() const;

  // EdgeInputs.cpp: what has a row per edge.
  std::vector<std::string> edgeInputs(const InputGraph &names) const;
  bool isOfEdges(const std::string &input) const;
  void bindEdgeConstants(const InputGraph &names, const BoundGraph &bound,
                         Scope &scope);
  void checkEdgeInputs();
  void addLoopRows(Scope &scope);
  void addLoopRow(const InputGraph &names, const std::string &input,
                  const LoopRow &row, Scope &scope);
  std::vector<EdgeRows> edgeRows(const Model &result) const;

  // GraphLists.cpp
  void addSampledGraphs();
  /// `canSample`: what layers sample will do in place of a graph.
  BoundGraph &graphFor(Node &node, bool canSample = false);
  void addSampledBuckets(Node &node, BoundGraph &graph);
  void addBuckets(Node &node, BoundGraph &graph);
  void addLevels(Node &node, BoundGraph &graph);
  void addValues(Node &node, BoundGraph &graph, const graph::Rooms &rooms);
  ValueId listOf(Node &node, BoundGraph &graph, const graph::GraphList &list);
  void addListRanges(Model &result) const;
  ValueId rowsAt(Node &node, BoundGraph &graph, ValueId x,
                 const graph::GraphList &list);

  // Inputs.cpp: the graph's interface.
  void bindConstants(Scope &scope);
  void bindMode(Scope &scope);
  void addInitializers(Scope &scope);
  void drawWeights(Scope &scope);
  void addInputs(Scope &scope);
  void addInput(const onnx::ValueInfoProto &input, Scope &scope);
  std::optional<std::vector<int64_t>>
  bindShape(const onnx::ValueInfoProto &input);
  void reportUnboundDims();
  void addElements(const std::string &name, ValueId sequence,
                   std::unordered_set<std::string> &names,
                   std::vector<std::pair<std::string, ValueId>> &outputs);
  void checkOutput(const onnx::ValueInfoProto &output, ValueId v);

  // Importer.cpp
  void addOpsFiles();
  static constexpr int64_t mostNodes = 1000000;
  static constexpr int64_t longestLoop = 100000; // in iterations
  static constexpr const char *tooManyNodes =
      "more than a million nodes, once functions and loops are expanded";
  bool importNodes(const NodeList &nodes, Scope &scope, const Surroundings &in);
  void importNode(const onnx::NodeProto &proto, Scope &scope,
                  const Surroundings &in);
  /// What converts an operator that is in no row of the table, since it has
  /// bodies or asks the importer; or null.
  using ConvertApart = void (Importer::*)(Node &node, Scope &scope,
                                          const Surroundings &in);
  static ConvertApart importedApart(const std::string &domain,
                                    const std::string &op);
  void convert(Node &node, const onnx::NodeProto &proto, Scope &scope,
               const Surroundings &in);
  const onnx::AttributeProto *
  dimensionAttribute(Node &node, const onnx::AttributeProto &attribute);
  std::string nodeName(const onnx::NodeProto &proto, const Surroundings &in);
  void report(const Node &node, const Surroundings &in, std::string reason);
  void error(std::string message);
  void addError(const Error &error); // names its file
  Error allErrors() const;

  // Training.cpp
  void importGradient(Node &node, Scope &scope, const Surroundings &in);
  void bindUpdates(const Scope &scope);
  std::optional<int>
  lossAmong(const std::vector<std::pair<std::string, ValueId>> &outputs,
            const Model &result) const;

  // Order.cpp
  std::vector<int> orderOf(const NodeList &nodes, const Scope &scope,
                           const Surroundings &in);

  // Scan.cpp
  void importScan(Node &node, Scope &scope, const Surroundings &in);
  /// `length`: how many elements count, of as many as there are; noValue: all.
  std::vector<ValueId> scan(Node &node, const std::vector<ValueId> &operands,
                            int64_t scanned, ValueId length,
                            const std::string &label, Scope &scope,
                            const Surroundings &in);

  // ControlFlow.cpp
  void callFunction(Node &node, const onnx::FunctionProto &function,
                    const Surroundings &in);
  void importIf(Node &node, Scope &scope, const Surroundings &in);
  void importLoop(Node &node, Scope &scope, const Surroundings &in);
  void importSequenceMap(Node &node, Scope &scope, const Surroundings &in);
  void requireRoom(const Node &node, int64_t before, int64_t left) const;
  int64_t leastNodes(const onnx::FunctionProto &function, int depth);
  std::vector<ValueId> importBody(Node &node, const onnx::GraphProto &body,
                                  const std::vector<ValueId> &inputs,
                                  const std::string &label, Scope &scope,
                                  const Surroundings &in);

  // FlexAttention.cpp
  void importFlexAttention(Node &node, Scope &scope, const Surroundings &in);

  // Selection.cpp
  bool choosesRows(const Node &node, const std::string &op);
  ValueId placesOf(Node &node, ValueId flags);
  void importNonZero(Node &node);
  void importCompress(Node &node);
  void importUnique(Node &node);
  void importSlice(Node &node);
  void importBoxes(Node &node);
  int64_t addRows(Node &node, int64_t extent, ValueId count);
  std::vector<std::string> boundsOf(const Node &node) const;
  void checkBounds();

  // Mailboxes.cpp
  struct Mailboxes;
  void reduceMailboxes(Node &node, Scope &scope, const Surroundings &in);
  void reduceMailboxesAt(Node &node, Scope &scope, const Surroundings &in);
  void reduceIn(Node &node, const Mailboxes &mailboxes, size_t firstFeature,
                Scope &scope, const Surroundings &in);
  Mailboxes mailboxesOf(Node &node, BoundGraph &graph);
  BoundGraph *graphLedBy(const Node &node);

  // MessagePassing.cpp
  void propagate(Node &node, Scope &scope, const Surroundings &in);

  std::shared_ptr<const onnx::ModelProto> model;
  std::string path, file;
  const ImportOptions &options;
  const std::map<std::string, int64_t> rowsAsIf;
  TensorSource source;
  std::map<std::string, BoundGraph> boundGraphs; // by name
  /// Of inputs with a row per edge of a graph that is given, until it is bound:
  /// the files of --constant and what is in them.
  std::map<std::string, std::pair<std::string, Tensor>> edgeConstants;
  std::vector<std::string> files;
  Builder builder;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *>
      functions;
  std::map<std::string, int64_t> dims;
  std::map<std::string, onnx::AttributeProto> dimensionValues; // by its name
  std::unordered_set<std::string> dimsSeen;
  /// Symbolic dimensions without a value, with the inputs that they are of.
  std::map<std::string, std::vector<std::string>> unbound;
  std::unordered_set<std::string> nodeNames;
  std::unordered_map<std::string, int> unnamed; // nodes per operator
  std::unordered_map<const onnx::TensorProto *, ValueId> bodyInitializers;
  int64_t visited = 0;
  std::optional<ValueId> loss;     // what the model's own gradients are of
  std::vector<CountedRows> chosen; // their counts: ValueIds
  /// Names of --bound that a node, or its first output, has; of these, the ones
  /// of nodes that choose rows.
  std::set<std::string> seenBounds, usedBounds;
  std::map<std::string, int64_t> decisions;
  std::map<std::string, std::vector<int64_t>> shapes;
  std::unordered_map<const onnx::FunctionProto *, int64_t> sizes; // leastNodes
  std::vector<std::string> errors;
  /// The environment's where a file could not be read for its reasons.
  Fault fault = Fault::Input;
};

} // namespace smex::frontend

#endif
