// The part of Node that makes values.
#include "compiler/frontend/onnx/Node.h"

#include "dialects/support/Sha256.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Arithmetic.h"

#include <numeric>

using namespace smex;
using namespace smex::frontend;

void Node::out(size_t i, ValueId v) {
  if (outputs.size() <= i)
    outputs.resize(i + 1, noValue);
  outputs[i] = v;
}

std::vector<ValueId> Node::applyAll(std::string_view op,
                                    const std::vector<ValueId> &operands,
                                    const tdl::Attributes &attributes) {
  auto results = builder.apply(op, operands, attributes, name);
  if (!results)
    refuse(results.error().message);
  return std::move(*results);
}

ValueId Node::apply(std::string_view op, const std::vector<ValueId> &operands,
                    const tdl::Attributes &attributes) {
  return applyAll(op, operands, attributes).at(0);
}

std::vector<ValueId> Node::applyText(const std::string &text,
                                     const std::vector<ValueId> &operands,
                                     const tdl::Attributes &attributes) {
  // Named after its text, so that equal nodes share one template.
  const std::string op = "made_" + sha256(text).substr(0, 24);
  if (!builder.libraryOf(op))
    if (Status added =
            builder.addTemplates("(made for " + name + ")", op + text);
        !added)
      refuse("cannot be described: ", added.error().message);
  return applyAll(op, operands, attributes);
}

ValueId Node::addConstant(Tensor tensor) {
  return builder.addConstant(std::move(tensor), name + ".constant");
}

ValueId Node::addInts(const std::vector<int64_t> &values) {
  Tensor tensor = makeTensor({DType::I64, {int64_t(values.size())}});
  std::copy(values.begin(), values.end(), tensor.data<int64_t>());
  return addConstant(std::move(tensor));
}

ValueId Node::addReals(const std::vector<double> &values,
                       std::vector<int64_t> shape, DType type) {
  Tensor tensor = makeTensor({type, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i)
    tdl::store(type, tdl::convert(DType::F64, type, tdl::scalarOf(values[i])),
               &tensor.bytes[i * byteSize(type)]);
  return addConstant(std::move(tensor));
}

ValueId Node::reshape(ValueId v, std::vector<int64_t> shape) {
  const TensorType &from = type(v);
  if (from.shape == shape)
    return v;
  const auto before = elementCount(from.shape), after = elementCount(shape);
  if (!after || before != after)
    refuse(toString(from), " cannot take the shape ",
           toString(TensorType{from.dtype, shape}));
  // Dimensions of extent 1 that come or go need no arithmetic on indices.
  std::vector<int64_t> left, right;
  for (size_t d = 0; d < from.shape.size(); ++d)
    if (from.shape[d] != 1)
      left.push_back(int64_t(d));
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1)
      right.push_back(int64_t(d));
  bool same = left.size() == right.size();
  for (size_t i = 0; same && i < left.size(); ++i)
    same = from.shape[left[i]] == shape[right[i]];
  if (!same)
    return apply("reshape", {v}, {{"out", shape}});
  // Where each dimension of the operand is read: one of the result's, or 0.
  std::vector<int64_t> at(from.shape.size(), int64_t(shape.size()));
  for (size_t i = 0; i < left.size(); ++i)
    at[left[i]] = right[i];
  return apply("pick", {v}, {{"out", shape}, {"at", at}});
}

ValueId Node::cast(ValueId v, DType to) {
  return type(v).dtype == to ? v : apply("cast", {v}, {{"to", to}});
}

ValueId Node::summable(ValueId v) {
  return cast(v, tdl::partialType(tdl::Reducer::Sum, type(v).dtype));
}

ValueId Node::transpose(ValueId v, std::vector<int64_t> permutation) {
  std::vector<int64_t> same(permutation.size());
  std::iota(same.begin(), same.end(), 0);
  if (permutation == same)
    return v;
  return apply("transpose", {v}, {{"perm", permutation}});
}

ValueId Node::slice(ValueId v, int64_t axis, int64_t first, int64_t count,
                    int64_t step) {
  if (first == 0 && step == 1 && count == type(v).shape[axis])
    return v;
  std::vector<int64_t> out = type(v).shape, starts(out.size(), 0),
                       steps(out.size(), 1);
  out[axis] = count;
  starts[axis] = first;
  steps[axis] = step;
  return apply("slice", {v},
               {{"out", out}, {"starts", starts}, {"steps", steps}});
}

ValueId Node::take(ValueId v, int64_t axis, int64_t at) {
  return apply("take", {v}, {{"axis", axis}, {"at", at}});
}

ValueId Node::expand(ValueId v, const std::vector<int64_t> &shape) {
  return type(v).shape == shape ? v : apply("expand", {v}, {{"shape", shape}});
}

ValueId Node::concat(const std::vector<ValueId> &parts, int64_t axis) {
  // Each part reads at what is left of the index after the parts before it, and
  // out of its range leaves the element to the next one. Many parts are first
  // put together in groups, to keep expressions shallow.
  constexpr size_t most = 16;
  if (parts.size() == 1)
    return parts[0];
  if (parts.size() > most) {
    size_t group = most;
    while (group * most < parts.size())
      group *= most;
    std::vector<ValueId> groups;
    for (size_t i = 0; i < parts.size(); i += group)
      groups.push_back(
          concat({parts.begin() + i,
                  parts.begin() + std::min(i + group, parts.size())},
                 axis));
    return concat(groups, axis);
  }
  std::string operands, extent, body, before;
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::string n = std::to_string(p);
    operands += (p ? ", x" : "x") + n + (p ? "[a..., n" : "[a...{axis}, n") +
                n + ", b...]";
    body += (p ? " else (x" : "(x") + n + "[i..., j" + before + ", k...]";
    before += " - n" + n;
    extent += (p ? " + n" : "n") + n;
  }
  body += std::string(parts.size(), ')');
  return applyText("(" + operands + "; axis): lambda i... < a..., j < " +
                       extent + ", k... < b...: " + body,
                   parts, {{"axis", axis}})[0];
}
