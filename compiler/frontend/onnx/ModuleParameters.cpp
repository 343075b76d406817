#include "compiler/frontend/onnx/ModuleParameters.h"

#include "compiler/frontend/onnx/Restorer.h"
#include "dialects/support/Text.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::frontend;

namespace {

/// Changes a graph as a Restorer has claimed.
class Changer {
public:
  Changer(onnx::GraphProto &graph, const StoredTensors &tensors)
      : graph(graph), tensors(tensors) {
    for (const auto &tensor : graph.initializer())
      names.insert(tensor.name());
    for (const auto &input : graph.input())
      names.insert(input.name());
    for (const auto &node : graph.node())
      names.insert(node.output().begin(), node.output().end());
  }

  bool isTaken(const std::string &name) const { return names.count(name) > 0; }

  void addParameter(const std::string &name, const Origin &origin) {
    const onnx::TensorProto &stored = *tensors.find(origin.stored);
    onnx::TensorProto tensor;
    if (origin.kind == Origin::Kind::Zeros ||
        origin.kind == Origin::Kind::Value) {
      Tensor value = origin.value;
      if (origin.kind == Origin::Kind::Zeros)
        value = makeTensor({*dtypeOf(stored.data_type()), origin.shape});
      tensor.set_data_type(stored.data_type());
      for (int64_t extent : value.type.shape)
        tensor.add_dims(extent);
      tensor.set_raw_data(value.bytes.data(), value.bytes.size());
    } else {
      tensor = stored;
      if (origin.kind == Origin::Kind::Transposed) {
        auto *entry = tensor.add_external_data();
        entry->set_key(transposedKey);
        entry->set_value("1");
      } else if (origin.kind == Origin::Kind::Flat) {
        const auto elements = elementCount(StoredTensors::shapeOf(stored));
        tensor.clear_dims();
        tensor.add_dims(elements.value_or(0));
      }
    }
    tensor.set_name(name);
    *graph.add_initializer() = std::move(tensor);
    names.insert(name);
  }

  /// The name of the copy; a node computes it.
  std::string add(const std::string &parameter, const Copy &copy) {
    if (copy.kind == Copy::Kind::Same)
      return parameter;
    const auto [known, isNew] = made.try_emplace(
        {parameter, int(copy.kind), copy.shape, copy.elements});
    if (!isNew)
      return known->second;
    const std::string name = known->second = freshName(parameter + ".copy");
    switch (copy.kind) {
    case Copy::Kind::Same:
      break;
    case Copy::Kind::Transposed: {
      auto *order = addNode("Transpose", {parameter}, name).add_attribute();
      order->set_name("perm");
      order->set_type(onnx::AttributeProto::INTS);
      order->add_ints(1);
      order->add_ints(0);
      break;
    }
    case Copy::Kind::Reshaped:
      addNode("Reshape", {parameter, addInts(copy.shape, name)}, name);
      break;
    case Copy::Kind::Expanded:
      addNode("Expand", {parameter, addInts(copy.shape, name)}, name);
      break;
    case Copy::Kind::Gathered: {
      const std::string flat = freshName(name + ".flat"),
                        chosen = freshName(name + ".elements");
      addNode("Reshape", {parameter, addInts({-1}, name)}, flat);
      addNode("Gather", {flat, addInts(copy.elements, name)}, chosen);
      addNode("Reshape", {chosen, addInts(copy.shape, name)}, name);
      break;
    }
    }
    return name;
  }

  /// The initializer as a constant, under a name of its own.
  std::string addConstant(const std::string &stored) {
    const auto [known, isNew] = constants.try_emplace(stored);
    if (isNew) {
      known->second = freshName(stored + ".constant");
      onnx::TensorProto tensor = *tensors.find(stored);
      tensor.set_name(known->second);
      *graph.add_initializer() = std::move(tensor);
    }
    return known->second;
  }

private:
  std::string freshName(const std::string &wanted) {
    std::string name = wanted;
    for (int i = 2; !names.insert(name).second; ++i)
      name = wanted + "_" + std::to_string(i);
    return name;
  }
  onnx::NodeProto &addNode(const char *op,
                           const std::vector<std::string> &inputs,
                           const std::string &output) {
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type(op);
    node.set_name(output);
    for (const std::string &input : inputs)
      node.add_input(input);
    node.add_output(output);
    return node;
  }
  std::string addInts(const std::vector<int64_t> &values,
                      const std::string &of) {
    onnx::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(freshName(of + ".numbers"));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(int64_t(values.size()));
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return tensor.name();
  }

  onnx::GraphProto &graph;
  const StoredTensors &tensors;
  std::set<std::string> names;
  std::map<
      std::tuple<std::string, int, std::vector<int64_t>, std::vector<int64_t>>,
      std::string>
      made;
  std::map<std::string, std::string> constants;
};

} // namespace

Status Restorer::apply(onnx::GraphProto &changed) const {
  Changer changer(changed, tensors);
  for (const auto &[name, origin] : origins) {
    if (changer.isTaken(name))
      return fail("\"", name, "\": the name of another value, too");
  }
  for (const auto &[name, origin] : origins)
    changer.addParameter(name, origin);
  for (const auto &[n, i] : detached)
    changed.mutable_node(n)->set_input(
        i, changer.addConstant(graph.node(n).input(i)));
  for (const Claim &claim : claims) {
    onnx::NodeProto &node = *changed.mutable_node(claim.node);
    while (node.input_size() <= claim.operand)
      node.add_input("");
    node.set_input(claim.operand, changer.add(claim.parameter, claim.copy));
  }
  return {};
}

Result<std::shared_ptr<const onnx::ModelProto>>
smex::frontend::withModuleParameters(
    std::shared_ptr<const onnx::ModelProto> model, const std::string &path,
    const std::vector<std::string> &frozen, const TensorSource &source) {
  ExporterNotes notes = readNotes(model->graph());
  if (notes.parameters.empty())
    return model;
  for (const std::string &name : notes.parameters)
    if (!isText(name))
      return fail(path, ": lists the parameter \"", printable(name),
                  "\", whose name is no text");
  Restorer restorer(model->graph(), std::move(notes), frozen, source);
  if (!restorer.isChanged())
    return model;
  std::vector<std::string> reasons = restorer.claim();
  auto changed = std::make_shared<onnx::ModelProto>();
  if (reasons.empty()) {
    *changed = *model;
    if (Status applied = restorer.apply(*changed->mutable_graph()); !applied)
      reasons.push_back(applied.error().message);
  }
  if (reasons.empty())
    return std::shared_ptr<const onnx::ModelProto>(std::move(changed));
  Error error;
  for (const std::string &reason : reasons)
    error.message += path + ": --train: " + reason + "\n";
  error.message += path +
                   ": --train: PyTorch's exporter has optimized the model; "
                   "export it with torch.onnx.export(..., optimize=False), or "
                   "leave out what is not to be trained with --freeze NAME";
  return error;
}
