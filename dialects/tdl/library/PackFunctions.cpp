// Functions that return packs.
#include "dialects/tdl/lambda/Simplify.h"
#include "dialects/tdl/library/Functions.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

/// Lists of values that templates may make: ranks are small, and so should be
/// everything made of them.
constexpr int64_t maxPack = 1 << 16;

} // namespace

std::optional<TemplateEvaluator::Values>
TemplateEvaluator::packFunction(const Node &node) {
  auto arguments = groups(node);
  if (!arguments)
    return std::nullopt;
  const std::string &function = node.text;
  std::vector<Values> &all = *arguments;
  const size_t count = all.size();
  const auto expects = [&](std::string_view usage) {
    return fail(node.place, "expected " + std::string(usage));
  };
  const auto isSingle = [&](size_t i) { return all[i].size() == 1; };

  if (function == "reverse") {
    if (count != 1)
      return expects("reverse(pack...)");
    std::reverse(all[0].begin(), all[0].end());
    return all[0];
  }
  if (function == "insert" || function == "replace") {
    if (count != 3 || !isSingle(1) || !isSingle(2))
      return expects(function + "(pack..., position, value)");
    const bool inserts = function == "insert";
    const auto at = position(node, all[1][0], int64_t(all[0].size()) + inserts);
    if (!at)
      return std::nullopt;
    if (inserts)
      all[0].insert(all[0].begin() + *at, all[2][0]);
    else
      all[0][size_t(*at)] = all[2][0];
    return all[0];
  }
  if (function == "erase") {
    if (count != 2 || !isSingle(1))
      return expects("erase(pack..., position)");
    const auto at = position(node, all[1][0], int64_t(all[0].size()));
    if (!at)
      return std::nullopt;
    all[0].erase(all[0].begin() + *at);
    return all[0];
  }
  if (function == "permute") {
    if (count != 2)
      return expects("permute(pack..., positions...)");
    Values result;
    for (const Value &value : all[1]) {
      const auto at = position(node, value, int64_t(all[0].size()));
      if (!at)
        return std::nullopt;
      result.push_back(all[0][size_t(*at)]);
    }
    return result;
  }
  if (function == "inverse") {
    if (count != 1)
      return expects("inverse(permutation...)");
    const int64_t size = int64_t(all[0].size());
    std::vector<int64_t> result(all[0].size(), -1);
    for (int64_t i = 0; i < size; ++i) {
      const auto at = position(node, all[0][size_t(i)], size);
      if (!at)
        return std::nullopt;
      if (result[size_t(*at)] >= 0)
        return fail(node.place, "not a permutation: " + std::to_string(*at) +
                                    " occurs twice");
      result[size_t(*at)] = i;
    }
    Values values;
    for (int64_t at : result)
      values.push_back(Value::of(at));
    return values;
  }
  if (function == "range" || function == "repeat") {
    const bool isRange = function == "range";
    const size_t last = isRange ? 0 : 1;
    if (count != last + 1 || !isSingle(0) || !isSingle(last))
      return expects(isRange ? "range(count)" : "repeat(value, count)");
    const auto size = knownWhole(all[last][0]);
    if (!size || *size < 0 || *size > maxPack)
      return fail(node.place, "'" + function + "' needs a count from 0 to " +
                                  std::to_string(maxPack) + ", got " +
                                  describe(all[last][0]));
    Values values;
    for (int64_t i = 0; i < *size; ++i) {
      if (!step(node.place))
        return std::nullopt;
      values.push_back(isRange ? Value::of(i) : all[0][0]);
    }
    return values;
  }
  if (function == "concat") {
    Values values;
    for (const Values &group : all)
      values.insert(values.end(), group.begin(), group.end());
    return values;
  }
  if (function == "select")
    return selectPack(node, all);
  if (function == "split")
    return splitPack(node, all);
  return function == "broadcast_shape" ? broadcastShape(node, all)
                                       : broadcastIndex(node, all);
}

/// select(c..., a..., b...): a single value, not spread, goes with every c.
std::optional<TemplateEvaluator::Values>
TemplateEvaluator::selectPack(const Node &node,
                              const std::vector<Values> &all) {
  if (all.size() != 3)
    return fail(node.place,
                "expected select(conditions..., values..., others...)");
  const size_t size = all[0].size();
  const auto choice = [&](size_t group, size_t i) -> const Value * {
    if (node.children[group]->kind != NodeKind::Spread &&
        all[group].size() == 1)
      return &all[group][0];
    return all[group].size() == size ? &all[group][i] : nullptr;
  };
  Values values;
  for (size_t i = 0; i < size; ++i) {
    const Value *a = choice(1, i), *b = choice(2, i);
    if (!a || !b)
      return fail(node.place, "'select' needs packs of the same length, got " +
                                  std::to_string(size) + " and " +
                                  std::to_string(all[a ? 2 : 1].size()));
    auto value = at(node.place, applySelect(all[0][i], *a, *b));
    if (!value)
      return std::nullopt;
    values.push_back(std::move(*value));
  }
  return values;
}

/// split(number, shape...): number // stride % extent, but for the first.
std::optional<TemplateEvaluator::Values>
TemplateEvaluator::splitPack(const Node &node, const std::vector<Values> &all) {
  if (all.empty() || all[0].size() != 1)
    return fail(node.place, "expected split(number, shape...)");
  Values shape;
  for (auto group = all.begin() + 1; group != all.end(); ++group)
    shape.insert(shape.end(), group->begin(), group->end());
  Values values(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const auto known = knownWhole(shape[d]);
    if (!known || *known < 0)
      return fail(node.place,
                  "an extent in 'split' must be known and not negative, got " +
                      describe(shape[d]));
    // Where an extent is 0, nothing is ever evaluated.
    const int64_t extent = std::max<int64_t>(*known, 1);
    auto value = at(node.place, applyBinary(BinaryOp::FloorDiv, all[0][0],
                                            Value::of(stride)));
    if (value)
      value = simplifiedValue(std::move(*value));
    if (value && d > 0) {
      value =
          at(node.place, applyBinary(BinaryOp::Mod, *value, Value::of(extent)));
      if (value)
        value = simplifiedValue(std::move(*value));
    }
    if (!value || !step(node.place))
      return std::nullopt;
    values[d] = std::move(*value);
    if (__builtin_mul_overflow(stride, extent, &stride))
      return fail(node.place, "the extents in 'split' overflow");
  }
  return values;
}

Value TemplateEvaluator::simplifiedValue(Value value) {
  if (value.kind == Value::Data)
    return Value::of(simplified(value.data), value.isFlexible);
  return value;
}

/// The common shape of all, right-aligned: an extent of 1 gives way.
std::optional<TemplateEvaluator::Values>
TemplateEvaluator::broadcastShape(const Node &node,
                                  const std::vector<Values> &all) {
  std::vector<int64_t> common; // reversed
  for (const Values &shape : all)
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto extent = knownWhole(shape[shape.size() - 1 - d]);
      if (!extent)
        return fail(node.place,
                    "extents in 'broadcast_shape' must be known integers");
      if (d == common.size())
        common.push_back(*extent);
      else if (common[d] == 1)
        common[d] = *extent;
      else if (*extent != 1 && *extent != common[d])
        return fail(node.place, "extents " + std::to_string(common[d]) +
                                    " and " + std::to_string(*extent) +
                                    " do not broadcast");
    }
  Values values;
  for (auto extent = common.rbegin(); extent != common.rend(); ++extent)
    values.push_back(Value::of(*extent));
  return values;
}

/// The last indices, 0 where the operand's extent is 1. An index that can be
/// nothing but 0 stays: a batch of one then reads as any other.
std::optional<TemplateEvaluator::Values>
TemplateEvaluator::broadcastIndex(const Node &node,
                                  const std::vector<Values> &all) {
  if (all.size() != 2 || all[0].size() < all[1].size())
    return fail(node.place,
                "expected broadcast(index..., shape...), the shape no longer "
                "than the index");
  const Values &shape = all[1];
  Values values(all[0].end() - std::ptrdiff_t(shape.size()), all[0].end());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (knownWhole(shape[d]) != 1)
      continue;
    std::optional<Range> range;
    if (values[d].kind == Value::Data && values[d].data->type == DType::I64)
      range = rangeOf(values[d].data, normalizer.ranges());
    if (!range || range->lo != 0 || range->hi != 0)
      values[d] = Value::of(int64_t(0));
  }
  return values;
}
