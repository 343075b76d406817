#include "dialects/tdl/lambda/OpaqueUnique.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace smex;
using namespace smex::tdl;

namespace {

/// -1, 0 or 1: whether a is before, with or behind b.
int compare(DType type, Scalar a, Scalar b) {
  if (!isFloat(type)) {
    if (type == DType::U64)
      return uint64_t(a.integer) < uint64_t(b.integer)   ? -1
             : uint64_t(a.integer) > uint64_t(b.integer) ? 1
                                                         : 0;
    return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  }
  if (std::isnan(a.real) || std::isnan(b.real))
    return int(std::isnan(a.real)) - int(std::isnan(b.real));
  return a.real < b.real ? -1 : a.real > b.real ? 1 : 0;
}

} // namespace

Result<Tensor> tdl::uniqueNumbers(const std::vector<Tensor> &slices,
                                  const std::vector<double> &arguments) {
  const Tensor &x = slices[0];
  const int64_t count = x.type.shape[0], width = x.type.shape[1];
  const DType type = x.type.dtype;
  const auto compareRows = [&](int64_t a, int64_t b) {
    const auto at = [&](int64_t row, int64_t i) {
      return load(type, x.bytes.data() + (row * width + i) * byteSize(type));
    };
    for (int64_t i = 0; i < width; ++i)
      if (const int order = compare(type, at(a, i), at(b, i)))
        return order;
    return 0;
  };
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return compareRows(a, b) < 0; });
  Tensor result = makeTensor({DType::I64, {count}});
  int64_t *numbers = result.data<int64_t>();
  std::vector<int64_t> first; // row of each number, in ascending order
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compareRows(order[i - 1], order[i]) != 0)
      first.push_back(order[i]);
    numbers[order[i]] = int64_t(first.size()) - 1;
  }
  if (arguments[0] != 0)
    return result;
  // By first occurrence instead.
  std::vector<int64_t> renamed(first.size(), -1);
  int64_t next = 0;
  for (int64_t row = 0; row < count; ++row) {
    int64_t &name = renamed[size_t(numbers[row])];
    if (name < 0)
      name = next++;
    numbers[row] = name;
  }
  return result;
}
