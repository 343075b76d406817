#include "compiler/emit/Graphs.h"

#include "dialects/smex/ir/GraphLayout.h"

using namespace mlir;
using namespace smex;

void emit::addGraph(plan::Program &program, DictionaryAttr graph) {
  const auto isAmong = [](const std::vector<plan::Port> &ports,
                          StringRef name) {
    return llvm::any_of(
        ports, [&](const plan::Port &port) { return name == port.name; });
  };
  const auto isInput = [&](StringRef name) {
    return isAmong(program.inputs, name);
  };
  const auto text = [&](StringRef key) {
    const auto name = graph.getAs<StringAttr>(key);
    return name ? name.str() : std::string();
  };
  const auto inputs = [&](StringRef key) {
    std::vector<std::string> names;
    if (const auto list = graph.getAs<ArrayAttr>(key))
      for (StringRef name : list.getAsValueRange<StringAttr>())
        if (isInput(name))
          names.push_back(name.str());
    return names;
  };
  plan::GraphInputs made;
  made.name = text("name");
  made.nodes = graph.getAs<IntegerAttr>("nodes").getInt();
  made.selfLoops = graph.getAs<BoolAttr>("self_loops").getValue();
  made.perNode = inputs("per_node");
  made.perEdge = inputs("per_edge");
  if (const auto list = graph.getAs<ArrayAttr>("edge_outputs"))
    for (StringRef name : list.getAsValueRange<StringAttr>())
      if (isAmong(program.outputs, name))
        made.edgeOutputs.push_back(name.str());
  made.nodeType = text("node_type");
  made.sourceType = text("source_type");
  for (const auto &[key, name] :
       {std::pair("sources", &made.sources),
        std::pair("destinations", &made.destinations),
        std::pair("types", &made.types), std::pair("values", &made.values),
        std::pair("added", &made.added)})
    if (isInput(text(key)))
      *name = text(key);
  if (const auto types = graph.getAs<IntegerAttr>("edge_types");
      types && !made.types.empty())
    made.edgeTypes = types.getInt();
  if (const auto from = graph.getAs<IntegerAttr>("source_nodes")) {
    made.sourceNodes = from.getInt();
    made.perSourceNode = inputs("per_source_node");
  }
  if (const auto graphs = graph.getAs<IntegerAttr>("graphs");
      graphs && isInput(text("graph_of"))) {
    made.graphs = graphs.getInt();
    made.graphOf = text("graph_of");
    made.perGraph = inputs("per_graph");
  }
  if (const auto layout = graph.getAs<DictionaryAttr>("layout")) {
    auto whole = semantic::layoutOf(layout, made.nodes);
    made.layout.emplace();
    made.layout->rooms = std::move(whole->rooms);
    for (const auto &[input, list] : whole->lists)
      if (isInput(input))
        made.layout->lists.push_back({input, list});
    if (made.layout->lists.empty())
      made.layout.reset();
  }
  // One of whose edges nobody reads anything is none of the program's.
  const bool reads = !made.sources.empty() || !made.destinations.empty() ||
                     !made.types.empty() || !made.values.empty() ||
                     !made.perEdge.empty();
  if (made.layout || reads)
    program.graphs.push_back(std::move(made));
}
