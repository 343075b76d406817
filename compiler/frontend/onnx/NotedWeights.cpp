#include "compiler/frontend/onnx/NotedWeights.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <map>
#include <vector>

using namespace smex;
using namespace smex::frontend;

namespace {

using Properties = std::map<std::string, std::string>;

/// The properties that fields of this number hold. ONNX has had them since
/// 1.16; its schema here is older, and leaves them as bytes.
Properties propertiesOf(const std::string &unknownFields, int number) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream input(
      reinterpret_cast<const uint8_t *>(unknownFields.data()),
      int(unknownFields.size()));
  const uint32_t wanted = WireFormatLite::MakeTag(
      number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  Properties found;
  while (const uint32_t tag = input.ReadTag()) {
    std::string bytes;
    onnx::StringStringEntryProto entry;
    if (tag != wanted) {
      if (!WireFormatLite::SkipField(&input, tag))
        break;
    } else if (!WireFormatLite::ReadBytes(&input, &bytes)) {
      break;
    } else if (entry.ParseFromString(bytes)) {
      found[entry.key()] = entry.value();
    }
  }
  return found;
}

std::string valueOf(const Properties &properties, const char *key) {
  const auto found = properties.find(key);
  return found == properties.end() ? "" : found->second;
}

/// The parameters that a signature lists: lines such as
/// `p_weight: PARAMETER target='weight'`.
std::vector<std::string> parametersIn(const std::string &signature) {
  const std::string mark = ": PARAMETER target='";
  std::vector<std::string> names;
  for (size_t at = signature.find(mark); at != std::string::npos;
       at = signature.find(mark, at + 1)) {
    const size_t first = at + mark.size();
    const size_t end = signature.find_first_of("'\n", first);
    names.push_back(signature.substr(first, end - first));
  }
  return names;
}

} // namespace

std::optional<std::unordered_set<std::string>>
smex::frontend::notedWeights(const onnx::GraphProto &graph) {
  constexpr int ofGraph = 16, ofValue = 4; // metadata_props
  const auto parameters =
      parametersIn(valueOf(propertiesOf(graph.unknown_fields(), ofGraph),
                           "pkg.torch.export.ExportedProgram."
                           "graph_signature"));
  // Also under its name is what was computed of it in its place.
  std::unordered_set<std::string> weights(parameters.begin(), parameters.end());
  for (const auto &value : graph.value_info()) {
    const Properties properties = propertiesOf(value.unknown_fields(), ofValue);
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
