#include "dialects/smex/lists/Derived.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::graph;

static constexpr std::pair<Derivation, std::string_view> names[] = {
    {Derivation::Offsets, "offsets"},
    {Derivation::Order, "order"},
    {Derivation::Gathered, "gathered"}};

std::string_view graph::name(Derivation derivation) {
  for (const auto &[each, text] : names)
    if (each == derivation)
      return text;
  return {};
}

std::optional<Derivation> graph::parseDerivation(std::string_view name) {
  for (const auto &[each, text] : names)
    if (text == name)
      return each;
  return std::nullopt;
}

namespace {

/// A list of either integer type, numbers below 0 counted from the end.
class List {
public:
  List(const Tensor &tensor, int64_t row, int64_t wrap)
      : tensor(tensor), first(row * size()), wrap(wrap) {}
  int64_t size() const { return tensor.type.shape.back(); }
  int64_t operator[](int64_t i) const {
    const int64_t number = tensor.type.dtype == DType::I32
                               ? tensor.data<int32_t>()[first + i]
                               : tensor.data<int64_t>()[first + i];
    return number < 0 ? number + wrap : number;
  }

private:
  const Tensor &tensor;
  int64_t first, wrap;
};

void set(Tensor &list, int64_t i, int64_t value) {
  if (list.type.dtype == DType::I64) {
    list.data<int64_t>()[i] = value;
    return;
  }
  const bool fits = value >= std::numeric_limits<int32_t>::min() &&
                    value <= std::numeric_limits<int32_t>::max();
  list.data<int32_t>()[i] = fits ? int32_t(value) : -1;
}

/// Calls visit(place, i) for each element i, in its order, with its place among
/// all elements in the order of the key.
template <typename F> void sorted(const List &key, F &&visit) {
  int64_t most = -1; // the largest key; few are far beyond the elements' number
  bool ascending = true;
  for (int64_t i = 0; i < key.size(); ++i) {
    most = std::max(most, key[i]);
    ascending &= i == 0 || key[i - 1] <= key[i];
  }
  if (ascending) {
    for (int64_t i = 0; i < key.size(); ++i)
      visit(i, i);
    return;
  }
  if (most > 4 * key.size() + 1024) { // no table of that size: compare
    std::vector<int64_t> order(size_t(key.size()));
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = int64_t(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::max<int64_t>(key[a], -1) < std::max<int64_t>(key[b], -1);
    });
    for (size_t place = 0; place < order.size(); ++place)
      visit(int64_t(place), order[place]);
    return;
  }
  // One counter per key, and one for those below 0.
  std::vector<int64_t> next(size_t(most) + 3);
  for (int64_t i = 0; i < key.size(); ++i)
    ++next[size_t(std::max<int64_t>(key[i], -1) + 2)];
  for (size_t k = 1; k < next.size(); ++k)
    next[k] += next[k - 1];
  for (int64_t i = 0; i < key.size(); ++i)
    visit(next[size_t(std::max<int64_t>(key[i], -1) + 1)]++, i);
}

void offsets(const List &key, Tensor &result) {
  const int64_t count = result.type.shape[0];
  std::vector<int64_t> below(count, 0);
  // Element i is below v from v = key + 1 on.
  for (int64_t i = 0; i < key.size(); ++i)
    if (key[i] < count - 1)
      ++below[size_t(std::max<int64_t>(key[i], -1) + 1)];
  int64_t sum = 0;
  for (int64_t v = 0; v < count; ++v)
    set(result, v, sum += below[size_t(v)]);
}

bool holdsLists(const TensorType &type) {
  return (type.rank() == 1 || type.rank() == 2) &&
         (type.dtype == DType::I32 || type.dtype == DType::I64);
}

/// What stands for the i-th of a recipe's lists; 0 where nothing does.
int64_t numberFor(const std::vector<int64_t> &numbers, size_t i) {
  return i < numbers.size() ? numbers[i] : 0;
}

} // namespace

graph::Recipe graph::withoutZeros(Recipe recipe) {
  for (std::vector<int64_t> *numbers : {&recipe.wraps, &recipe.rows})
    if (std::all_of(numbers->begin(), numbers->end(),
                    [](int64_t number) { return number == 0; }))
      numbers->clear();
  return recipe;
}

Status graph::follows(const Recipe &recipe, const std::vector<TensorType> &of,
                      const TensorType &type) {
  const Derivation derivation = recipe.derivation;
  const size_t wanted = derivation == Derivation::Gathered ? 2 : 1;
  if (of.size() != wanted)
    return fail("\"", name(derivation), "\" is made of ", wanted,
                wanted == 1 ? " list" : " lists", ", not of ", of.size());
  if (!holdsLists(type) || type.rank() != 1)
    return fail("\"", name(derivation), "\" is a list of i32 or i64, not ",
                toString(type));
  if (derivation == Derivation::Offsets && type.shape[0] == 0)
    return fail("\"offsets\" has one number at least");
  for (size_t i = 0; i < of.size(); ++i) {
    if (!holdsLists(of[i]))
      return fail("\"", name(derivation), "\" is made of lists of i32 or i64, ",
                  "not of ", toString(of[i]));
    const int64_t row = numberFor(recipe.rows, i);
    const int64_t rows = of[i].rank() == 1 ? 1 : of[i].shape[0];
    if (row < 0 || row >= rows)
      return fail("\"", name(derivation), "\" is made of row ", row, " of ",
                  toString(of[i]), ", which has ", rows);
    if (derivation != Derivation::Offsets &&
        of[i].shape.back() != type.shape[0])
      return fail("\"", name(derivation), "\" of ", type.shape[0],
                  " numbers is not made of ", of[i].shape.back());
  }
  return {};
}

Result<Tensor> graph::derive(const Recipe &recipe,
                             const std::vector<Tensor> &of,
                             const TensorType &type) {
  std::vector<TensorType> types;
  for (const Tensor &list : of)
    types.push_back(list.type);
  if (Status possible = follows(recipe, types, type); !possible)
    return possible.takeError();
  const auto list = [&](size_t i) {
    return List(of[i], numberFor(recipe.rows, i), numberFor(recipe.wraps, i));
  };
  Tensor result = makeTensor(type);
  if (recipe.derivation == Derivation::Offsets)
    offsets(list(0), result);
  else if (recipe.derivation == Derivation::Order)
    sorted(list(0), [&](int64_t place, int64_t i) { set(result, place, i); });
  else
    sorted(list(1), [&, values = list(0)](int64_t place, int64_t i) {
      set(result, place, values[i]);
    });
  return result;
}
