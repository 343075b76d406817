// Builds a JSON model (compiler/frontend/json/README.md) node by node. Nothing
// but names and shapes is held, so a model of any size is a small file.
#ifndef SMEX_TOOLS_ZOO_MODELBUILDER_H
#define SMEX_TOOLS_ZOO_MODELBUILDER_H

#include "dialects/support/Result.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace smex::zoo {

/// Keys keep the order in which they are written.
using Json = nlohmann::ordered_json;

/// A tensor of the model, and what the layer that reads it has to know.
struct Value {
  std::string name;
  int64_t width = 0; // channels of an image, else features
};

using Shape = std::vector<int64_t>;

/// Names are paths, "layer3/step7/hidden"; the result of a node has its name.
class ModelBuilder {
public:
  /// `real`: the type of whatever is not an index, "f32", "f16" or "bf16".
  explicit ModelBuilder(std::string real = "f32") : real(std::move(real)) {}

  /// Operators as lambdas, for what ONNX lacks.
  void define(const std::string &lambda);

  Value image(const std::string &name, const Shape &shape);
  /// Indices below a vocabulary.
  Value tokens(const std::string &name, const Shape &shape);

  enum class SelfLoops { AsGiven, Added };
  /// The graph that messages pass along: declares the inputs `sources` and
  /// `destinations`, i64[edges].
  void inputGraph(SelfLoops loops);
  /// The same with edges of so many types: also declares `edge_types`.
  void typedGraph(int64_t relations);
  /// Of the graph that is declared: its edges have the numbers in its file.
  /// Declares the input of this name, [edges]. What self-loops have that are
  /// added.
  std::string edgeValues(const std::string &name,
                         std::optional<double> ofLoops = std::nullopt);
  /// An input of `width` features per edge, of a relation or of the one graph.
  Value edgeFeatures(const std::string &name, int64_t width,
                     const std::string &relation = "");
  /// Of the graph that is declared: it is a batch. Declares the dimension
  /// `graphs`, and `graph_of`, i64[nodes].
  void batchOfGraphs();
  /// Of a heterogeneous model: edges from nodes of one type to nodes of
  /// another, or the same.
  struct Relation {
    std::string name, from, to;
  };
  /// A graph for each relation R: declares `R/sources` and `R/destinations`,
  /// i64[R_edges]. Types are dimensions.
  void relations(const std::vector<Relation> &list);
  /// An input with an index below a vocabulary per node.
  Value nodeTokens(const std::string &name);
  /// An input of `width` features per node of a type.
  Value nodeFeatures(const std::string &name, int64_t width,
                     const std::string &type = "nodes");

  /// Drawn when the plan runs, from [-1/sqrt(fanIn), 1/sqrt(fanIn)).
  std::string weight(const std::string &name, const Shape &shape,
                     int64_t fanIn);
  /// As Glorot and Bengio have it, of a matrix from `in` to `out` features:
  /// from [-a, a), a = sqrt(6 / (in + out)).
  std::string glorot(const std::string &name, const Shape &shape, int64_t in,
                     int64_t out);
  /// A weight that starts as one number.
  std::string filled(const std::string &name, const Shape &shape,
                     double number);
  /// A parameter that no gradient reaches: a running statistic.
  std::string statistic(const std::string &name, const Shape &shape,
                        double number);
  /// Known when the model is compiled: shapes, axes, places.
  std::string integers(const std::string &name,
                       const std::vector<int64_t> &values);
  std::string integer(const std::string &name, int64_t value);
  /// One number as a tensor, no parameter.
  std::string constant(const std::string &name, double number);

  /// A scalar, true under --train: an input that smexc binds.
  std::string training();

  Value node(const std::string &op, const std::string &name,
             const std::vector<std::string> &inputs, int64_t width,
             Json attributes = Json::object());
  /// With more results than the first, which has the node's name.
  Value nodeWith(const std::vector<std::string> &furtherOutputs,
                 const std::string &op, const std::string &name,
                 const std::vector<std::string> &inputs, int64_t width,
                 Json attributes = Json::object());

  /// A graph as an attribute of a node, which has these inputs and gives what
  /// `build` does; it may read all values and parameters of the model.
  Json body(const std::vector<std::string> &inputs,
            const std::function<std::vector<Value>()> &build);

  /// The model's one output, by the name that users see.
  void output(const std::string &name, const Value &value);

  /// Weights that training changes, and nodes.
  int64_t weights() const { return weightCount; }
  size_t nodes() const { return nodeList.size(); }

  /// The file's text: a line for each input, parameter and node. An error if
  /// the sizes asked for are beyond what the format can hold.
  Result<std::string> text(const std::string &doc) const;

private:
  std::string parameter(const std::string &name, const Shape &shape,
                        const char *key, Json value, bool trained);
  /// Elements of a shape; too many are remembered as an error.
  int64_t count(const std::string &name, const Shape &shape);

  std::string real;
  std::vector<Json> inputList, parameterList, nodeList;
  std::vector<std::string> operatorList, outputList;
  Json graph; // null: none
  bool asksTraining = false;
  int64_t weightCount = 0;
  std::string tooLarge;
};

} // namespace smex::zoo

#endif
