#include "compiler/frontend/onnx/NotedWeights.h"

#include "compiler/frontend/onnx/ExporterNotes.h"
#include "compiler/frontend/onnx/Properties.h"

#include <vector>

using namespace smex;
using namespace smex::frontend;

std::optional<std::unordered_set<std::string>>
smex::frontend::notedWeights(const onnx::GraphProto &graph) {
  const auto parameters = listedParameters(graph);
  // Also under its name is what was computed of it in its place.
  std::unordered_set<std::string> weights(parameters.begin(), parameters.end());
  for (const auto &value : graph.value_info()) {
    const Properties properties = propertiesOf(value);
    if (valueOf(properties, "pkg.torch.export.graph_signature.InputSpec."
                            "kind") == "PARAMETER")
      weights.insert(value.name());
    const std::string origins =
        valueOf(properties, "pkg.onnxscript.optimizer.folded_from");
    for (const std::string &parameter : parameters)
      if (origins.find("'" + parameter + "'") != std::string::npos)
        weights.insert(value.name());
  }
  if (weights.empty())
    return std::nullopt;
  return weights;
}
