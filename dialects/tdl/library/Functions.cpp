#include "dialects/tdl/library/Functions.h"

#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

template <size_t N>
bool isAmong(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

constexpr std::string_view packFunctions[] = {
    "reverse",         "insert",    "erase",  "replace", "permute",
    "inverse",         "range",     "concat", "select",  "split",
    "broadcast_shape", "broadcast", "repeat"};
constexpr std::string_view scalarFunctions[] = {
    "len",  "prod",   "sum",      "all",    "any",
    "join", "find",   "contains", "rank",   "type",
    "cast", "lowest", "highest",  "extent", "accumulator"};

} // namespace

bool tdl::isPackFunction(std::string_view name) {
  return isAmong(name, packFunctions);
}
bool tdl::isTemplateFunction(std::string_view name) {
  return isAmong(name, scalarFunctions);
}
bool tdl::takesTensor(std::string_view name) {
  static constexpr std::string_view names[] = {
      "rank", "type", "cast", "lowest", "highest", "extent", "accumulator"};
  return isAmong(name, names);
}

std::optional<std::vector<TemplateEvaluator::Values>>
TemplateEvaluator::groups(const Node &node) {
  std::vector<Values> result;
  for (const NodeRef &argument : node.children) {
    auto values = expand(argument);
    if (!values)
      return std::nullopt;
    result.push_back(std::move(*values));
  }
  return result;
}

std::optional<DType> TemplateEvaluator::typeOf(const NodeRef &node) {
  if (node->kind == NodeKind::Name)
    if (auto source = array(node->text))
      return source->type;
  const auto value = evaluate(node);
  if (!value)
    return std::nullopt;
  if (value->kind != Value::Type)
    return fail(node->place,
                "expected a type or a tensor, got " + describe(*value));
  return value->type;
}

std::optional<int64_t> TemplateEvaluator::position(const Node &node,
                                                   const Value &value,
                                                   int64_t count) {
  const auto known = knownWhole(value);
  if (!known)
    return fail(node.place, "a position in '" + node.text +
                                "' must be a known integer, got " +
                                describe(value));
  if (*known < -count || *known >= count)
    return fail(node.place, "position " + std::to_string(*known) + " in '" +
                                node.text + "' of " + std::to_string(count));
  return *known < 0 ? *known + count : *known;
}

/// Functions of all their values, one after the other.
std::optional<Value> TemplateEvaluator::fold(const Node &node) {
  const auto all = scalars(node, node.children);
  if (!all)
    return std::nullopt;
  if (node.text == "len")
    return Value::of(int64_t(all->size()));
  const bool isAll = node.text == "all";
  const bool isCondition = isAll || node.text == "any";
  const BinaryOp op = isAll                 ? BinaryOp::And
                      : isCondition         ? BinaryOp::Or
                      : node.text == "prod" ? BinaryOp::Mul
                                            : BinaryOp::Add;
  Value result =
      isCondition ? Value::of(isAll) : Value::of(int64_t(node.text == "prod"));
  for (const Value &value : *all) {
    auto next =
        at(node.place,
           applyBinary(op, result, isCondition ? asCondition(value) : value));
    if (!next || !isSmall(node, *next))
      return std::nullopt;
    result = std::move(*next);
  }
  return result;
}

/// Counts a step of a function that makes large expressions.
bool TemplateEvaluator::isSmall(const Node &node, const Value &value) {
  if (value.kind == Value::Data &&
      (value.data->depth > maxDepth || value.data->size > maxSize)) {
    fail(node.place, "the expression grows too large");
    return false;
  }
  return step(node.place);
}

std::optional<Value> TemplateEvaluator::call(const Node &node) {
  if (const auto entry = zipped.find(&node); entry != zipped.end())
    return (*entry->second.values)[entry->second.at];
  const std::string &function = node.text;
  if (isPackFunction(function))
    return fail(node.place, "'" + function + "' gives a pack: write " +
                                function + "(...)...");
  if (!isTemplateFunction(function))
    return fail(node.place, "there is no function '" + function + "'");
  const auto expects = [&](std::string_view usage) {
    return fail(node.place, "expected " + std::string(usage));
  };
  const size_t count = node.children.size();
  for (std::string_view name : {"len", "prod", "sum", "all", "any"})
    if (function == name)
      return fold(node);
  if (function == "cast") {
    if (count != 2)
      return expects("cast(value, type or tensor)");
    const auto value = evaluate(node.children[0]);
    const auto type = value ? typeOf(node.children[1]) : std::nullopt;
    if (!type)
      return std::nullopt;
    return at(node.place, applyCast(*type, *value));
  }
  if (function == "type" || function == "lowest" || function == "highest" ||
      function == "accumulator") {
    if (count != 1)
      return expects(function + "(tensor or type)");
    const auto type = typeOf(node.children[0]);
    if (!type)
      return std::nullopt;
    if (function == "type")
      return Value::of(*type);
    if (function == "accumulator")
      return Value::of(partialType(Reducer::Sum, *type));
    return Value::of(
        identity(function == "lowest" ? Reducer::Max : Reducer::Min, *type));
  }
  if (function == "rank" || function == "extent") {
    const bool isRank = function == "rank";
    std::optional<Array> source;
    if (count == (isRank ? 1 : 2) && node.children[0]->kind == NodeKind::Name)
      source = array(node.children[0]->text);
    if (!source)
      return expects(isRank ? "rank(tensor)" : "extent(tensor, dimension)");
    if (isRank)
      return Value::of(int64_t(source->rank));
    const auto dim = evaluate(node.children[1]);
    const auto known = dim ? position(node, *dim, source->rank) : std::nullopt;
    if (!known)
      return std::nullopt;
    return Value::of(extentOf(source->operand, int(*known)));
  }
  const auto arguments = groups(node);
  if (!arguments)
    return std::nullopt;
  if (function == "join")
    return joined(node, *arguments);
  // find, contains
  if (count != 2 || (*arguments)[1].size() != 1)
    return expects(function + "(pack..., number)");
  for (const Value &value : (*arguments)[0])
    if (!knownWhole(value))
      return fail(node.place, "'" + function + "' needs known integers, got " +
                                  describe(value));
  const auto wanted = knownWhole((*arguments)[1][0]);
  if (!wanted)
    return fail(node.place, "'" + function + "' needs a known integer, got " +
                                describe((*arguments)[1][0]));
  const Values &pack = (*arguments)[0];
  const auto found =
      std::find_if(pack.begin(), pack.end(),
                   [&](const Value &v) { return knownWhole(v) == *wanted; });
  if (function == "contains")
    return Value::of(found != pack.end());
  return Value::of(found == pack.end() ? int64_t(-1)
                                       : int64_t(found - pack.begin()));
}

/// join(index..., shape...): the first half is the index, the second the shape.
std::optional<Value>
TemplateEvaluator::joined(const Node &node, const std::vector<Values> &groups) {
  Values all;
  for (const Values &group : groups)
    all.insert(all.end(), group.begin(), group.end());
  const size_t rank = all.size() / 2;
  if (all.size() % 2 || (groups.size() == 2 && groups[0].size() != rank))
    return fail(node.place,
                "expected join(index..., shape...), both of the same length, "
                "got " +
                    std::to_string(all.size()) + " values");
  Value number = Value::of(int64_t(0));
  for (size_t d = 0; d < rank; ++d) {
    auto next =
        at(node.place, applyBinary(BinaryOp::Mul, number, all[rank + d]));
    if (next)
      next = at(node.place, applyBinary(BinaryOp::Add, *next, all[d]));
    if (!next || !isSmall(node, *next))
      return std::nullopt;
    number = simplifiedValue(std::move(*next));
  }
  return number;
}
