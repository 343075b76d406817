#include "test/bad_input/Mutate.h"

#include "compiler/frontend/onnx/Reader.h"

#include <climits>

using namespace smex::test;

namespace {
// What arithmetic on sizes trips over: signs, powers of two, the ends.
const int64_t awkward[] = {0,
                           1,
                           2,
                           3,
                           5,
                           7,
                           -1,
                           -2,
                           64,
                           48,
                           100,
                           INT_MAX,
                           INT_MIN,
                           1ll << 31,
                           1ll << 32,
                           3037000500,
                           1ll << 40,
                           1ll << 61,
                           -(1ll << 40),
                           1ll << 62,
                           LLONG_MAX,
                           LLONG_MIN,
                           LLONG_MAX - 1};

const char *const operators[] = {"Add",
                                 "Sub",
                                 "Mul",
                                 "Div",
                                 "Relu",
                                 "Softmax",
                                 "MatMul",
                                 "Gemm",
                                 "Conv",
                                 "ConvTranspose",
                                 "MaxPool",
                                 "Reshape",
                                 "Transpose",
                                 "Gather",
                                 "ScatterND",
                                 "Concat",
                                 "Split",
                                 "Slice",
                                 "Expand",
                                 "Tile",
                                 "Pad",
                                 "Range",
                                 "Shape",
                                 "Cast",
                                 "ConstantOfShape",
                                 "Unsqueeze",
                                 "Squeeze",
                                 "ReduceSum",
                                 "ArgMax",
                                 "CumSum",
                                 "Where",
                                 "Equal",
                                 "OneHot",
                                 "TopK",
                                 "Resize",
                                 "LSTM",
                                 "Einsum",
                                 "Identity",
                                 "Dropout",
                                 "BatchNormalization",
                                 "Flatten",
                                 "GatherND",
                                 "Trilu",
                                 "EyeLike",
                                 "DepthToSpace",
                                 "If",
                                 "Loop",
                                 "NonZero",
                                 "Mod",
                                 "ScatterElements",
                                 "AveragePool",
                                 "Clip",
                                 "LayerNormalization",
                                 "Pow",
                                 "NoSuchOperator"};

int64_t number(Random &random) {
  return awkward[random.below(std::size(awkward))];
}

std::string changeDim(onnx::GraphProto &graph, Random &random) {
  if (graph.input_size() == 0)
    return "";
  auto *input = graph.mutable_input(random.below(graph.input_size()));
  auto *shape = input->mutable_type()->mutable_tensor_type()->mutable_shape();
  const int64_t value = number(random);
  if (shape->dim_size() == 0 || random.below(8) == 0)
    shape->add_dim()->set_dim_value(value);
  else if (random.below(8) == 0)
    shape->mutable_dim()->RemoveLast();
  else
    shape->mutable_dim(random.below(shape->dim_size()))->set_dim_value(value);
  return "dims of input " + input->name() + " (" + std::to_string(value) + ")";
}

std::string changeInitializer(onnx::GraphProto &graph, Random &random) {
  if (graph.initializer_size() == 0)
    return "";
  auto *tensor =
      graph.mutable_initializer(random.below(graph.initializer_size()));
  const std::string name = " of initializer " + tensor->name();
  if (tensor->data_type() == onnx::TensorProto::INT64 &&
      tensor->raw_data().size() >= 8 && random.below(2) == 0) {
    const int64_t value = number(random);
    std::string *raw = tensor->mutable_raw_data();
    raw->replace(8 * random.below(int64_t(raw->size() / 8)), 8,
                 reinterpret_cast<const char *>(&value), 8);
    return "value" + name + " (" + std::to_string(value) + ")";
  }
  const int64_t value = number(random);
  if (random.below(6) == 0)
    tensor->set_data_type(random.below(20));
  else if (tensor->dims_size() == 0)
    tensor->add_dims(value);
  else
    tensor->set_dims(random.below(tensor->dims_size()), value);
  // Without stored bytes the new shape is believed.
  if (random.below(3)) {
    tensor->clear_raw_data();
    tensor->clear_float_data();
    tensor->clear_int64_data();
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto *entry = tensor->add_external_data();
    entry->set_key(smex::frontend::drawnKey);
    entry->set_value("1");
  }
  return "shape" + name + " (" + std::to_string(value) + ")";
}

std::string changeAttribute(onnx::NodeProto &node, Random &random) {
  if (node.attribute_size() == 0) {
    auto *attribute = node.add_attribute();
    attribute->set_name("axis");
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(number(random));
    return "new axis " + std::to_string(attribute->i());
  }
  auto *attribute = node.mutable_attribute(random.below(node.attribute_size()));
  const int64_t value = number(random);
  switch (random.below(6)) {
  case 0:
    attribute->set_type(onnx::AttributeProto::AttributeType(random.below(15)));
    break;
  case 1:
    attribute->set_name(random.below(2) ? "perm" : "");
    break;
  case 2:
    attribute->add_ints(value);
    break;
  default:
    attribute->set_i(value);
    attribute->set_f(float(value));
    attribute->set_s(std::to_string(value));
    if (attribute->ints_size())
      attribute->set_ints(random.below(attribute->ints_size()), value);
    if (attribute->t().raw_data().size() >= 8)
      attribute->mutable_t()->mutable_raw_data()->replace(
          0, 8, reinterpret_cast<const char *>(&value), 8);
    else if (attribute->t().dims_size())
      attribute->mutable_t()->set_dims(0, value);
  }
  return "attribute " + attribute->name() + " (" + std::to_string(value) + ")";
}

std::string changeEdge(onnx::GraphProto &graph, onnx::NodeProto &node,
                       Random &random) {
  const auto &other = graph.node(random.below(graph.node_size()));
  std::string name;
  if (random.below(4) && other.output_size())
    name = other.output(0);
  else if (random.below(3) && graph.initializer_size())
    name = graph.initializer(random.below(graph.initializer_size())).name();
  else
    name = random.below(2) ? "" : "no such value";
  switch (random.below(6)) {
  case 0:
    node.add_input(name);
    break;
  case 1:
    if (node.output_size())
      node.set_output(0, name);
    break;
  case 2:
    graph.add_output()->set_name(name);
    break;
  default:
    if (node.input_size())
      node.set_input(random.below(node.input_size()), name);
  }
  return "edge to " + name;
}

std::string changeNode(onnx::ModelProto &model, Random &random) {
  auto &graph = *model.mutable_graph();
  if (graph.node_size() == 0)
    return "";
  const int at = random.below(graph.node_size());
  auto &node = *graph.mutable_node(at);
  const std::string name = " at node " + std::to_string(at) + " " +
                           node.op_type() + " " + node.name();
  switch (random.below(8)) {
  case 0:
    node.set_op_type(operators[random.below(std::size(operators))]);
    return node.op_type() + name;
  case 1:
    node.set_name(random.below(2) ? "" : "../\"odd\"\n/name");
    return "name" + name;
  case 2:
    graph.mutable_node()->DeleteSubrange(at, 1);
    return "removed" + name;
  case 3: {
    const int64_t opset = random.below(30);
    for (auto &each : *model.mutable_opset_import())
      each.set_version(opset);
    return "opset " + std::to_string(opset);
  }
  case 4:
  case 5:
    return changeEdge(graph, node, random) + name;
  default:
    return changeAttribute(node, random) + name;
  }
}
} // namespace

std::string smex::test::damageBytes(std::string bytes, Random &random) {
  const auto at = [&] { return size_t(random.next() % bytes.size()); };
  for (int n = 1 + random.below(4); n > 0 && !bytes.empty(); --n)
    switch (random.below(5)) {
    case 0:
      bytes.resize(at());
      break;
    case 1:
      bytes.erase(at(), 1 + random.below(16));
      break;
    case 2:
      bytes.insert(at(), bytes.substr(at(), 1 + random.below(64)));
      break;
    case 3:
      bytes[at()] = char(random.next());
      break;
    default:
      bytes[at()] ^= char(1 << random.below(8));
    }
  return bytes;
}

std::string smex::test::damageModel(onnx::ModelProto &model, Random &random) {
  std::string what;
  for (int n = 1 + random.below(3); n > 0; --n) {
    const int kind = random.below(8);
    what +=
        "; " + (kind == 0   ? changeDim(*model.mutable_graph(), random)
                : kind <= 2 ? changeInitializer(*model.mutable_graph(), random)
                            : changeNode(model, random));
  }
  return what;
}
