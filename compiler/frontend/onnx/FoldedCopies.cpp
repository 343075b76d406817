// The part of Restorer for initializers that the optimizer computed of
// parameters, and that calls know by the name of a value of the program.
#include "compiler/frontend/onnx/Restorer.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

using namespace smex;
using namespace smex::frontend;

/// A value between the operations of the program: val_12.
static bool isInterior(const std::string &name) {
  return baseOf(name) == "val" && name != "val";
}

/// Operations that a position may be computed with, and that give elements of a
/// parameter unchanged or, as sums and products do, changed by a number: where
/// they are the same all the same, so is the gradient.
static bool choosesElements(const std::string &operation) {
  for (const char *name :
       {"add",       "arange", "bitwise_and",  "cat",          "cumsum",
        "embedding", "eq",     "floor_divide", "full",         "gather",
        "ge",        "gt",     "index",        "index_select", "le",
        "lt",        "mul",    "ne",           "new_ones",     "new_zeros",
        "ones",      "stack",  "sub",          "where",        "zeros"})
    if (operation == name)
      return true;
  return isMovement(operation);
}

Restorer::Names Restorer::operationsOf(const std::string &stored) const {
  std::set<std::string> placeholders;
  for (const auto &[name, target] : notes.placeholders)
    placeholders.insert(target);
  Names operations{baseOf(stored)};
  for (const std::string &name : notes.foldedFrom.at(stored))
    if (!isInterior(name) && !placeholders.count(name))
      operations.push_back(baseOf(name));
  return operations;
}

template <typename List, typename Test>
static bool all(const List &list, Test test) {
  return std::all_of(list.begin(), list.end(), test);
}

static bool isTurn(const std::string &operation) {
  return operation == "t" || operation == "transpose";
}

static bool repeats(const std::string &operation) {
  return operation == "expand" || operation == "expand_as" ||
         operation == "repeat";
}

static std::vector<int64_t> numbered(const Tensor &copy, const Tensor &of) {
  std::unordered_map<std::string_view, int64_t> places;
  for (size_t i = 0; i < elementCountOf(of); ++i)
    places.emplace(elementOf(of, i), int64_t(i));
  std::vector<int64_t> elements;
  for (size_t i = 0; i < elementCountOf(copy); ++i) {
    const auto place = places.find(elementOf(copy, i));
    if (place == places.end())
      return {};
    elements.push_back(place->second);
  }
  return elements;
}

/// How the copy is made of the parameter, which is in the file, too.
std::optional<Copy> Restorer::tie(const std::string &stored,
                                  const std::string &parameter) const {
  const auto copy = tensors.read(stored), of = tensors.read(parameter);
  if (isInterior(stored) || !copy || !of || copy->type.dtype != of->type.dtype)
    return std::nullopt;
  const Names operations = operationsOf(stored);
  const std::vector<int64_t> &shape = copy->type.shape;
  if (all(operations, keepsOrder)) {
    if (copy->bytes != of->bytes)
      return std::nullopt;
    return shape == of->type.shape ? Copy()
                                   : Copy{Copy::Kind::Reshaped, shape, {}};
  }
  if (all(operations, [](const std::string &each) { return each == "expand"; }))
    if (const auto again = expanded(*of, shape);
        again && again->bytes == copy->bytes)
      return Copy{Copy::Kind::Expanded, shape, {}};
  if (operations.size() == 1 && isTurn(operations[0]) && shape.size() == 2 &&
      of->type.rank() == 2 && transposed(*of).bytes == copy->bytes)
    return Copy{Copy::Kind::Transposed, {}, {}};
  // Elements that are all different say themselves where they are from.
  if (!all(operations, choosesElements) || !isDistinct(*of))
    return std::nullopt;
  auto elements = numbered(*copy, *of);
  if (elements.empty())
    return std::nullopt;
  return Copy{Copy::Kind::Gathered, shape, std::move(elements)};
}

/// The parameter that only the copy is left of, and how the copy is made of it.
/// It has the copy's shape where the file has no other, with 1 for dimensions
/// that it was repeated along.
std::optional<std::pair<Origin, Copy>>
Restorer::recover(const std::string &stored) const {
  if (isInterior(stored))
    return std::nullopt;
  const Names operations = operationsOf(stored);
  const std::vector<int64_t> shape =
      StoredTensors::shapeOf(*tensors.find(stored));
  if (all(operations, keepsOrder))
    return std::pair(Origin{Origin::Kind::Same, stored, {}, {}}, Copy());
  if (operations.size() == 1 && isTurn(operations[0]) && shape.size() == 2)
    return std::pair(Origin{Origin::Kind::Transposed, stored, {}, {}},
                     Copy{Copy::Kind::Transposed, {}, {}});
  const bool repeated = all(operations, [](const std::string &each) {
    return repeats(each) || keepsOrder(each);
  });
  const auto copy = repeated ? tensors.read(stored) : nullptr;
  if (!copy || elementCountOf(*copy) == 0)
    return std::nullopt;
  std::vector<size_t> along;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && repeatsAlong(*copy, d))
      along.push_back(d);
  if (along.size() != 1)
    return std::nullopt;
  Tensor value = firstAlong(*copy, along[0]);
  // Else equal elements could have been one.
  if (elementCountOf(value) < 2 || !isDistinct(value))
    return std::nullopt;
  // Dimensions that are known to have been added.
  const auto added = std::count(operations.begin(), operations.end(),
                                std::string("unsqueeze"));
  auto &extents = value.type.shape;
  if (added > 0 && added == std::count(extents.begin(), extents.end(), 1))
    extents.erase(std::remove(extents.begin(), extents.end(), 1),
                  extents.end());
  Copy how{Copy::Kind::Expanded, shape, {}};
  const auto again = expanded(value, shape);
  if (!again || again->bytes != copy->bytes)
    how = {Copy::Kind::Gathered, shape, numbered(*copy, value)};
  return std::pair(Origin{Origin::Kind::Value, stored, {}, std::move(value)},
                   std::move(how));
}

void Restorer::claimFolded(const std::string &stored,
                           const std::vector<std::pair<int, int>> &uses) {
  const Names from = parametersIn(stored);
  if (!isTrained(from)) {
    for (const auto &[n, i] : uses)
      detach(n, i);
    accounted.insert(from.begin(), from.end());
    return;
  }
  if (from.size() > 1)
    return refuse(from, "computed into \"" + stored + "\"");
  const std::string &parameter = from[0];
  const std::string why = "only \"" + stored + "\" " +
                          "is left of it, from which it does not follow";
  std::optional<Copy> copy;
  Origin origin;
  if (tensors.find(parameter)) {
    copy = tie(stored, parameter);
  } else if (auto recovered = recover(stored)) {
    origin = std::move(recovered->first);
    copy = std::move(recovered->second);
  }
  if (!copy)
    return refuse({parameter},
                  tensors.find(parameter)
                      ? "how \"" + stored + "\" was computed of it is not known"
                      : why);
  for (const auto &[n, i] : uses)
    addClaim({n, i, parameter, *copy, stored}, origin);
}

std::optional<Tensor> Restorer::valueOf(const std::string &parameter) const {
  if (tensors.find(parameter)) {
    const auto value = tensors.read(parameter);
    return value ? std::optional(*value) : std::nullopt;
  }
  const Origin &origin = origins.at(parameter);
  if (origin.kind == Origin::Kind::Value)
    return origin.value;
  if (origin.kind == Origin::Kind::Zeros)
    return makeTensor(
        {*dtypeOf(tensors.find(origin.stored)->data_type()), origin.shape});
  const auto stored = tensors.read(origin.stored);
  if (!stored)
    return std::nullopt;
  if (origin.kind == Origin::Kind::Transposed)
    return transposed(*stored);
  Tensor value = *stored;
  if (origin.kind == Origin::Kind::Flat)
    value.type.shape = {int64_t(elementCountOf(value))};
  return value;
}

std::optional<Tensor> Restorer::valueOf(const Copy &copy,
                                        const Tensor &parameter) const {
  Tensor value = parameter;
  switch (copy.kind) {
  case Copy::Kind::Same:
    return value;
  case Copy::Kind::Transposed:
    if (value.type.rank() != 2)
      return std::nullopt;
    return transposed(value);
  case Copy::Kind::Reshaped:
    value.type.shape = copy.shape;
    return value;
  case Copy::Kind::Expanded:
    return expanded(value, copy.shape);
  case Copy::Kind::Gathered:
    value = makeTensor({value.type.dtype, copy.shape});
    for (size_t i = 0; i < copy.elements.size(); ++i) {
      const auto element = elementOf(parameter, size_t(copy.elements[i]));
      std::copy(element.begin(), element.end(),
                reinterpret_cast<char *>(value.bytes.data()) +
                    i * element.size());
    }
    return value;
  }
  return std::nullopt;
}

/// What is undone must give the initializers that are there, to the bit.
void Restorer::checkValues() {
  for (const Claim &claim : claims) {
    if (claim.stored == claim.parameter && claim.copy.kind == Copy::Kind::Same)
      continue;
    // Enough to find a mistake; what is larger is not read for it.
    if (tensors.elementsOf(claim.stored) > 65536 ||
        tensors.elementsOf(claim.parameter) > 65536)
      continue;
    const auto parameter = valueOf(claim.parameter);
    const auto stored =
        claim.stored.empty() ? nullptr : tensors.read(claim.stored);
    if (!parameter || !stored)
      continue;
    const auto copy = valueOf(claim.copy, *parameter);
    if (!copy || copy->type != stored->type || copy->bytes != stored->bytes)
      refuse({claim.parameter}, "it does not give \"" + claim.stored +
                                    "\", which " + describe(claim.node) +
                                    " reads instead");
  }
}
