// How deep a model's messages are nested: the parser refuses more than it was
// allowed, but does not say that this was why.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_NESTING_H
#define SMEX_COMPILER_FRONTEND_ONNX_NESTING_H

#include <google/protobuf/io/zero_copy_stream.h>

namespace smex::frontend {

/// Messages within messages that are read; protobuf's own default. A subgraph
/// within a subgraph takes three: attribute, graph, node.
constexpr int maxNesting = 100;

/// Of a model that could not be parsed: was that why? The bytes may be
/// anything; the answer is for those before the first damage. Near the limit it
/// is yes.
bool nestsTooDeeply(google::protobuf::io::ZeroCopyInputStream &model);

} // namespace smex::frontend

#endif
