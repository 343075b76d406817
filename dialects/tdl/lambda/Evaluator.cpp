#include "dialects/tdl/lambda/Evaluator.h"

#include "dialects/tdl/lambda/Opaque.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {
/// Steps of evaluation that one use of an operator may take: real ones need
/// thousands, and packs of packs could ask for any number.
constexpr int64_t maxSteps = 1'000'000;
} // namespace

std::nullopt_t Evaluator::fail(Place place, std::string message) {
  if (!problem)
    problem = smex::fail(toString(file, place), subject, message);
  return std::nullopt;
}

bool Evaluator::step(Place place, size_t count) {
  steps += int64_t(count);
  if (steps <= maxSteps)
    return !failed();
  fail(place, "expanding this takes too long");
  return false;
}

std::optional<Value> Evaluator::evaluate(const NodeRef &node) {
  if (!step(node->place))
    return std::nullopt;
  std::optional<Value> value = compute(*node);
  if (!value || value->kind != Value::Data)
    return value;
  if (value->data->depth > maxDepth || value->data->size > maxSize)
    return fail(node->place, "the expression grows too large");
  return Value::of(simplified(value->data), value->isFlexible);
}

std::optional<Value> Evaluator::compute(const Node &node) {
  switch (node.kind) {
  case NodeKind::Integer:
    return Value::of(node.integer);
  case NodeKind::Real:
    return Value::of(node.real);
  case NodeKind::String:
    return Value::of(node.text);
  case NodeKind::Name:
    if (auto reserved = reservedValue(node.text))
      return reserved;
    if (array(node.text))
      return fail(node.place,
                  "'" + node.text + "' is a tensor: read it with [...]");
    return name(node);
  case NodeKind::Unary:
    return unary(node);
  case NodeKind::Binary:
    return binary(node);
  case NodeKind::Select:
    return choice(node);
  case NodeKind::Call: {
    if (!isFunction(node.text))
      return call(node);
    auto arguments = scalars(node, node.children);
    if (!arguments)
      return std::nullopt;
    return at(node.place, applyFunction(node.text, *arguments));
  }
  case NodeKind::Subscript: {
    const Node &base = *node.children[0];
    if (base.kind == NodeKind::Name)
      if (auto source = array(base.text))
        return read(node, *source);
    if (node.otherwise)
      return fail(node.otherwise->place,
                  "'else' follows reads of tensors only");
    return element(node);
  }
  case NodeKind::Reduce:
    return reduction(node);
  case NodeKind::Opaque:
    return opaque(node);
  case NodeKind::List:
  case NodeKind::Range:
  case NodeKind::Spread:
    return several(node);
  }
  return std::nullopt;
}

std::optional<Value> Evaluator::unary(const Node &node) {
  auto operand = evaluate(node.children[0]);
  if (!operand)
    return std::nullopt;
  if (node.unary == UnaryOp::Not)
    operand = asCondition(*operand);
  return at(node.place, applyUnary(node.unary, *operand));
}

std::optional<Value> Evaluator::binary(const Node &node) {
  auto a = evaluate(node.children[0]);
  if (!a)
    return std::nullopt;
  const bool isOr = node.binary == BinaryOp::Or;
  if (!isOr && node.binary != BinaryOp::And) {
    auto b = evaluate(node.children[1]);
    if (!b)
      return std::nullopt;
    return at(node.place, apply(node.binary, *a, *b));
  }
  const auto isCondition = [&](const Value &value) {
    if (value.kind == Value::Bool ||
        (value.kind == Value::Data && value.data->type == DType::Bool))
      return true;
    fail(node.place, "'" + std::string(spelling(node.binary, DType::Bool)) +
                         "' takes conditions, got " + describe(value));
    return false;
  };
  a = asCondition(*a);
  // What a known left side decides is not evaluated: it need not make sense.
  if (!isCondition(*a))
    return std::nullopt;
  if (auto known = knownBool(*a); known && *known == isOr)
    return a;
  auto b = evaluate(node.children[1]);
  if (b)
    b = asCondition(*b);
  if (!b || !isCondition(*b))
    return std::nullopt;
  return at(node.place, applyBinary(node.binary, *a, *b));
}

std::optional<Value> Evaluator::condition(const NodeRef &node) {
  auto value = evaluate(node);
  if (value)
    value = asCondition(*value);
  return value;
}

std::optional<Value> Evaluator::choice(const Node &node) {
  const auto test = condition(node.children[0]);
  if (!test)
    return std::nullopt;
  if (auto known = knownBool(*test))
    return evaluate(node.children[*known ? 1 : 2]);
  auto a = evaluate(node.children[1]);
  if (!a)
    return std::nullopt;
  auto b = evaluate(node.children[2]);
  if (!b)
    return std::nullopt;
  return at(node.place, applySelect(*test, *a, *b));
}

std::optional<std::vector<std::optional<Value>>>
Evaluator::values(const std::vector<NodeRef> &items) {
  std::vector<std::optional<Value>> result;
  for (const NodeRef &item : items) {
    if (item->kind == NodeKind::Range && !item->children[0] &&
        !item->children[1]) {
      result.push_back(std::nullopt);
      continue;
    }
    result.push_back(evaluate(item));
    if (!result.back())
      return std::nullopt;
  }
  return result;
}

std::optional<std::vector<Value>>
Evaluator::scalars(const Node &node, const std::vector<NodeRef> &items) {
  auto all = values(items);
  if (!all)
    return std::nullopt;
  std::vector<Value> result;
  for (std::optional<Value> &value : *all) {
    if (!value)
      return fail(node.place, "':' stands for a dimension of an argument of an "
                              "opaque function only");
    result.push_back(std::move(*value));
  }
  return result;
}

std::optional<std::vector<ExprRef>>
Evaluator::indices(Place place, const std::vector<NodeRef> &items) {
  auto all = values(items);
  if (!all)
    return std::nullopt;
  std::vector<ExprRef> result;
  for (const std::optional<Value> &value : *all) {
    result.push_back(nullptr);
    if (!value)
      continue;
    auto index = at(place, asIndex(*value));
    if (!index)
      return std::nullopt;
    result.back() = *index;
  }
  return result;
}

std::optional<Value> Evaluator::read(const Node &node, const Array &array) {
  auto index =
      indices(node.place, {node.children.begin() + 1, node.children.end()});
  if (!index)
    return std::nullopt;
  const std::string &operand = node.children[0]->text;
  if (int(index->size()) != array.rank)
    return fail(node.place, "'" + operand + "' has rank " +
                                std::to_string(array.rank) + ", read with " +
                                std::to_string(index->size()) +
                                (index->size() == 1 ? " index" : " indices"));
  for (const ExprRef &e : *index)
    if (!e)
      return fail(node.place, "':' stands for a dimension of an argument of an "
                              "opaque function only");
  ExprRef otherwise;
  if (node.otherwise) {
    auto value = evaluate(node.otherwise);
    if (!value)
      return std::nullopt;
    auto typed = at(node.otherwise->place, asType(*value, array.type));
    if (!typed)
      return std::nullopt;
    otherwise = *typed;
  }
  return Value::of(readOf(array, std::move(*index), otherwise));
}

ExprRef Evaluator::readOf(const Array &array, std::vector<ExprRef> index,
                          ExprRef otherwise) {
  return tdl::read(array.operand, array.type, std::move(index), otherwise);
}

std::optional<Expr::Slice> Evaluator::slice(const Node &node) {
  std::optional<Array> source;
  if (node.kind == NodeKind::Subscript &&
      node.children[0]->kind == NodeKind::Name)
    source = array(node.children[0]->text);
  if (!source || node.otherwise)
    return fail(node.place, "expected a slice of a tensor, such as x[i, :]");
  auto index =
      indices(node.place, {node.children.begin() + 1, node.children.end()});
  if (!index)
    return std::nullopt;
  if (int(index->size()) != source->rank)
    return fail(node.place, "'" + node.children[0]->text + "' has rank " +
                                std::to_string(source->rank) +
                                ", sliced with " +
                                std::to_string(index->size()) + " indices");
  return Expr::Slice{source->operand, std::move(*index)};
}

std::optional<Value> Evaluator::opaque(const Node &node) {
  const OpaqueFunction *function = findOpaque(node.text);
  if (!function)
    return fail(node.place, "there is no opaque function '" + node.text + "'");
  const size_t slices = function->slices.size();
  const auto wrongCount = [&] {
    return fail(node.place,
                "'" + node.text + "' takes " + std::to_string(slices) +
                    (slices == 1 ? " slice" : " slices") + " and " +
                    std::to_string(function->arguments.size()) + " constants");
  };
  if (node.children.size() < slices)
    return wrongCount();
  std::vector<Expr::Slice> inputs;
  std::optional<DType> type;
  for (size_t i = 0; i < slices; ++i) {
    auto input = slice(*node.children[i]);
    if (!input)
      return std::nullopt;
    const Array source = *array(node.children[i]->children[0]->text);
    const auto whole =
        std::count(input->index.begin(), input->index.end(), nullptr);
    if (whole != function->slices[i])
      return fail(node.children[i]->place,
                  "'" + node.text + "' takes a slice with " +
                      std::to_string(function->slices[i]) +
                      " whole dimensions, got " + std::to_string(whole));
    if (i == 0)
      type = function->resultType(source.type);
    if (!type)
      return fail(node.children[i]->place,
                  "'" + node.text + "' is not defined for " +
                      std::string(smex::name(source.type)));
    inputs.push_back(std::move(*input));
  }
  auto rest = scalars(node, {node.children.begin() + std::ptrdiff_t(slices),
                             node.children.end()});
  if (!rest)
    return std::nullopt;
  if (rest->size() != function->arguments.size())
    return wrongCount();
  std::vector<double> arguments;
  for (size_t i = 0; i < rest->size(); ++i) {
    auto known = knownReal((*rest)[i]);
    if (!known)
      return fail(node.place, "'" + std::string(function->arguments[i]) +
                                  "' of '" + node.text +
                                  "' must be a constant");
    arguments.push_back(*known);
  }
  auto index = indices(node.place, node.result);
  if (!index)
    return std::nullopt;
  if (int(index->size()) != function->resultRank ||
      std::count(index->begin(), index->end(), nullptr))
    return fail(node.place, "the result of '" + node.text + "' has rank " +
                                std::to_string(function->resultRank));
  return opaqueValue(node, tdl::opaque(node.text, *type, std::move(arguments),
                                       std::move(inputs), std::move(*index)));
}
