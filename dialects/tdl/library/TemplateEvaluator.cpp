// Names, packs and their expansion.
#include "dialects/tdl/lambda/Simplify.h"
#include "dialects/tdl/library/Functions.h"
#include "dialects/tdl/library/Instantiation.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

const Binding *TemplateEvaluator::find(std::string_view name) const {
  const auto entry = environment.find(name);
  return entry == environment.end() ? nullptr : &entry->second;
}

std::optional<Array> TemplateEvaluator::array(std::string_view name) {
  const Binding *binding = find(name);
  if (!binding || binding->kind != Binding::Tensor)
    return std::nullopt;
  const ArrayShape &tensor = binding->tensor;
  return Array{tensor.source, tensor.type, int(tensor.shape.size())};
}

std::optional<Value> TemplateEvaluator::name(const Node &node) {
  if (const auto entry = zipped.find(&node); entry != zipped.end())
    return (*entry->second.values)[entry->second.at];
  const Binding *binding = find(node.text);
  if (!binding)
    return fail(node.place, "unknown name '" + node.text + "'");
  if (binding->kind == Binding::Pack)
    return fail(node.place,
                "'" + node.text + "' is a pack: write " + node.text + "...");
  return binding->value;
}

std::optional<int64_t> TemplateEvaluator::integer(const NodeRef &node,
                                                  std::string_view what) {
  const auto value = evaluate(node);
  if (!value)
    return std::nullopt;
  if (auto known = knownWhole(*value))
    return known;
  return fail(node->place, std::string(what) +
                               " must be a known integer, got " +
                               describe(*value));
}

bool TemplateEvaluator::isPack(const Node &node) const {
  switch (node.kind) {
  case NodeKind::Name: {
    const Binding *binding = find(node.text);
    return binding && binding->kind == Binding::Pack;
  }
  case NodeKind::List:
    return true;
  case NodeKind::Call:
    return isPackFunction(node.text);
  case NodeKind::Subscript:
    return node.children.size() == 2 &&
           node.children[1]->kind == NodeKind::Range &&
           isPack(*node.children[0]);
  default:
    return false;
  }
}

std::optional<TemplateEvaluator::Values>
TemplateEvaluator::packOf(const Node &node) {
  switch (node.kind) {
  case NodeKind::Name: {
    const Values &values = find(node.text)->values;
    if (!step(node.place, values.size()))
      return std::nullopt;
    return values;
  }
  case NodeKind::List:
    return scalars(node, node.children);
  case NodeKind::Call:
    return packFunction(node);
  default:
    break;
  }
  auto whole = packOf(*node.children[0]);
  if (!whole)
    return std::nullopt;
  const int64_t count = int64_t(whole->size());
  const Node &range = *node.children[1];
  int64_t ends[] = {0, count};
  for (size_t i = 0; i < 2; ++i) {
    if (!range.children[i])
      continue;
    const auto end = integer(range.children[i], "the end of a slice");
    if (!end)
      return std::nullopt;
    ends[i] = *end < 0 ? *end + count : *end;
  }
  if (ends[0] < 0 || ends[0] > ends[1] || ends[1] > count)
    return fail(range.place, "slice " + std::to_string(ends[0]) + ":" +
                                 std::to_string(ends[1]) + " of a pack of " +
                                 std::to_string(count));
  return Values(whole->begin() + ends[0], whole->begin() + ends[1]);
}

/// The packs to zip: what stands for several values, but for what is spread by
/// itself.
void TemplateEvaluator::packsIn(const NodeRef &node,
                                std::vector<const Node *> &found) const {
  if (!node || node->kind == NodeKind::Spread)
    return;
  if (isPack(*node)) {
    found.push_back(node.get());
    return;
  }
  for (size_t i = 0; i < node->children.size(); ++i) {
    // d[j] is an element of d, whichever pack j is from.
    const bool isBase = node->kind == NodeKind::Subscript && i == 0;
    if (!isBase || !isPack(*node->children[0]))
      packsIn(node->children[i], found);
  }
  for (const NodeRef &child : node->result)
    packsIn(child, found);
  for (const Binder &binder : node->binders)
    packsIn(binder.extent, found);
  packsIn(node->otherwise, found);
  packsIn(node->guard, found);
}

std::optional<TemplateEvaluator::Values>
TemplateEvaluator::spread(const Node &node) {
  const NodeRef &repeated = node.children[0];
  if (isPack(*repeated))
    return packOf(*repeated);
  std::vector<const Node *> packs;
  packsIn(repeated, packs);
  if (packs.empty())
    return fail(node.place, "there is no pack to expand before '...'");
  std::vector<Values> columns;
  for (const Node *pack : packs) {
    auto values = packOf(*pack);
    if (!values)
      return std::nullopt;
    if (!columns.empty() && values->size() != columns[0].size())
      return fail(pack->place, "packs of different lengths, " +
                                   std::to_string(columns[0].size()) + " and " +
                                   std::to_string(values->size()) +
                                   ", are expanded together");
    columns.push_back(std::move(*values));
  }
  Values result;
  for (size_t row = 0; row < columns[0].size(); ++row) {
    for (size_t i = 0; i < packs.size(); ++i)
      zipped[packs[i]] = {&columns[i], row};
    auto value = evaluate(repeated);
    if (!value)
      break;
    result.push_back(std::move(*value));
  }
  for (const Node *pack : packs)
    zipped.erase(pack);
  if (failed())
    return std::nullopt;
  return result;
}

std::optional<TemplateEvaluator::Values>
TemplateEvaluator::expand(const NodeRef &node) {
  if (node->kind == NodeKind::Spread)
    return spread(*node);
  if (isPack(*node) && node->kind != NodeKind::Name)
    return packOf(*node);
  auto value = evaluate(node);
  if (!value)
    return std::nullopt;
  return Values{std::move(*value)};
}

std::optional<std::vector<std::optional<Value>>>
TemplateEvaluator::values(const std::vector<NodeRef> &items) {
  std::vector<std::optional<Value>> result;
  for (const NodeRef &item : items) {
    if (item->kind == NodeKind::Range && !item->children[0] &&
        !item->children[1]) {
      result.push_back(std::nullopt);
    } else if (item->kind == NodeKind::Spread) {
      auto expanded = spread(*item);
      if (!expanded)
        return std::nullopt;
      result.insert(result.end(), expanded->begin(), expanded->end());
    } else {
      result.push_back(evaluate(item));
      if (!result.back())
        return std::nullopt;
    }
  }
  return result;
}

std::optional<Value> TemplateEvaluator::several(const Node &node) {
  if (const auto entry = zipped.find(&node); entry != zipped.end())
    return (*entry->second.values)[entry->second.at];
  if (node.kind == NodeKind::Spread)
    return fail(node.place, "'...' gives several values where one is needed");
  if (node.kind == NodeKind::List)
    return fail(node.place, "a list gives several values where one is needed");
  return fail(node.place, "':' belongs between the brackets of a slice");
}

std::optional<Value> TemplateEvaluator::element(const Node &node) {
  if (const auto entry = zipped.find(&node); entry != zipped.end())
    return (*entry->second.values)[entry->second.at];
  const NodeRef &base = node.children[0];
  if (base->kind == NodeKind::Name && !find(base->text))
    return fail(base->place, "unknown name '" + base->text + "'");
  if (!isPack(*base))
    return fail(base->place, "only tensors and packs have elements");
  if (isPack(node))
    return fail(node.place, "a slice gives several values where one is needed");
  if (node.children.size() != 2)
    return fail(node.place, "an element of a pack takes one number");
  const bool isNamed = base->kind == NodeKind::Name;
  const auto made = isNamed ? Values() : packOf(*base);
  if (!made)
    return std::nullopt;
  const Values *values = isNamed ? &find(base->text)->values : &*made;
  const auto at = integer(node.children[1], "the number of an element");
  if (!at)
    return std::nullopt;
  const int64_t count = int64_t(values->size());
  if (*at < -count || *at >= count)
    return fail(node.place, "element " + std::to_string(*at) +
                                " of a pack of " + std::to_string(count));
  return (*values)[size_t(*at < 0 ? *at + count : *at)];
}

Result<Value> TemplateEvaluator::apply(BinaryOp op, const Value &a,
                                       const Value &b) {
  // An index of extent 1, by 1, is 0 as it would be by 2: else a convolution of
  // one output channel looked like a grouped one.
  if (op == BinaryOp::FloorDiv && a.kind == Value::Data && knownWhole(b) == 1)
    if (const auto range = rangeOf(a.data, normalizer.ranges());
        range && range->lo == range->hi)
      return Value::of(constant(range->lo));
  return applyBinary(op, a, b);
}

ExprRef TemplateEvaluator::simplified(ExprRef e) {
  return simplifyNode(e, normalizer.ranges());
}

ExprRef TemplateEvaluator::readOf(const Array &array,
                                  std::vector<ExprRef> index,
                                  ExprRef otherwise) {
  const ArrayShape &tensor = normalizer.tensor(array.operand);
  const std::vector<int64_t> &shape = tensor.shape;
  bool inside = true;
  for (size_t d = 0; otherwise && d < index.size(); ++d) {
    const auto range = rangeOf(index[d], normalizer.ranges());
    inside &= range && range->lo >= 0 && range->hi < shape[d];
    if (range && (range->hi < 0 || range->lo >= shape[d]))
      return otherwise;
  }
  if (inside)
    otherwise = nullptr;
  // A wide use of a 16-bit operand (Instantiate.cpp).
  if (otherwise && tensor.type != array.type)
    otherwise = otherwise->kind == ExprKind::Cast &&
                        otherwise->children[0]->type == tensor.type
                    ? otherwise->children[0]
                    : cast(tensor.type, otherwise);
  const ExprRef value = tdl::read(array.operand, tensor.type, std::move(index),
                                  std::move(otherwise));
  return tensor.type == array.type ? value : cast(array.type, value);
}
