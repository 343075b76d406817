#include "compiler/frontend/Builder.h"

#include "compiler/frontend/Simplify.h"
#include "dialects/support/File.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <cstring>
#include <unordered_set>

using namespace smex;
using namespace smex::frontend;

ValueId Builder::add(Entry entry) {
  values.push_back(std::move(entry));
  return int(values.size()) - 1;
}

ValueId Builder::addInput(std::string name, TensorType type) {
  Entry entry{Entry::Kind::Input, std::move(name), std::move(type)};
  entry.depth = 0;
  ++inputs;
  return add(std::move(entry));
}

ValueId Builder::addParameter(std::string name, TensorType type,
                              ParameterData data) {
  Entry entry{Entry::Kind::Parameter, std::move(name), std::move(type)};
  entry.weight = isFloat(entry.type.dtype);
  entry.data = std::move(data);
  entry.depth = 0;
  return add(std::move(entry));
}

ValueId Builder::addConstant(Tensor tensor, std::string name) {
  return addConstant(std::make_shared<const Tensor>(std::move(tensor)),
                     std::move(name));
}

ValueId Builder::addConstant(std::shared_ptr<const Tensor> tensor,
                             std::string name) {
  Entry entry{Entry::Kind::Constant, std::move(name), tensor->type};
  entry.tensor = std::move(tensor);
  return add(std::move(entry));
}

ValueId Builder::addConstant(std::string name, TensorType type,
                             ParameterData data) {
  const ValueId v =
      addParameter(std::move(name), std::move(type), std::move(data));
  values[v].weight = false;
  values[v].constant = true;
  values[v].depth = unnamed;
  return v;
}

ValueId Builder::randomSeed() {
  if (seed)
    return *seed;
  ParameterData data;
  data.kind = ParameterData::Kind::Drawn;
  data.scale = double(int64_t(1) << 31);
  seed = addConstant("random.seed", {DType::I64, {}}, std::move(data));
  values[*seed].state = true;
  addUpdate(*seed, apply("next_step", {*seed}, {}, "random.seed")->front());
  return *seed;
}

bool Builder::addUpdate(ValueId parameter, ValueId value) {
  if (values[parameter].kind != Entry::Kind::Parameter ||
      values[parameter].type != values[value].type)
    return false;
  setConstant(parameter);
  for (auto &[known, last] : updates)
    if (known == parameter) {
      last = value;
      return true;
    }
  updates.emplace_back(parameter, value);
  return true;
}

void Builder::setConstant(ValueId v) {
  if (values[v].kind == Entry::Kind::Parameter)
    values[v].constant = true;
}

ValueId Builder::untrained(ValueId v) {
  if (values[v].kind != Entry::Kind::Parameter)
    return v;
  const auto [twin, isNew] = twins.try_emplace(v);
  if (isNew) {
    Entry entry = values[v];
    entry.constant = true;
    twin->second = add(std::move(entry));
  }
  return twin->second;
}

ValueId Builder::addSequence(std::vector<ValueId> elements) {
  sequences.push_back(std::move(elements));
  return firstSequence + int(sequences.size()) - 1;
}

ValueId Builder::addStored(ValueId elements, int type) {
  storedValues.push_back({elements, type});
  return firstStored + int(storedValues.size()) - 1;
}

Status Builder::addTemplates(std::string_view file, std::string_view text) {
  return extra.add(file, text);
}

const tdl::Library *Builder::libraryOf(std::string_view op) const {
  if (extra.contains(op))
    return &extra;
  return tdl::standardLibrary().contains(op) ? &tdl::standardLibrary()
                                             : nullptr;
}

void Builder::setName(ValueId v, const std::string &name, int depth) {
  if (isStored(v))
    v = stored(v).elements;
  if (isSequence(v) || values[v].depth <= depth)
    return;
  values[v].name = name;
  values[v].depth = depth;
}

/// The few bytes of a parameter that the front-end looks into.
static std::shared_ptr<const Tensor> readParameter(const TensorType &type,
                                                   const ParameterData &data) {
  Tensor tensor = makeTensor(type);
  switch (data.kind) {
  case ParameterData::Kind::Drawn:
    return nullptr;
  case ParameterData::Kind::Memory:
    if (!tensor.bytes.empty())
      std::memcpy(tensor.bytes.data(), data.bytes, tensor.bytes.size());
    break;
  case ParameterData::Kind::File: {
    const auto file = InputFile::open(data.path);
    if (!file)
      return nullptr;
    const auto read =
        file->readAt(data.offset, tensor.bytes.data(), tensor.bytes.size());
    if (!read || *read != tensor.bytes.size())
      return nullptr;
  }
  }
  if (data.transposed) {
    const Tensor stored = tensor;
    const size_t rows = size_t(type.shape[0]), columns = size_t(type.shape[1]),
                 element = size_t(byteSize(type.dtype));
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        std::memcpy(&tensor.bytes[(i * columns + j) * element],
                    &stored.bytes[(j * rows + i) * element], element);
  }
  return std::make_shared<const Tensor>(std::move(tensor));
}

std::shared_ptr<const Tensor> Builder::known(ValueId v) {
  Entry &entry = values[v];
  const int64_t most = entry.packed ? 1024 : foldedElementsOf(entry.type.dtype);
  if (!entry.tensor && entry.kind == Entry::Kind::Parameter &&
      elementCount(entry.type.shape).value_or(most + 1) <= most)
    entry.tensor = readParameter(entry.type, entry.data);
  return entry.tensor;
}

void Builder::fold(const Application &application) {
  Entry &result = values[application.result];
  const auto elements = elementCount(result.type.shape);
  const auto work = elementCount(application.extents);
  // What is made of weights is rarely looked into; a scale or a size is small.
  const int64_t limit =
      result.weight ? 1024 : foldedElementsOf(result.type.dtype);
  if (!elements || *elements > limit || !work ||
      *work > foldedWork / (result.weight ? 64 : 1))
    return;
  std::vector<std::shared_ptr<const Tensor>> held;
  std::vector<const Tensor *> operands;
  for (ValueId operand : application.operands) {
    held.push_back(known(operand));
    if (!held.back())
      return;
    operands.push_back(held.back().get());
  }
  auto value = interpret(application.lambda, application.extents, operands);
  // An error (such as a division by zero) is left to the run, which may never
  // reach it.
  if (value)
    result.tensor = std::make_shared<const Tensor>(std::move(*value));
}

Result<std::vector<ValueId>>
Builder::apply(std::string_view op, const std::vector<ValueId> &operands,
               const tdl::Attributes &attributes, const std::string &node) {
  const tdl::Library *library = libraryOf(op);
  if (!library)
    return fail("no operator is called ", op);
  std::vector<TensorType> types;
  for (ValueId operand : operands)
    types.push_back(type(operand));
  Types key;
  for (const TensorType &type : types)
    key.emplace_back(type.dtype, type.shape);
  Use use(op, std::move(key), attributes);
  auto known = instances.find(use);
  if (known == instances.end()) {
    auto instance = library->instantiate(op, types, attributes);
    if (!instance)
      return instance.takeError();
    known = instances.emplace(std::move(use), std::move(*instance)).first;
  }
  return append(known->second, operands, node);
}

std::vector<ValueId> Builder::append(const tdl::Instance &instance,
                                     const std::vector<ValueId> &operands,
                                     const std::string &node,
                                     ValueId gradientOf) {
  std::vector<ValueId> results;
  const auto valueOf = [&](int number) {
    return number >= 0 ? operands[number] : results[~number];
  };
  for (const tdl::Application &a : instance.applications) {
    std::vector<ValueId> read;
    for (int operand : a.operands)
      read.push_back(valueOf(operand));
    results.push_back(apply(a, std::move(read), node, gradientOf));
  }
  std::vector<ValueId> returned;
  for (int number : instance.results)
    returned.push_back(valueOf(number));
  return returned;
}

ValueId Builder::apply(tdl::Application a, std::vector<ValueId> operands,
                       const std::string &node, ValueId gradientOf) {
  std::vector<tdl::ExprRef> numbers;
  bool any = false;
  for (ValueId operand : operands) {
    // A weight is no constant, however uniform it is.
    const auto tensor = values[operand].weight ? nullptr : known(operand);
    numbers.push_back(tensor ? uniformValue(*tensor) : nullptr);
    any |= numbers.back() != nullptr;
  }
  if (any) {
    std::vector<int> kept;
    std::vector<ValueId> left;
    a.lambda = substitute(a.lambda, numbers, kept);
    for (int k : kept)
      left.push_back(operands[k]);
    operands = std::move(left);
  }
  const size_t rank = a.lambda.rank();
  TensorType type{a.lambda.result,
                  {a.extents.begin(), a.extents.begin() + rank}};
  // A lambda that passes its operand on is that operand.
  if (const auto at = plainRead(a.lambda);
      at && operands.size() == 1 && type == values[operands[0]].type) {
    bool same = true;
    for (size_t d = 0; d < rank; ++d)
      same &= (*at)[d] == int(d) || type.shape[d] == 1;
    if (same)
      return operands[0];
  }
  Entry entry{Entry::Kind::Computed,
              node + "." + std::to_string(++intermediates[node]),
              std::move(type)};
  for (ValueId operand : operands)
    entry.weight |= values[operand].weight;
  entry.weight &= isFloat(entry.type.dtype);
  entry.application = int(applications.size());
  Application made;
  made.node = node;
  made.gradientOf = gradientOf;
  made.extents = std::move(a.extents);
  made.lambda = std::move(a.lambda);
  made.detached = a.detached;
  made.conditional = conditional;
  made.ties = a.ties;
  made.operands = std::move(operands);
  made.result = add(std::move(entry));
  fold(made);
  applications.push_back(std::move(made));
  return applications.back().result;
}

ValueId Builder::broadcastSource(ValueId v, std::vector<int> &at) const {
  at.resize(type(v).shape.size());
  for (size_t d = 0; d < at.size(); ++d)
    at[d] = int(d);
  while (values[v].kind == Entry::Kind::Computed) {
    const Application &a = applications[values[v].application];
    const auto read = plainRead(a.lambda);
    if (!read || a.operands.size() != 1)
      break;
    std::vector<int> composed;
    for (int d : *read)
      composed.push_back(d < 0 || type(v).shape[d] == 1 ? -1 : at[d]);
    at = std::move(composed);
    v = a.operands[0];
  }
  return v;
}

Model Builder::finish(
    const std::vector<std::pair<std::string, ValueId>> &outputs,
    bool training) {
  if (!training)
    updates.clear();
  std::vector<bool> needed(values.size());
  std::vector<ValueId> pending;
  const auto need = [&](ValueId v) {
    if (!needed[v])
      pending.push_back(v);
    needed[v] = true;
  };
  for (const auto &output : outputs)
    need(output.second);
  for (const auto &[parameter, value] : updates)
    need(parameter), need(value);
  while (!pending.empty()) {
    const Entry &entry = values[pending.back()];
    pending.pop_back();
    if (stays(entry))
      for (ValueId operand : applications[entry.application].operands)
        need(operand);
  }

  Model model;
  std::unordered_set<std::string> names;
  std::vector<int> number(values.size(), -1);
  const auto isKept = [&](size_t v) {
    return needed[v] || values[v].kind == Entry::Kind::Input;
  };
  // The model's own names first: a made name gives way.
  for (bool named : {true, false})
    for (size_t v = 0; v < values.size(); ++v)
      if (Entry &entry = values[v]; isKept(v) && entry.named() == named) {
        std::string name = entry.name;
        for (int i = 2; !names.insert(name).second; ++i)
          name = entry.name + "_" + std::to_string(i);
        entry.name = std::move(name);
      }
  for (size_t v = 0; v < values.size(); ++v) {
    const Entry &entry = values[v];
    if (!isKept(v))
      continue;
    number[v] = int(model.values.size());
    model.values.push_back({entry.name, entry.type});
    if (entry.kind == Entry::Kind::Input) {
      model.inputs.push_back(number[v]);
    } else if (entry.kind == Entry::Kind::Parameter) {
      model.parameters.push_back(
          {number[v], entry.data, entry.constant, entry.state});
    } else if (!stays(entry)) {
      ParameterData data;
      data.bytes = entry.tensor->bytes.data();
      data.keepAlive = entry.tensor;
      model.parameters.push_back({number[v], std::move(data), true});
    }
  }
  for (Application &application : applications) {
    if (!needed[application.result] || !stays(values[application.result]))
      continue;
    application.result = number[application.result];
    for (int &operand : application.operands)
      operand = number[operand];
    if (application.gradientOf >= 0)
      application.gradientOf = number[application.gradientOf];
    model.applications.push_back(std::move(application));
  }
  for (const auto &[parameter, value] : updates)
    model.updates.push_back({number[parameter], number[value]});
  for (const auto &output : outputs) {
    model.outputs.push_back(number[output.second]);
    model.outputNames.push_back(output.first);
  }
  return model;
}
