// Names go into messages, file names and the plan's JSON; protobuf lets any
// bytes through as one.
#include "compiler/frontend/onnx/Reader.h"
#include "dialects/support/Text.h"

using namespace smex;
using namespace smex::frontend;

namespace {
class NameChecker {
public:
  /// What has a name that is not text, or nothing.
  std::string found;

  void model(const onnx::ModelProto &model) {
    graph(model.graph());
    for (const auto &function : model.functions()) {
      check("function", function.name());
      for (const auto &name : function.input())
        check("value", name);
      for (const auto &name : function.output())
        check("value", name);
      for (const auto &each : function.node())
        node(each);
    }
  }

private:
  void check(const char *kind, const std::string &name) {
    if (found.empty() && !isText(name))
      found = std::string(kind) + " \"" + printable(name) + "\"";
  }

  /// As deep as messages nest: protobuf has a limit of its own.
  void graph(const onnx::GraphProto &graph) {
    for (const auto &input : graph.input()) {
      check("input", input.name());
      for (const auto &dim : input.type().tensor_type().shape().dim())
        check("dimension", dim.dim_param());
    }
    for (const auto &output : graph.output())
      check("output", output.name());
    for (const auto &tensor : graph.initializer())
      check("initializer", tensor.name());
    for (const auto &sparse : graph.sparse_initializer())
      check("initializer", sparse.values().name());
    for (const auto &each : graph.node())
      node(each);
  }

  void node(const onnx::NodeProto &node) {
    check("node", node.name());
    check("operator", node.op_type());
    check("domain", node.domain());
    for (const auto &name : node.input())
      check("value", name);
    for (const auto &name : node.output())
      check("value", name);
    for (const auto &attribute : node.attribute()) {
      check("attribute", attribute.name());
      if (attribute.has_g())
        graph(attribute.g());
    }
  }
};
} // namespace

Status smex::frontend::checkNames(const onnx::ModelProto &model,
                                  const std::string &path) {
  NameChecker checker;
  checker.model(model);
  if (checker.found.empty())
    return {};
  return fail(path, ": the name of ", checker.found,
              " is not UTF-8, or holds a line break or another control "
              "character: rename it");
}
