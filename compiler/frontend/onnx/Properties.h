// metadata_props of ONNX messages: keys and values that exporters leave, of
// which the schema here, older than they are, knows nothing.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_PROPERTIES_H
#define SMEX_COMPILER_FRONTEND_ONNX_PROPERTIES_H

#include "onnx.pb.h"

#include <map>
#include <string>
#include <vector>

namespace smex::frontend {

using Properties = std::map<std::string, std::string>;

Properties propertiesOf(const onnx::GraphProto &graph);
Properties propertiesOf(const onnx::NodeProto &node);
Properties propertiesOf(const onnx::ValueInfoProto &value);

/// The property's value, or nothing.
std::string valueOf(const Properties &properties, const char *key);

/// The strings of a list as Python prints it: ['a', "b's"].
std::vector<std::string> stringsIn(const std::string &list);

} // namespace smex::frontend

#endif
