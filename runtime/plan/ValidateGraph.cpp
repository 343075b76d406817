#include "runtime/plan/Validate.h"
#include "support/Text.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

class GraphValidator {
public:
  GraphValidator(const Program &program, Complaint &complaint)
      : program(program), graph(*program.graph), complaint(complaint) {}

  void run() {
    ends();
    for (const std::string &name : graph.perNode)
      if (!complaint && !isPerNode(name))
        complaint.add("graph.per_node: \"", printable(name),
                      "\" is no input with ", graph.nodes,
                      " rows, a row per node, or is there twice");
    if (graph.layout && !complaint)
      layout(*graph.layout);
  }

private:
  const Port *inputOf(const std::string &name) const {
    const auto found =
        std::find_if(program.inputs.begin(), program.inputs.end(),
                     [&](const Port &input) { return input.name == name; });
    return found == program.inputs.end() ? nullptr : &*found;
  }

  const TensorType &typeOf(const Port &input) const {
    return program.tensors[size_t(program.buffers[size_t(input.buffer)].tensor)]
        .type;
  }

  /// i64[edges]; nothing where a layout does without the end.
  std::optional<TensorType> typeOfEnds(const char *key,
                                       const std::string &name) {
    if (graph.layout && name.empty())
      return std::nullopt;
    const Port *input = inputOf(name);
    if (input && typeOf(*input).dtype == DType::I64 &&
        typeOf(*input).rank() == 1)
      return typeOf(*input);
    complaint.add("graph.", key, ": \"", printable(name),
                  "\" is no input of type i64[edges]");
    return std::nullopt;
  }

  void ends() {
    const auto from = typeOfEnds("sources", graph.sources);
    const auto to = typeOfEnds("destinations", graph.destinations);
    if (!complaint && from && to &&
        (*from != *to || graph.sources == graph.destinations))
      complaint.add("graph.destinations: must be another input than the "
                    "sources, of the same type");
    for (const auto &[key, type] :
         {std::pair("sources", from), std::pair("destinations", to)})
      if (!complaint && graph.layout && type &&
          type->shape[0] != graph.layout->rooms.edges)
        complaint.add("graph.", key, ": has ", type->shape[0],
                      " edges, and the layout ", graph.layout->rooms.edges);
  }

  bool isPerNode(const std::string &name) const {
    const Port *input = inputOf(name);
    return std::count(graph.perNode.begin(), graph.perNode.end(), name) == 1 &&
           input && typeOf(*input).rank() > 0 &&
           typeOf(*input).shape[0] == graph.nodes;
  }

  void layout(const GraphLayout &layout) {
    if (Status sound = graph::check(layout.rooms); !sound)
      return complaint.add("graph.layout.", sound.error().message);
    std::set<std::string> seen = {graph.sources, graph.destinations};
    for (size_t i = 0; i < layout.lists.size() && !complaint; ++i) {
      const auto &[name, list] = layout.lists[i];
      const auto refuse = [&](auto &&...parts) {
        complaint.add("graph.layout.lists[", i, "]: ", parts...);
      };
      const auto wanted = graph::typeOf(list, layout.rooms);
      const Port *input = inputOf(name);
      if (!wanted)
        refuse("the layout has no ", graph::name(list.kind), " of ", list.at,
               list.from ? " from " + std::to_string(list.from) : "");
      else if (!input || typeOf(*input) != wanted->type)
        refuse("\"", printable(name), "\" is no input of type ",
               toString(wanted->type));
      else if (input->derived || !seen.insert(name).second)
        refuse("\"", printable(name), "\" is another list, too");
    }
  }

  const Program &program;
  const GraphInputs &graph;
  Complaint &complaint;
};

} // namespace

void plan::validateGraph(const Program &program, Complaint &complaint) {
  if (program.graph)
    GraphValidator(program, complaint).run();
}
