#include "dialects/tdl/lambda/Opaque.h"

#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/OpaqueBoxes.h"
#include "dialects/tdl/lambda/OpaqueUnique.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::tdl;

namespace {

std::optional<DType> sameType(DType type) { return type; }
std::optional<DType> indexType(DType) { return DType::I64; }
std::optional<DType> floatType(DType type) {
  if (isFloat(type))
    return type;
  return std::nullopt;
}

Scalar element(const Tensor &tensor, int64_t i) {
  const DType type = tensor.type.dtype;
  return load(type, tensor.bytes.data() + i * byteSize(type));
}

/// A number that is larger where the element is, and equal where it is equal,
/// as 0 and -0 are; NaN is larger than any number.
uint64_t rankOf(DType type, Scalar x) {
  constexpr uint64_t sign = uint64_t(1) << 63;
  if (!isFloat(type))
    return isSigned(type) ? uint64_t(x.integer) ^ sign : uint64_t(x.integer);
  if (std::isnan(x.real))
    return ~uint64_t(0);
  const double number = x.real + 0.0; // of -0, too, 0
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits & sign ? ~bits : bits | sign;
}

/// Positions of the k largest (or smallest) elements, best first; the first of
/// equal ones is better.
std::vector<int64_t> topK(const Tensor &x,
                          const std::vector<double> &arguments) {
  const int64_t count = x.type.shape[0];
  const bool largest = arguments[1] != 0;
  std::vector<std::pair<uint64_t, int64_t>> ranked;
  ranked.reserve(size_t(count));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t rank = rankOf(x.type.dtype, element(x, i));
    ranked.emplace_back(largest ? ~rank : rank, i);
  }
  const auto best = ranked.begin() + std::ptrdiff_t(arguments[0]);
  if (arguments[0] > double(count) / 8)
    std::sort(ranked.begin(), ranked.end());
  else
    std::partial_sort(ranked.begin(), best, ranked.end());
  std::vector<int64_t> order;
  for (auto place = ranked.begin(); place != best; ++place)
    order.push_back(place->second);
  return order;
}

Result<std::vector<int64_t>> shapeOfTopK(const SliceShapes &slices,
                                         const std::vector<double> &arguments) {
  const int64_t count = slices[0][0];
  const double k = arguments[0];
  if (!(k >= 0 && k <= double(count) && k == std::trunc(k)))
    return fail("k is ", k, " of ", count, " elements");
  return std::vector<int64_t>{int64_t(k)};
}

/// A number for each row of the last slice.
Result<std::vector<int64_t>> shapeOfRows(const SliceShapes &slices,
                                         const std::vector<double> &) {
  return std::vector<int64_t>{slices.back()[0]};
}

Result<Tensor> topkValues(const std::vector<Tensor> &slices,
                          const std::vector<double> &arguments) {
  const std::vector<int64_t> order = topK(slices[0], arguments);
  const DType type = slices[0].type.dtype;
  Tensor result = makeTensor({type, {int64_t(order.size())}});
  for (size_t i = 0; i < order.size(); ++i)
    store(type, element(slices[0], order[i]),
          result.bytes.data() + int64_t(i) * byteSize(type));
  return result;
}

Result<Tensor> topkIndices(const std::vector<Tensor> &slices,
                           const std::vector<double> &arguments) {
  const std::vector<int64_t> order = topK(slices[0], arguments);
  Tensor result = makeTensor({DType::I64, {int64_t(order.size())}});
  std::copy(order.begin(), order.end(), result.data<int64_t>());
  return result;
}

/// Where elements that are not 0 are, in order; then zeros.
Result<Tensor> nonzeroPlaces(const std::vector<Tensor> &slices,
                             const std::vector<double> &) {
  const int64_t count = slices[0].type.shape[0];
  const DType type = slices[0].type.dtype;
  Tensor result = makeTensor({DType::I64, {count}});
  int64_t *places = result.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const Scalar x = element(slices[0], i);
    if (isFloat(type) ? x.real != 0 : x.integer != 0)
      *places++ = i;
  }
  return result;
}

Result<std::vector<int64_t>> shapeOfDet(const SliceShapes &slices,
                                        const std::vector<double> &) {
  if (slices[0][0] != slices[0][1])
    return fail("a matrix of ", slices[0][0], " by ", slices[0][1],
                " is not square");
  return std::vector<int64_t>();
}

/// By elimination with partial pivoting, in double.
Result<Tensor> determinant(const std::vector<Tensor> &slices,
                           const std::vector<double> &) {
  const int64_t n = slices[0].type.shape[0];
  std::vector<double> a(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n * n; ++i)
    a[size_t(i)] = element(slices[0], i).real;
  const auto at = [&](int64_t row, int64_t column) -> double & {
    return a[size_t(row * n + column)];
  };
  double product = 1;
  for (int64_t step = 0; step < n; ++step) {
    int64_t pivot = step;
    for (int64_t row = step + 1; row < n; ++row)
      if (std::fabs(at(row, step)) > std::fabs(at(pivot, step)))
        pivot = row;
    if (pivot != step) {
      for (int64_t column = step; column < n; ++column)
        std::swap(at(step, column), at(pivot, column));
      product = -product;
    }
    product *= at(step, step);
    if (at(step, step) == 0)
      break;
    for (int64_t row = step + 1; row < n; ++row) {
      const double factor = at(row, step) / at(step, step);
      for (int64_t column = step; column < n; ++column)
        at(row, column) -= factor * at(step, column);
    }
  }
  Tensor result = makeTensor({slices[0].type.dtype, {}});
  store(result.type.dtype, scalarOf(roundTo(result.type.dtype, product)),
        result.bytes.data());
  return result;
}

/// A type of the same width: the function gives the bits as they are.
template <DType To> std::optional<DType> sameWidth(DType from) {
  if (byteSize(from) == byteSize(To))
    return To;
  return std::nullopt;
}

template <DType To>
Result<Tensor> bitsAs(const std::vector<Tensor> &slices,
                      const std::vector<double> &) {
  Tensor result = slices[0];
  result.type.dtype = To;
  if (To == DType::Bool) // any other byte would be a third value
    for (std::byte &value : result.bytes)
      value = std::byte(value != std::byte(0));
  return result;
}

template <DType To> OpaqueFunction bitsFunction(std::string_view name) {
  return {name, {1}, {}, 1, sameWidth<To>, shapeOfRows, bitsAs<To>};
}

const std::vector<OpaqueFunction> &registry() {
  static const std::vector<OpaqueFunction> functions = {
      {"topk_values",
       {1},
       {"k", "largest"},
       1,
       sameType,
       shapeOfTopK,
       topkValues,
       "topk_indices"},
      {"topk_indices",
       {1},
       {"k", "largest"},
       1,
       indexType,
       shapeOfTopK,
       topkIndices},
      {"nonzero_places",
       {1},
       {},
       1,
       indexType,
       shapeOfRows,
       nonzeroPlaces,
       {},
       0.0},
      {"unique_numbers",
       {2},
       {"ascending"},
       1,
       indexType,
       shapeOfRows,
       uniqueNumbers},
      {"unsuppressed_boxes",
       {2, 1},
       {"most", "iou", "score", "bounded", "centred"},
       1,
       indexType,
       shapeOfBoxes,
       unsuppressedBoxes},
      {"det", {2}, {}, 0, floatType, shapeOfDet, determinant},
      bitsFunction<DType::Bool>("bits_bool"),
      bitsFunction<DType::I8>("bits_i8"),
      bitsFunction<DType::I16>("bits_i16"),
      bitsFunction<DType::I32>("bits_i32"),
      bitsFunction<DType::I64>("bits_i64"),
      bitsFunction<DType::U8>("bits_u8"),
      bitsFunction<DType::U16>("bits_u16"),
      bitsFunction<DType::U32>("bits_u32"),
      bitsFunction<DType::U64>("bits_u64"),
      bitsFunction<DType::F16>("bits_f16"),
      bitsFunction<DType::BF16>("bits_bf16"),
      bitsFunction<DType::F32>("bits_f32"),
      bitsFunction<DType::F64>("bits_f64"),
  };
  return functions;
}

} // namespace

const OpaqueFunction *tdl::findOpaque(std::string_view name) {
  for (const OpaqueFunction &function : registry())
    if (function.name == name)
      return &function;
  return nullptr;
}

std::vector<std::string_view> tdl::opaqueNames() {
  std::vector<std::string_view> names;
  for (const OpaqueFunction &function : registry())
    names.push_back(function.name);
  return names;
}

Status tdl::checkCall(const Lambda &lambda, const std::vector<int64_t> &extents,
                      const SliceShapes &shapes) {
  const Expr &call = *lambda.body;
  const bool isEmpty =
      std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (call.kind != ExprKind::Opaque || isEmpty)
    return {};
  SliceShapes slices;
  for (const Expr::Slice &slice : call.slices) {
    slices.emplace_back();
    for (size_t d = 0; d < slice.index.size(); ++d)
      if (!slice.index[d])
        slices.back().push_back(shapes[size_t(slice.operand)][d]);
  }
  const auto shape =
      findOpaque(call.function)->resultShape(slices, call.arguments);
  if (!shape)
    return fail("@", call.function, ": ", shape.error().message);
  for (size_t d = 0; d < call.children.size(); ++d) {
    const Expr &number = *call.children[d];
    std::optional<int64_t> last;
    if (number.kind == ExprKind::Index)
      last = extents[size_t(number.index)] - 1;
    else if (number.kind == ExprKind::Int)
      last = number.integer;
    if (last && (*last < 0 || *last >= (*shape)[d]))
      return fail("@", call.function, ": has ", (*shape)[d],
                  " results, and number ", *last, " is asked for");
  }
  return {};
}
