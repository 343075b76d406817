// What a model says of the graphs that it works on.
#include "compiler/frontend/json/Translator.h"

using namespace smex;
using namespace smex::frontend;

/// One graph, or a list.
void Translator::inputGraphs(Place place, onnx::ModelProto &model) {
  std::vector<InputGraph> graphs;
  const size_t wrongBefore = errors.size();
  if (place.json.is_array())
    for (size_t i = 0; i < place.json.size(); ++i)
      graphs.push_back(inputGraph(place.at(i), *model.mutable_graph()));
  else
    graphs.push_back(inputGraph(place, *model.mutable_graph()));
  if (const std::string wrong = wrongTogether(graphs);
      !wrong.empty() && errors.size() == wrongBefore)
    error(place, wrong);
  auto *property = model.add_metadata_props();
  property->set_key(graphKey);
  property->set_value(toText(graphs));
}

/// Names of dimensions and of inputs, which this declares.
InputGraph Translator::inputGraph(Place place, onnx::GraphProto &graph) {
  InputGraph names;
  if (!object(place, {"name", "nodes", "edges", "sources", "destinations",
                      "self_loops", "types", "relations", "graphs", "graph_of",
                      "values", "added", "loop_rows", "doc"}))
    return names;
  const size_t wrongBefore = errors.size();
  const auto take = [&](const char *key, std::string &name) {
    if (!place.json.contains(key))
      return error(place, std::string("\"") + key + "\" is missing");
    name = text(place.at(key));
  };
  if (place.json.contains("name"))
    take("name", names.name);
  ends(place, names);
  take("edges", names.edges);
  take("sources", names.sources);
  take("destinations", names.destinations);
  if (place.json.contains("self_loops")) {
    if (!place.json["self_loops"].is_boolean())
      error(place.at("self_loops"), "must be true or false");
    names.selfLoops = place.json["self_loops"] == true;
  }
  std::vector<std::string> inputs = {names.sources, names.destinations};
  if (place.json.contains("types"))
    inputs.push_back(names.types = text(place.at("types")));
  if (place.json.contains("relations"))
    names.relations = integer(place.at("relations"));
  for (const auto &[key, member] : {std::pair("graphs", &InputGraph::graphs),
                                    std::pair("graph_of", &InputGraph::graphOf),
                                    std::pair("values", &InputGraph::values),
                                    std::pair("added", &InputGraph::added)})
    if (place.json.contains(key))
      names.*member = text(place.at(key));
  if (place.json.contains("loop_rows"))
    loopRows(place.at("loop_rows"), names);
  if (const std::string wrong = wrongGraph(names);
      !wrong.empty() && errors.size() == wrongBefore)
    error(place, wrong);
  const auto declare = [&](const std::string &name, const std::string &rows,
                           DType dtype = DType::I64) {
    auto *input = graph.add_input();
    input->set_name(name);
    auto *type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnxTypeOf(dtype));
    type->mutable_shape()->add_dim()->set_dim_param(rows);
  };
  for (const std::string &name : inputs)
    declare(name, names.edges);
  if (!names.graphOf.empty())
    declare(names.graphOf, names.sourceNodes);
  if (!names.values.empty())
    declare(names.values, names.edges, DType::F32);
  if (!names.added.empty())
    declare(names.added, names.edges, DType::Bool);
  return names;
}

/// By input: a number, "mean", or {"parameter": NAME}.
void Translator::loopRows(Place place, InputGraph &graph) {
  if (!place.json.is_object())
    return error(place, "must be an object: for each input with a row per edge "
                        "what self-loops have");
  for (const auto &entry : place.json.items()) {
    const Json &json = entry.value();
    const Place item = place.at(entry.key());
    LoopRow &row = graph.loopRows[entry.key()];
    if (json.is_object()) {
      row.kind = LoopRow::Kind::Parameter;
      if (!json.contains("parameter"))
        error(item, "\"parameter\" is missing");
      else if (object(item, {"parameter"}))
        row.parameter = text(item.at("parameter"));
    } else if (json.is_string()) {
      row.kind = LoopRow::Kind::Mean;
      if (json != "mean")
        error(item, "must be a number, \"mean\", or {\"parameter\": NAME}");
    } else {
      row.number = real(item);
    }
  }
}

/// The dimension of the nodes, or one for those at each end.
void Translator::ends(Place place, InputGraph &graph) {
  if (!place.json.contains("nodes"))
    return error(place, "\"nodes\" is missing");
  const Place nodes = place.at("nodes");
  if (!nodes.json.is_object()) {
    graph.sourceNodes = graph.destinationNodes = text(nodes);
    return;
  }
  object(nodes, {"sources", "destinations"});
  for (const char *key : {"sources", "destinations"})
    if (!nodes.json.contains(key))
      return error(nodes, std::string("\"") + key + "\" is missing");
  graph.sourceNodes = text(nodes.at("sources"));
  graph.destinationNodes = text(nodes.at("destinations"));
}
