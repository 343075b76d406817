// One JSON model on its way to an ONNX model.
#ifndef SMEX_COMPILER_FRONTEND_JSON_TRANSLATOR_H
#define SMEX_COMPILER_FRONTEND_JSON_TRANSLATOR_H

#include "compiler/frontend/onnx/InputGraph.h"
#include "dialects/support/Tensor.h"
#include "onnx.pb.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace smex::frontend {

using Json = nlohmann::json;

/// A JSON value with its place in the file, "nodes[3].inputs[0]": what messages
/// name.
struct Place {
  const Json &json;
  std::string path;

  Place at(const std::string &key) const {
    return {json.at(key), path.empty() ? key : path + "." + key};
  }
  Place at(size_t i) const {
    return {json.at(i), path + "[" + std::to_string(i) + "]"};
  }
};

class Translator {
public:
  Translator(std::string file, std::string folder, bool drawMissing)
      : file(std::move(file)), folder(std::move(folder)),
        drawMissing(drawMissing) {}

  void model(Place place, onnx::ModelProto &model);
  /// All that is wrong, one line each.
  std::vector<std::string> errors;
  /// The environment's where a file could not be read for its reasons.
  Fault fault = Fault::Input;

private:
  // Translator.cpp
  /// `typed`: inputs must say their types.
  void graph(Place place, onnx::GraphProto &graph, bool typed);
  void trainingInput(Place place, onnx::ModelProto &model);
  void node(Place place, onnx::NodeProto &node);
  void attribute(Place place, onnx::AttributeProto &attribute);
  void function(Place place, onnx::FunctionProto &function);
  void valueInfo(Place place, onnx::ValueInfoProto &info, bool typed);

  // Graphs.cpp
  void inputGraphs(Place place, onnx::ModelProto &model);
  InputGraph inputGraph(Place place, onnx::GraphProto &graph);
  void ends(Place place, InputGraph &graph);
  void loopRows(Place place, InputGraph &graph);

  // Tensors.cpp
  void parameter(Place place, onnx::TensorProto &tensor);
  void tensor(Place place, onnx::TensorProto &tensor);
  bool tensorType(Place place, TensorType &type, onnx::TensorProto &tensor);
  void values(Place place, const TensorType &type, onnx::TensorProto &tensor);
  void fileData(Place place, const TensorType &type, onnx::TensorProto &tensor);

  // Fields.cpp: each reports what is wrong and then returns something harmless.
  bool object(Place place, std::initializer_list<const char *> keys);
  std::string text(Place place);
  int64_t integer(Place place);
  double real(Place place);
  DType dtype(Place place);
  template <typename Each> void list(Place place, const char *key, Each each);
  template <typename Add> void names(Place place, const char *key, Add add);
  void opsets(Place place, std::vector<std::pair<std::string, int64_t>> &list);
  void error(const Place &place, const std::string &message);
  void error(const Place &place, const Error &reason);

  std::string file, folder;
  bool drawMissing; // ImportOptions::drawMissingWeights
  bool inFunction = false;
};

/// ONNX's number for a type.
int onnxTypeOf(DType type);

template <typename Each>
void Translator::list(Place place, const char *key, Each each) {
  if (!place.json.contains(key))
    return;
  const Place items = place.at(key);
  if (!items.json.is_array())
    return error(items, "must be a list");
  for (size_t i = 0; i < items.json.size(); ++i)
    each(items.at(i));
}

template <typename Add>
void Translator::names(Place place, const char *key, Add add) {
  list(place, key, [&](Place item) { add(text(item)); });
}

} // namespace smex::frontend

#endif
