// Functions and control flow: inlined, or unrolled where the number of
// iterations is known at compile time.
#include "compiler/frontend/onnx/Importer.h"
#include "compiler/frontend/onnx/Narrow.h"
#include "compiler/frontend/onnx/Reader.h"

#include <algorithm>

#include <google/protobuf/io/coded_stream.h>

using namespace smex;
using namespace smex::frontend;

constexpr int deepest = 64;

/// What has visited nodes since there were `before` of them will be done `left`
/// more times: a limit that this would exceed speaks now, not when it is
/// reached.
void Importer::requireRoom(const Node &node, int64_t before,
                           int64_t left) const {
  if (visited <= mostNodes &&
      visited + __int128(visited - before) * left > mostNodes)
    node.refuse(tooManyNodes);
}

std::vector<ValueId> Importer::importBody(Node &node,
                                          const onnx::GraphProto &body,
                                          const std::vector<ValueId> &inputs,
                                          const std::string &label,
                                          Scope &outer,
                                          const Surroundings &in) {
  if (in.depth >= deepest)
    node.refuse("graphs are nested too deep");
  Scope scope;
  scope.outer = &outer;
  if (body.input_size() != int(inputs.size()))
    node.refuse("its body has ", body.input_size(), " inputs, not ",
                inputs.size());
  for (const auto &tensor : body.initializer()) {
    // One parameter, however many iterations read it.
    auto [known, isNew] = bodyInitializers.emplace(&tensor, noValue);
    if (isNew) {
      auto stored = readTensor(tensor, source);
      if (!stored)
        node.refuse("initializer \"", tensor.name(), "\" ",
                    stored.error().message);
      const auto value = addStoredTensor(
          builder, node.name + "/" + tensor.name(), std::move(*stored), true);
      if (!value)
        node.refuse("initializer \"", tensor.name(), "\" ",
                    value.error().message);
      known->second = *value;
    }
    scope.values[tensor.name()] = known->second;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    scope.values[body.input(int(i)).name()] =
        inputs[i] == noValue ? absentValue : inputs[i];
  Surroundings inner = in;
  inner.prefix = node.name + label;
  inner.depth = in.depth + 1;
  if (!importNodes(body.node(), scope, inner))
    throw Refusal{""}; // reported already
  std::vector<ValueId> results;
  for (const auto &output : body.output()) {
    results.push_back(scope.find(output.name()));
    if (results.back() == noValue)
      node.refuse("output \"", output.name(),
                  "\" of its body is not computed by any node");
    if (results.back() == failedValue)
      throw Refusal{""};
  }
  return results;
}

/// Defaults of a function's attributes: field 11, which the schema that this is
/// built with does not know yet.
static std::vector<onnx::AttributeProto>
defaultsOf(const onnx::FunctionProto &function) {
  std::vector<onnx::AttributeProto> defaults;
  const std::string &unknown = function.unknown_fields();
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(unknown.data()), int(unknown.size()));
  while (const uint32_t tag = stream.ReadTag()) {
    uint64_t number;
    uint32_t length;
    std::string bytes;
    if ((tag & 7) == 0 && stream.ReadVarint64(&number))
      continue;
    if ((tag & 7) != 2 || !stream.ReadVarint32(&length) ||
        !stream.ReadString(&bytes, int(length)))
      break;
    onnx::AttributeProto attribute;
    // One that holds a graph, or much data, would have to outlive the import.
    if (tag >> 3 == 11 && attribute.ParseFromString(bytes) &&
        !attribute.has_g() && bytes.size() < size_t(Builder::foldedElements))
      defaults.push_back(std::move(attribute));
  }
  return defaults;
}

/// How many nodes a call of the function is at least, for those of graphs in
/// attributes may not be imported; -1 where calls do not end.
int64_t Importer::leastNodes(const onnx::FunctionProto &function, int depth) {
  if (depth >= deepest)
    return -1;
  const auto [known, isNew] = sizes.emplace(&function, -1);
  if (!isNew)
    return known->second;
  int64_t count = 0;
  for (const onnx::NodeProto &node : function.node()) {
    ++count;
    const auto called = functions.find(
        {node.domain() == "ai.onnx" ? "" : node.domain(), node.op_type()});
    if (called == functions.end())
      continue;
    const int64_t inside = leastNodes(*called->second, depth + 1);
    if (inside < 0)
      return -1;
    count = std::min(count + inside, mostNodes + 1);
  }
  return sizes[&function] = count;
}

void Importer::callFunction(Node &node, const onnx::FunctionProto &function,
                            const Surroundings &in) {
  const int64_t least = leastNodes(function, in.depth);
  if (least < 0 || in.depth >= deepest)
    node.refuse("functions call each other without end");
  if (visited <= mostNodes && visited + least > mostNodes)
    node.refuse(tooManyNodes);
  if (int(node.inputs.size()) > function.input_size())
    node.refuse("the function has ", function.input_size(), " inputs, not ",
                node.inputs.size());
  const auto defaults = defaultsOf(function);
  AttributeMap call = node.attributes;
  for (const auto &attribute : defaults)
    call.emplace(attribute.name(), &attribute);
  for (const auto &attribute : node.attributes)
    node.ignore(attribute.first.c_str());
  Surroundings inner;
  inner.prefix = node.name + "/";
  inner.depth = in.depth + 1;
  inner.call = &call;
  for (const auto &opset : function.opset_import())
    inner.opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] =
        opset.version();
  if (!inner.opsets.count("") && in.opsets.count(""))
    inner.opsets[""] = in.opsets.at("");
  Scope scope;
  for (int i = 0; i < function.input_size(); ++i)
    scope.values[function.input(i)] =
        node.has(i) ? node.inputs[i] : absentValue;
  if (!importNodes(function.node(), scope, inner))
    throw Refusal{""};
  for (int i = 0; i < function.output_size(); ++i) {
    const ValueId v = scope.find(function.output(i));
    if (v == failedValue)
      throw Refusal{""};
    node.out(i, v == absentValue ? noValue : v);
  }
}

void Importer::importIf(Node &node, Scope &scope, const Surroundings &in) {
  const onnx::GraphProto *branches[] = {node.graph("else_branch"),
                                        node.graph("then_branch")};
  if (builder.known(node.in(0))) {
    const bool taken = node.constantInt(0) != 0;
    decisions[node.name] = taken;
    const auto results = importBody(node, *branches[taken], {},
                                    taken ? "/then/" : "/else/", scope, in);
    for (size_t i = 0; i < results.size(); ++i)
      node.out(i, results[i]);
    return;
  }
  // Both are computed, and one of them is chosen: nodes have no side effects.
  const bool outer = builder.setConditional(true);
  const auto no = importBody(node, *branches[0], {}, "/else/", scope, in);
  const auto yes = importBody(node, *branches[1], {}, "/then/", scope, in);
  builder.setConditional(outer);
  const ValueId condition = node.reshape(node.in(0), {});
  for (size_t i = 0; i < std::min(yes.size(), no.size()); ++i) {
    if (isSequence(yes[i]) || isSequence(no[i]) || yes[i] < 0 || no[i] < 0)
      node.refuse("its condition must be known at compile time: it gives a "
                  "sequence or an optional");
    const auto [one, stored] = builder.asStored(yes[i]);
    const auto [other, otherStored] = builder.asStored(no[i]);
    if (builder.type(one) != builder.type(other) || stored != otherStored)
      node.refuse("its branches give different types, ",
                  toString(builder.type(one)), " and ",
                  toString(builder.type(other)),
                  ": its condition must be known at compile time");
    const ValueId chosen = node.apply("where", {condition, one, other});
    node.out(i, stored ? builder.addStored(chosen, stored) : chosen);
  }
}

/// Whether each iteration of a loop leaves the condition as it was before: then
/// the first one says how many there are.
static bool keepsCondition(const onnx::GraphProto &body) {
  if (body.output_size() < 1 || body.input_size() < 2)
    return false;
  std::string name = body.output(0).name();
  // As often as there are nodes, or they are a circle.
  for (int i = 0; i < body.node_size(); ++i) {
    const auto makes = [&](const onnx::NodeProto &node) {
      return std::count(node.output().begin(), node.output().end(), name) > 0;
    };
    const auto node =
        std::find_if(body.node().begin(), body.node().end(), makes);
    if (node == body.node().end())
      break;
    if (node->op_type() != "Identity" || node->input_size() != 1)
      return false;
    name = node->input(0);
  }
  return name == body.input(1).name();
}

/// What a loop collects that makes no iteration: no element of what its body
/// says that an element is.
static ValueId collectedNothing(Node &node, const onnx::ValueInfoProto &value) {
  const auto &declared = value.type().tensor_type();
  const auto dtype = dtypeOf(declared.elem_type());
  std::vector<int64_t> shape = {0};
  for (const auto &dimension : declared.shape().dim())
    shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  if (!dtype || !declared.has_shape() ||
      *std::min_element(shape.begin(), shape.end()) < 0 ||
      !byteCount({*dtype, shape}))
    node.refuse("it makes no iteration, and its body does not say which type "
                "and shape \"",
                value.name(), "\" has, which it collects");
  return node.addConstant(makeTensor({*dtype, std::move(shape)}));
}

void Importer::importLoop(Node &node, Scope &scope, const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("body");
  const size_t states = node.inputs.size() > 2 ? node.inputs.size() - 2 : 0;
  int64_t trips = longestLoop + 1;
  const char *unknown = "its number of iterations depends on values that are "
                        "not known at compile time";
  if (node.has(0)) {
    node.require(bool(builder.known(node.in(0))), unknown);
    trips = node.constantInt(0);
  }
  std::vector<ValueId> state(node.inputs.begin() +
                                 std::min<size_t>(2, node.inputs.size()),
                             node.inputs.end());
  ValueId condition = node.has(1) ? node.in(1) : noValue;
  std::vector<std::vector<ValueId>> scans;
  int64_t made = 0; // iterations
  const int64_t before = visited;
  for (int64_t trip = 0; trip < trips; ++trip) {
    if (trip == 1 && keepsCondition(body)) {
      if (trips > longestLoop)
        node.refuse("more than ", longestLoop, " iterations");
      requireRoom(node, before, trips - 1);
    }
    if (condition != noValue) {
      const auto known = builder.known(condition);
      node.require(bool(known), unknown);
      const std::vector<int64_t> goesOn = asInts(*known);
      node.require(goesOn.size() == 1, "its condition is no truth value");
      if (goesOn[0] == 0)
        break;
    }
    if (trip == longestLoop)
      node.refuse("more than ", longestLoop, " iterations");
    Tensor counter = makeTensor({DType::I64, {}});
    *counter.data<int64_t>() = trip;
    Tensor yes = makeTensor({DType::Bool, {}});
    yes.bytes[0] = std::byte(1);
    std::vector<ValueId> inputs = {
        node.addConstant(std::move(counter)),
        condition != noValue ? condition : node.addConstant(std::move(yes))};
    inputs.insert(inputs.end(), state.begin(), state.end());
    const auto results = importBody(
        node, body, inputs, "/" + std::to_string(trip) + "/", scope, in);
    ++made;
    if (results.size() < 1 + states)
      node.refuse("its body has too few outputs");
    // An absent condition operand means "go on", but the body's counts.
    condition = results[0];
    node.require(condition >= 0 && condition < firstStored,
                 "its condition is no truth value");
    state.assign(results.begin() + 1, results.begin() + 1 + states);
    scans.resize(results.size() - 1 - states);
    for (size_t s = 0; s < scans.size(); ++s) {
      node.require(results[1 + states + s] >= 0 &&
                       results[1 + states + s] < firstStored,
                   "it collects values that are no plain tensors");
      std::vector<int64_t> shape = builder.type(results[1 + states + s]).shape;
      shape.insert(shape.begin(), 1);
      scans[s].push_back(node.reshape(results[1 + states + s], shape));
    }
  }
  decisions[node.name] = made;
  for (size_t i = 0; i < states; ++i)
    node.out(i, state[i]);
  for (size_t s = 0; s < scans.size(); ++s)
    node.out(states + s, node.concat(scans[s], 0));
  if (!made)
    for (int i = int(1 + states); i < body.output_size(); ++i)
      node.out(size_t(i - 1), collectedNothing(node, body.output(i)));
}

void Importer::importSequenceMap(Node &node, Scope &scope,
                                 const Surroundings &in) {
  const onnx::GraphProto &body = *node.graph("body");
  std::vector<std::vector<ValueId>> results(body.output_size());
  const int64_t before = visited;
  for (size_t i = 0; i < node.sequence(0).size(); ++i) {
    if (i == 1)
      requireRoom(node, before, int64_t(node.sequence(0).size()) - 1);
    std::vector<ValueId> inputs;
    for (size_t operand = 0; operand < node.inputs.size(); ++operand) {
      if (!node.has(operand) || !isSequence(node.inputs[operand])) {
        inputs.push_back(node.in(operand));
        continue;
      }
      const auto &elements = node.sequence(operand);
      node.require(elements.size() == node.sequence(0).size(),
                   "its sequences differ in length");
      inputs.push_back(elements[i]);
    }
    const auto made = importBody(node, body, inputs,
                                 "/" + std::to_string(i) + "/", scope, in);
    for (size_t r = 0; r < made.size(); ++r)
      results[r].push_back(made[r]);
  }
  for (size_t r = 0; r < results.size(); ++r)
    node.out(r, builder.addSequence(std::move(results[r])));
}
