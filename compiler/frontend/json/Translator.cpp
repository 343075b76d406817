#include "compiler/frontend/json/Translator.h"

#include "compiler/frontend/onnx/Reader.h"
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

void Translator::model(Place place, onnx::ModelProto &model) {
  if (!object(place, {"$schema", "format", "version", "doc", "opset", "domains",
                      "inputs", "parameters", "nodes", "outputs", "functions",
                      "operators", "graph", "training"}))
    return;
  if (!place.json.contains("format") || place.json["format"] != "smex-model")
    error(place, "\"format\" must be \"smex-model\"");
  if (!place.json.contains("version") || place.json["version"] != 1)
    error(place, "\"version\" must be 1");
  std::vector<std::pair<std::string, int64_t>> versions;
  opsets(place, versions);
  if (!place.json.contains("opset"))
    versions.push_back({"", newestOpset});
  for (const auto &[domain, version] : versions) {
    auto *opset = model.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  }
  model.set_ir_version(onnx::IR_VERSION);
  if (place.json.contains("graph"))
    inputGraphs(place.at("graph"), model);
  if (place.json.contains("training"))
    trainingInput(place.at("training"), model);
  graph(place, *model.mutable_graph(), true);
  list(place, "functions",
       [&](Place item) { function(item, *model.add_functions()); });
  if (place.json.contains("operators")) {
    // Text, or its lines.
    std::string operators;
    if (place.json["operators"].is_string())
      operators = text(place.at("operators"));
    else
      names(place, "operators",
            [&](const std::string &line) { operators += line + "\n"; });
    auto *property = model.add_metadata_props();
    property->set_key(operatorsKey);
    property->set_value(operators);
  }
}

/// The name of an input, which this declares: is the model trained?
void Translator::trainingInput(Place place, onnx::ModelProto &model) {
  const std::string name = text(place);
  auto *input = model.mutable_graph()->add_input();
  input->set_name(name);
  auto *type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnxTypeOf(DType::Bool));
  type->mutable_shape();
  auto *property = model.add_metadata_props();
  property->set_key(trainingKey);
  property->set_value(name);
}

void Translator::graph(Place place, onnx::GraphProto &graph, bool typed) {
  list(place, "inputs",
       [&](Place item) { valueInfo(item, *graph.add_input(), typed); });
  list(place, "parameters",
       [&](Place item) { parameter(item, *graph.add_initializer()); });
  list(place, "nodes", [&](Place item) { node(item, *graph.add_node()); });
  list(place, "outputs",
       [&](Place item) { valueInfo(item, *graph.add_output(), false); });
}

/// A name, or an object with one; inputs need a type.
void Translator::valueInfo(Place place, onnx::ValueInfoProto &info,
                           bool typed) {
  if (place.json.is_string() && !typed) {
    info.set_name(place.json.get<std::string>());
    return;
  }
  if (!object(place, {"name", "type", "shape", "doc"}))
    return;
  for (const char *key : {"name", "type", "shape"})
    if (!place.json.contains(key) && (typed || key == std::string("name")))
      return error(place, std::string("\"") + key + "\" is missing");
  info.set_name(text(place.at("name")));
  if (!place.json.contains("type"))
    return;
  auto *type = info.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnxTypeOf(dtype(place.at("type"))));
  if (!place.json.contains("shape"))
    return;
  type->mutable_shape();
  list(place, "shape", [&](Place item) {
    auto *dim = type->mutable_shape()->add_dim();
    if (item.json.is_string())
      dim->set_dim_param(item.json.get<std::string>());
    else if (!item.json.is_null())
      dim->set_dim_value(integer(item));
  });
}

void Translator::node(Place place, onnx::NodeProto &node) {
  if (!object(place, {"op", "name", "domain", "inputs", "outputs", "attributes",
                      "doc"}))
    return;
  if (!place.json.contains("op"))
    return error(place, "\"op\" is missing");
  node.set_op_type(text(place.at("op")));
  if (place.json.contains("name"))
    node.set_name(text(place.at("name")));
  if (place.json.contains("domain"))
    node.set_domain(text(place.at("domain")));
  names(place, "inputs",
        [&](const std::string &name) { node.add_input(name); });
  names(place, "outputs",
        [&](const std::string &name) { node.add_output(name); });
  if (!place.json.contains("attributes"))
    return;
  const Place attributes = place.at("attributes");
  if (!attributes.json.is_object())
    return error(attributes, "must be an object");
  for (const auto &item : attributes.json.items()) {
    auto *made = node.add_attribute();
    made->set_name(item.key());
    attribute(attributes.at(item.key()), *made);
  }
}

void Translator::attribute(Place place, onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  const Json &json = place.json;
  if (json.is_boolean() || json.is_number_integer()) {
    attribute.set_type(Proto::INT);
    attribute.set_i(integer(place));
  } else if (json.is_number()) {
    attribute.set_type(Proto::FLOAT);
    attribute.set_f(float(json.get<double>()));
  } else if (json.is_string()) {
    attribute.set_type(Proto::STRING);
    attribute.set_s(json.get<std::string>());
  } else if (json.is_array()) {
    bool texts = !json.empty(), integers = true;
    for (const Json &item : json) {
      texts &= item.is_string();
      integers &= item.is_number_integer() || item.is_boolean();
    }
    attribute.set_type(texts      ? Proto::STRINGS
                       : integers ? Proto::INTS
                                  : Proto::FLOATS);
    for (size_t i = 0; i < json.size(); ++i)
      if (texts)
        attribute.add_strings(text(place.at(i)));
      else if (integers)
        attribute.add_ints(integer(place.at(i)));
      else
        attribute.add_floats(float(real(place.at(i))));
  } else if (!object(place, {"type", "shape", "values", "graph", "attribute",
                             "dimension", "real"})) {
    return;
  } else if (json.contains("graph")) {
    attribute.set_type(Proto::GRAPH);
    const Place inner = place.at("graph");
    if (object(inner, {"inputs", "parameters", "nodes", "outputs", "doc"}))
      graph(inner, *attribute.mutable_g(), false);
  } else if (json.contains("attribute")) { // of the function's call
    attribute.set_ref_attr_name(text(place.at("attribute")));
  } else if (json.contains("dimension")) { // of nobody's call, see Importer
    if (inFunction)
      error(place, "a function knows no dimension: give it as an attribute of "
                   "its call");
    attribute.set_ref_attr_name(text(place.at("dimension")));
  } else if (json.contains("real")) { // also inf and nan
    attribute.set_type(Proto::FLOAT);
    attribute.set_f(float(real(place.at("real"))));
  } else if (json.contains("values")) {
    attribute.set_type(Proto::TENSOR);
    tensor(place, *attribute.mutable_t());
  } else if (json.contains("type")) {
    attribute.set_type(Proto::TYPE_PROTO);
    attribute.mutable_tp()->mutable_tensor_type()->set_elem_type(
        onnxTypeOf(dtype(place.at("type"))));
  } else {
    error(place, "must be a number, text, a list, a type, a tensor or a graph");
  }
}

void Translator::function(Place place, onnx::FunctionProto &function) {
  if (!object(place, {"name", "domain", "inputs", "outputs", "attributes",
                      "nodes", "opset", "domains", "doc"}))
    return;
  if (!place.json.contains("name"))
    return error(place, "\"name\" is missing");
  function.set_name(text(place.at("name")));
  if (place.json.contains("domain"))
    function.set_domain(text(place.at("domain")));
  names(place, "inputs", [&](const std::string &n) { function.add_input(n); });
  names(place, "outputs",
        [&](const std::string &n) { function.add_output(n); });
  names(place, "attributes",
        [&](const std::string &n) { function.add_attribute(n); });
  inFunction = true;
  list(place, "nodes", [&](Place item) { node(item, *function.add_node()); });
  inFunction = false;
  std::vector<std::pair<std::string, int64_t>> versions;
  opsets(place, versions);
  for (const auto &[domain, version] : versions) {
    auto *opset = function.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
  }
}
