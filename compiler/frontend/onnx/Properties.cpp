#include "compiler/frontend/onnx/Properties.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

using namespace smex;
using namespace smex::frontend;

/// The properties that fields of this number hold. ONNX has had them since
/// 1.16; its schema here is older, and leaves them as bytes.
static Properties propertiesIn(const std::string &unknownFields, int number) {
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

Properties smex::frontend::propertiesOf(const onnx::GraphProto &graph) {
  return propertiesIn(graph.unknown_fields(), 16);
}

Properties smex::frontend::propertiesOf(const onnx::NodeProto &node) {
  return propertiesIn(node.unknown_fields(), 9);
}

Properties smex::frontend::propertiesOf(const onnx::ValueInfoProto &value) {
  return propertiesIn(value.unknown_fields(), 4);
}

std::string smex::frontend::valueOf(const Properties &properties,
                                    const char *key) {
  const auto found = properties.find(key);
  return found == properties.end() ? "" : found->second;
}

std::vector<std::string> smex::frontend::stringsIn(const std::string &list) {
  std::vector<std::string> strings;
  for (size_t at = 0; at < list.size(); ++at) {
    const char quote = list[at];
    if (quote != '\'' && quote != '"')
      continue;
    std::string text;
    for (++at; at < list.size() && list[at] != quote; ++at) {
      if (list[at] == '\\' && at + 1 < list.size())
        ++at;
      text += list[at];
    }
    if (at < list.size())
      strings.push_back(std::move(text));
  }
  return strings;
}
