#include "compiler/frontend/onnx/Node.h"

#include "compiler/frontend/onnx/Narrow.h"
#include "dialects/tdl/lambda/Arithmetic.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

std::string Node::inputName(size_t i) const {
  return int(i) < proto.input_size() ? proto.input(int(i)) : "";
}

ValueId Node::in(size_t i) const {
  if (!has(i))
    refuse("operand ", i, " is missing");
  if (isSequence(inputs[i]))
    refuse("operand ", i, " is a sequence of tensors");
  if (isStored(inputs[i]))
    refuse("operand ", i, " has elements of type ",
           onnxTypeName(builder.stored(inputs[i]).type),
           ", which are stored and not computed with: cast them before");
  return inputs[i];
}

const std::vector<ValueId> &Node::sequence(size_t i) const {
  if (!has(i) || !isSequence(inputs[i]))
    refuse("operand ", i, " must be a sequence of tensors");
  return builder.sequence(inputs[i]);
}

void Node::requireRows(size_t operand, int64_t rows, const char *what) const {
  const auto &given = shape(operand);
  if (given.empty() || given[0] != rows)
    refuse("operand ", operand, " must have a row per ", what, " of the ",
           "graph, ", rows, " in all, and is ", toString(inType(operand)));
}

std::shared_ptr<const Tensor> Node::constant(size_t i) const {
  auto value = builder.known(in(i));
  if (!value) {
    const auto elements = elementCount(shape(i));
    if (elements && *elements > Builder::foldedElementsOf(inType(i).dtype))
      refuse("operand ", i, ", \"", inputName(i),
             "\", must be known at compile "
             "time and has too many elements for that: ",
             *elements);
    refuse(
        "operand ", i, ", \"", inputName(i),
        "\", must be known at compile time: if it is, or is made of, an input "
        "of the model, bind that input with --constant NAME=FILE");
  }
  return value;
}

template <typename T, typename Get>
static std::vector<T> elements(const Tensor &tensor, Get get) {
  std::vector<T> result;
  const int64_t size = byteSize(tensor.type.dtype);
  for (size_t at = 0; at < tensor.bytes.size(); at += size)
    result.push_back(get(tdl::load(tensor.type.dtype, &tensor.bytes[at])));
  return result;
}

std::vector<int64_t> smex::frontend::asInts(const Tensor &tensor) {
  return elements<int64_t>(tensor, [&](tdl::Scalar s) {
    return tdl::convert(tensor.type.dtype, DType::I64, s).integer;
  });
}

std::vector<double> smex::frontend::asReals(const Tensor &tensor) {
  return elements<double>(tensor, [&](tdl::Scalar s) {
    return tdl::convert(tensor.type.dtype, DType::F64, s).real;
  });
}

std::vector<int64_t> Node::constantInts(size_t i) const {
  if (isFloat(inType(i).dtype))
    refuse("operand ", i, " must be of integer type, not ",
           toString(inType(i)));
  return asInts(*constant(i));
}

std::vector<double> Node::constantReals(size_t i) const {
  return asReals(*constant(i));
}

int64_t Node::constantInt(size_t i) const {
  const auto values = constantInts(i);
  if (values.size() != 1)
    refuse("operand ", i, " must be one number, not ", toString(inType(i)));
  return values[0];
}

double Node::constantReal(size_t i) const {
  const auto values = constantReals(i);
  if (values.size() != 1)
    refuse("operand ", i, " must be one number, not ", toString(inType(i)));
  return values[0];
}

const onnx::AttributeProto *Node::attribute(const char *name, int type) {
  used.insert(name);
  const auto found = attributes.find(name);
  if (found == attributes.end())
    return nullptr;
  const onnx::AttributeProto *a = found->second;
  // Old files leave the type out.
  if (a->has_type() && a->type() != onnx::AttributeProto::UNDEFINED &&
      a->type() != type)
    refuse("attribute \"", name, "\" has the wrong type");
  return a;
}

int64_t Node::integer(const char *name, std::optional<int64_t> otherwise) {
  if (const auto *a = attribute(name, onnx::AttributeProto::INT))
    return a->i();
  if (!otherwise)
    refuse("attribute \"", name, "\" is missing");
  return *otherwise;
}

double Node::real(const char *name, std::optional<double> otherwise) {
  // JSON writes 1 where ONNX would have 1.0.
  if (hasAttribute(name) &&
      attributes.at(name)->type() == onnx::AttributeProto::INT)
    return double(integer(name));
  if (const auto *a = attribute(name, onnx::AttributeProto::FLOAT))
    return a->f();
  if (!otherwise)
    refuse("attribute \"", name, "\" is missing");
  return *otherwise;
}

std::string Node::text(const char *name, std::optional<std::string> otherwise) {
  if (const auto *a = attribute(name, onnx::AttributeProto::STRING))
    return a->s();
  if (!otherwise)
    refuse("attribute \"", name, "\" is missing");
  return *otherwise;
}

std::vector<int64_t> Node::integers(const char *name) {
  if (const auto *a = attribute(name, onnx::AttributeProto::INTS))
    return {a->ints().begin(), a->ints().end()};
  return {};
}

std::vector<double> Node::reals(const char *name) {
  if (hasAttribute(name) &&
      attributes.at(name)->type() == onnx::AttributeProto::INTS) {
    const auto list = integers(name);
    return {list.begin(), list.end()};
  }
  if (const auto *a = attribute(name, onnx::AttributeProto::FLOATS))
    return {a->floats().begin(), a->floats().end()};
  return {};
}

std::vector<std::string> Node::texts(const char *name) {
  if (const auto *a = attribute(name, onnx::AttributeProto::STRINGS))
    return {a->strings().begin(), a->strings().end()};
  return {};
}

Tensor Node::tensor(const char *name) {
  const auto *a = attribute(name, onnx::AttributeProto::TENSOR);
  if (!a)
    refuse("attribute \"", name, "\" is missing");
  auto value = readTensorValue(a->t(), source);
  if (!value)
    refuse("attribute \"", name, "\" ", value.error().message);
  return std::move(*value);
}

ValueId Node::addTensor(const char *name) {
  const auto *a = attribute(name, onnx::AttributeProto::TENSOR);
  if (!a)
    refuse("attribute \"", name, "\" is missing");
  // Some exporters write weights as constants.
  if (!narrowType(a->t().data_type()) &&
      a->t().raw_data().size() <= size_t(Builder::foldedElements))
    return addConstant(tensor(name));
  auto stored = readTensor(a->t(), source);
  if (!stored)
    refuse("attribute \"", name, "\" ", stored.error().message);
  auto value = addStoredTensor(builder, this->name + ".constant",
                               std::move(*stored), false);
  if (!value)
    refuse("attribute \"", name, "\" ", value.error().message);
  return *value;
}

Tensor Node::sparseTensor(const char *name) {
  const auto *a = attribute(name, onnx::AttributeProto::SPARSE_TENSOR);
  if (!a)
    refuse("attribute \"", name, "\" is missing");
  auto value = readSparse(a->sparse_tensor(), source);
  if (!value)
    refuse("attribute \"", name, "\" ", value.error().message);
  return std::move(*value);
}

int64_t Node::elementNumber(const char *name,
                            std::optional<int64_t> otherwise) {
  const bool spelled =
      hasAttribute(name) &&
      attributes.at(name)->type() == onnx::AttributeProto::TYPE_PROTO;
  return spelled ? attribute(name, onnx::AttributeProto::TYPE_PROTO)
                       ->tp()
                       .tensor_type()
                       .elem_type()
                 : integer(name, otherwise);
}

DType Node::dtype(const char *name, std::optional<DType> otherwise) {
  if (!hasAttribute(name) && otherwise) {
    used.insert(name);
    return *otherwise;
  }
  const int64_t number = elementNumber(name);
  const auto type = dtypeOf(int(number));
  if (!type || number > 100)
    refuse("elements of type ", onnxTypeName(int(number)),
           " are not supported");
  return *type;
}

std::optional<DType> Node::optionalDtype(const char *name) {
  const auto given = attributes.find(name);
  if (given != attributes.end() &&
      (given->second->type() != onnx::AttributeProto::INT ||
       given->second->i() != 0))
    return dtype(name);
  used.insert(name);
  return std::nullopt;
}

const onnx::GraphProto *Node::graph(const char *name) {
  const auto *a = attribute(name, onnx::AttributeProto::GRAPH);
  if (!a)
    refuse("attribute \"", name, "\" is missing");
  return &a->g();
}

std::string Node::unusedAttribute() const {
  for (const auto &a : attributes)
    if (!used.count(a.first))
      return a.first;
  return "";
}

tdl::Attributes Node::allAttributes() {
  tdl::Attributes all;
  for (const auto &[name, a] : attributes) {
    used.insert(name);
    switch (a->type()) {
    case onnx::AttributeProto::TYPE_PROTO:
      all[name] = dtype(name.c_str());
      break;
    case onnx::AttributeProto::INT:
      all[name] = int64_t(a->i());
      break;
    case onnx::AttributeProto::FLOAT:
      all[name] = double(a->f());
      break;
    case onnx::AttributeProto::STRING:
      all[name] = a->s();
      break;
    case onnx::AttributeProto::INTS:
      all[name] = std::vector<int64_t>(a->ints().begin(), a->ints().end());
      break;
    case onnx::AttributeProto::FLOATS:
      all[name] = std::vector<double>(a->floats().begin(), a->floats().end());
      break;
    default:
      refuse("attribute \"", name, "\" is no number, text or list of numbers");
    }
  }
  return all;
}

std::vector<int64_t> Node::integersOrInput(const char *name, size_t i) {
  if (hasAttribute(name))
    return integers(name);
  used.insert(name);
  return has(i) ? constantInts(i) : std::vector<int64_t>();
}

int64_t Node::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    refuse("axis ", axis, " is out of range for rank ", rank);
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> Node::axes(std::vector<int64_t> axes, int64_t rank) const {
  for (int64_t &a : axes)
    a = axis(a, rank);
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    refuse("an axis is given twice");
  return axes;
}
