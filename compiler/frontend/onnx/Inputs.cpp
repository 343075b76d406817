// The model's interface: inputs and their symbolic dimensions, initializers,
// inputs bound to constants, outputs.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/frontend/onnx/Narrow.h"
#include "compiler/frontend/onnx/NotedWeights.h"

#include "runtime/io/Npy.h"
#include "runtime/io/TensorProto.h"

using namespace smex;
using namespace smex::frontend;

static bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void Importer::bindConstants(Scope &scope) {
  std::unordered_map<std::string, const onnx::ValueInfoProto *> inputs;
  for (const auto &input : model->graph().input())
    inputs[input.name()] = &input;
  for (const auto &[name, valueFile] : options.constants) {
    const auto input = inputs.find(name);
    if (input == inputs.end()) {
      error("has no input \"" + name + "\" to bind with --constant");
      continue;
    }
    auto value = endsWith(valueFile, ".pb") ? io::readTensorProto(valueFile)
                                            : io::readNpy(valueFile);
    if (!value) {
      addError(value.error());
      continue;
    }
    const auto &type = input->second->type().tensor_type();
    const bool ofEdges = !options.graphs.empty() && isOfEdges(name);
    const NarrowType *narrow = narrowType(type.elem_type());
    const auto declared =
        narrow ? std::optional(narrow->storage) : dtypeOf(type.elem_type());
    bool fits = declared == value->type.dtype &&
                (!type.has_shape() ||
                 type.shape().dim_size() == int(value->type.rank()));
    for (int d = 0; fits && type.has_shape() && d < type.shape().dim_size();
         ++d) {
      const auto &dim = type.shape().dim(d);
      const int64_t size = value->type.shape[d];
      if (dim.has_dim_value())
        fits = dim.dim_value() == size;
      else if (d == 0 && ofEdges)
        continue; // --graph says how many edges there are
      else if (dim.has_dim_param() && !dim.dim_param().empty())
        fits = dims.emplace(dim.dim_param(), size).first->second == size;
      dimsSeen.insert(dim.dim_param());
    }
    if (!fits) {
      error("input \"" + name + "\" is not of type " + toString(value->type) +
            ", which is in " + valueFile);
      continue;
    }
    if (ofEdges && narrow) {
      error("input \"" + name + "\" has a row per edge and elements of type " +
            onnxTypeName(type.elem_type()) +
            ", which --constant does not bind: convert them");
      continue;
    }
    if (ofEdges) {
      edgeConstants[name] = {valueFile, std::move(*value)};
      continue;
    }
    ValueId &bound = scope.values[name];
    bound = builder.addConstant(std::move(*value), name);
    builder.setName(bound, name);
    if (narrow)
      bound = builder.addStored(bound, narrow->number);
  }
}

/// The input that says whether the model is trained, unless --constant has said
/// so.
void Importer::bindMode(Scope &scope) {
  for (const auto &property : model->metadata_props()) {
    if (property.key() != trainingKey || scope.values.count(property.value()))
      continue;
    const std::string &name = property.value();
    Tensor mode = makeTensor({DType::Bool, {}});
    mode.bytes[0] = std::byte(options.training);
    scope.values[name] = builder.addConstant(std::move(mode), name);
    builder.setName(scope.values[name], name);
  }
}

void Importer::addInitializers(Scope &scope) {
  const auto addChecked = [&](const std::string &name, auto make) {
    if (options.constants.count(name) && scope.values.count(name))
      return;
    if (name.empty())
      error("an initializer has no name");
    else if (scope.values.count(name))
      error("initializer \"" + name + "\" is there twice");
    else
      make();
  };
  const auto weights = notedWeights(model->graph());
  for (const auto &tensor : model->graph().initializer())
    addChecked(tensor.name(), [&] {
      auto stored = readTensor(tensor, source);
      if (!stored)
        return error("initializer \"" + tensor.name() + "\" " +
                     stored.error().message);
      const bool isWeight = !weights || weights->count(tensor.name());
      const auto value =
          addStoredTensor(builder, tensor.name(), std::move(*stored), isWeight);
      if (!value)
        return error("initializer \"" + tensor.name() + "\" " +
                     value.error().message);
      scope.values[tensor.name()] = *value;
      if (!isWeight)
        builder.setName(*value, tensor.name());
    });
  for (const auto &sparse : model->graph().sparse_initializer())
    addChecked(sparse.values().name(), [&] {
      auto dense = readSparse(sparse, source);
      if (!dense)
        return error("initializer \"" + sparse.values().name() + "\" " +
                     dense.error().message);
      auto held = std::make_shared<Tensor>(std::move(*dense));
      ParameterData data;
      data.bytes = held->bytes.data();
      data.keepAlive = held;
      scope.values[sparse.values().name()] =
          builder.addParameter(sparse.values().name(), held->type, data);
    });
}

/// Weights that are not even initializers: inputs that the exporter notes as
/// parameters, and names that nothing computes, of a type that value_info
/// gives.
void Importer::drawWeights(Scope &scope) {
  const onnx::GraphProto &graph = model->graph();
  std::unordered_set<std::string> known, read;
  for (const auto &node : graph.node()) {
    known.insert(node.output().begin(), node.output().end());
    read.insert(node.input().begin(), node.input().end());
  }
  for (const auto &input : graph.input())
    known.insert(input.name());
  const auto add = [&](const onnx::ValueInfoProto &value) {
    const auto &declared = value.type().tensor_type();
    const auto dtype = dtypeOf(declared.elem_type());
    if (scope.values.count(value.name()) || !dtype || !declared.has_shape())
      return;
    TensorType type{*dtype, {}};
    for (const auto &dim : declared.shape().dim())
      type.shape.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
    if (!byteCount(type))
      return; // what it is read by says so
    auto data = drawMissing(type);
    if (!data)
      return error("\"" + value.name() + "\" " + data.error().message);
    scope.values[value.name()] =
        builder.addParameter(value.name(), type, std::move(*data));
  };
  for (const auto &value : graph.value_info())
    if (read.count(value.name()) && !known.count(value.name()))
      add(value);
  if (const auto weights = notedWeights(graph))
    for (const auto &input : graph.input())
      if (weights->count(input.name()))
        add(input);
}

void Importer::addInputs(Scope &scope) {
  for (const auto &[name, value] : options.dims) {
    if (value < 0)
      error("--dim " + name + "=" + std::to_string(value) + " is negative");
    if (const auto known = dims.emplace(name, value).first;
        known->second != value)
      error("--dim " + name + "=" + std::to_string(value) +
            " contradicts an input given with --constant or --graph, where it "
            "is " +
            std::to_string(known->second));
  }
  std::unordered_set<std::string> names;
  for (const auto &input : model->graph().input())
    if (input.name().empty())
      error("an input has no name");
    else if (!names.insert(input.name()).second)
      error("input \"" + input.name() + "\" is there twice");
    else if (!scope.values.count(input.name())) // no initializer, not bound
      addInput(input, scope);
  // A dimension that only an output names cannot be wrong.
  for (const auto &output : model->graph().output())
    for (const auto &dim : output.type().tensor_type().shape().dim())
      dimsSeen.insert(dim.dim_param());
  reportUnboundDims();
  for (const auto &dim : options.dims)
    if (!dimsSeen.count(dim.first))
      error("has no dimension \"" + dim.first + "\" to bind with --dim");
}

void Importer::addInput(const onnx::ValueInfoProto &input, Scope &scope) {
  scope.values[input.name()] = failedValue;
  const auto &type = input.type();
  if (!type.has_tensor_type())
    return error("input \"" + input.name() + "\" is not a tensor" +
                 (type.has_sequence_type()   ? " but a sequence"
                  : type.has_optional_type() ? " but an optional"
                                             : "") +
                 ", which is not supported");
  const NarrowType *narrow = narrowType(type.tensor_type().elem_type());
  const auto dtype = narrow ? std::optional(narrow->storage)
                            : dtypeOf(type.tensor_type().elem_type());
  if (!dtype)
    return error("input \"" + input.name() + "\" has elements of type " +
                 onnxTypeName(type.tensor_type().elem_type()) +
                 ", which is not supported");
  const auto shape = bindShape(input);
  if (!shape)
    return;
  if (!byteCount({*dtype, *shape}))
    return error("input \"" + input.name() + "\" has the impossible shape " +
                 toString(TensorType{*dtype, *shape}));
  ValueId &value = scope.values[input.name()];
  value = builder.addInput(input.name(), {*dtype, *shape});
  if (narrow)
    value = builder.addStored(value, narrow->number);
}

std::optional<std::vector<int64_t>>
Importer::bindShape(const onnx::ValueInfoProto &input) {
  const auto &type = input.type().tensor_type();
  if (!type.has_shape()) {
    error("input \"" + input.name() +
          "\" has no shape; bind its value with "
          "--constant " +
          input.name() + "=FILE if it is known");
    return std::nullopt;
  }
  std::vector<int64_t> shape;
  bool complete = true;
  for (int d = 0; d < type.shape().dim_size(); ++d) {
    const auto &dim = type.shape().dim(d);
    // Some exporters write -1 where they mean "any".
    if (dim.has_dim_value() && dim.dim_value() != -1) {
      if (dim.dim_value() < 0) {
        error("input \"" + input.name() + "\" has the negative dimension " +
              std::to_string(dim.dim_value()));
        return std::nullopt;
      }
      shape.push_back(dim.dim_value());
      continue;
    }
    // A dimension without a name gets one.
    std::string name = dim.has_dim_param() ? dim.dim_param() : "";
    if (name.empty())
      name = input.name() + "." + std::to_string(d);
    dimsSeen.insert(name);
    const auto bound = dims.find(name);
    if (bound == dims.end()) {
      unbound[name].push_back(input.name());
      complete = false;
    } else {
      shape.push_back(bound->second);
    }
  }
  if (!complete)
    return std::nullopt;
  return shape;
}

void Importer::reportUnboundDims() {
  if (unbound.empty())
    return;
  std::string list, example;
  for (const auto &[name, inputs] : unbound) {
    list += (list.empty() ? "\"" : ", \"") + name + "\" (of ";
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i == 0 || inputs[i] != inputs[i - 1])
        list += (i ? ", \"" : "\"") + inputs[i] + "\"";
    list += ")";
    // Names are arbitrary text, and this is to be pasted into a shell.
    const bool quote =
        name.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            "0123456789_.-") != std::string::npos;
    example += " --dim " + (quote ? "'" + name + "'" : name) + "=N";
  }
  error("dimensions without a value: " + list + "; bind them with" + example);
}

void Importer::checkOutput(const onnx::ValueInfoProto &output, ValueId v) {
  const auto &declared = output.type().tensor_type();
  const auto [elements, stored] = builder.asStored(v);
  const TensorType &type = builder.type(elements);
  if (!output.type().has_tensor_type() || !declared.has_elem_type())
    return;
  if (stored ? declared.elem_type() != stored
             : dtypeOf(declared.elem_type()) != type.dtype)
    error("output \"" + output.name() + "\" is declared as " +
          onnxTypeName(declared.elem_type()) + ", but its value is " +
          (stored ? onnxTypeName(stored) : toString(type)));
  else if (declared.has_shape() &&
           declared.shape().dim_size() != int(type.rank()))
    error("output \"" + output.name() + "\" is declared with " +
          std::to_string(declared.shape().dim_size()) +
          " dimensions, but its value is " + toString(type));
}
