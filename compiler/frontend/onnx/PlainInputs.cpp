// Sequences and optional values as inputs of a model, whose lengths are known
// when it is compiled: an input for each element.
#include "compiler/frontend/onnx/Importer.h"

using namespace smex;
using namespace smex::frontend;

static bool isPlain(const onnx::ValueInfoProto &input) {
  return !input.type().has_sequence_type() && !input.type().has_optional_type();
}

namespace {
/// Rewrites the inputs of one graph.
class Rewriter {
public:
  Rewriter(onnx::GraphProto &graph, const std::string &path,
           ImportOptions &options)
      : graph(graph), path(path), options(options) {}

  Status run() {
    const auto before = graph.input();
    graph.clear_input();
    for (const auto &input : before) {
      if (isPlain(input)) {
        *graph.add_input() = input;
        continue;
      }
      if (Status done = rewrite(input); !done)
        return done;
    }
    for (const auto &node : made)
      *graph.add_node() = node;
    return {};
  }

private:
  Status rewrite(const onnx::ValueInfoProto &input) {
    const std::string &name = input.name();
    const bool optional = input.type().has_optional_type();
    const onnx::TypeProto type =
        optional ? input.type().optional_type().elem_type() : input.type();
    const auto given = options.dims.find(name);
    int64_t length = type.has_sequence_type() ? -1 : 1;
    if (given != options.dims.end()) {
      length = given->second;
      options.dims.erase(given);
    }
    const std::string what = path + ": input \"" + name + "\" is " +
                             (optional ? "an optional" : "a sequence");
    if (length < 0)
      return fail(what, ": say how many elements it has, with --dim ", name,
                  "=N; they are the inputs \"", name, ".0\", \"", name,
                  ".1\" ..");
    if (length > 100000 || (!type.has_sequence_type() && length > 1))
      return fail(what, ", which cannot have ", length, " elements");
    onnx::NodeProto node;
    node.set_name(name);
    node.add_output(name);
    node.set_op_type(optional && length == 0 ? "Optional" : "Identity");
    if (type.has_sequence_type()) {
      const onnx::TypeProto &element = type.sequence_type().elem_type();
      if (!element.has_tensor_type())
        return fail(what, " of something else than tensors, which is not "
                          "supported");
      if (!optional || length > 0)
        node.set_op_type(length ? "SequenceConstruct" : "SequenceEmpty");
      for (int64_t i = 0; i < length; ++i)
        node.add_input(addInput(name + "." + std::to_string(i), element));
    } else if (length == 1) { // an optional tensor
      addInput(name, type);
      return {};
    }
    made.push_back(node);
    return {};
  }

  std::string addInput(const std::string &name, const onnx::TypeProto &type) {
    auto *input = graph.add_input();
    input->set_name(name);
    *input->mutable_type() = type;
    if (!type.tensor_type().has_shape())
      return name;
    // Elements of a sequence may differ in a dimension that has a name: each
    // has its own, unless --dim gives one for all.
    auto *shape = input->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (auto &dim : *shape->mutable_dim())
      if (dim.has_dim_param() && !options.dims.count(dim.dim_param()))
        dim.clear_dim_param();
    return name;
  }

  onnx::GraphProto &graph;
  const std::string &path;
  ImportOptions &options;
  std::vector<onnx::NodeProto> made;
};
} // namespace

Result<std::shared_ptr<const onnx::ModelProto>>
smex::frontend::withPlainInputs(std::shared_ptr<const onnx::ModelProto> model,
                                const std::string &path,
                                ImportOptions &options) {
  bool plain = true;
  for (const auto &input : model->graph().input())
    plain &= isPlain(input);
  if (plain)
    return {std::move(model)};
  auto copy = std::make_shared<onnx::ModelProto>(*model);
  if (Status done = Rewriter(*copy->mutable_graph(), path, options).run();
      !done)
    return done.takeError();
  return {std::shared_ptr<const onnx::ModelProto>(std::move(copy))};
}
