#include "test/conformance/RandomModel.h"

#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

using namespace smex;
using namespace smex::conformance;

namespace {

/// An operator on matrices, vectors and scalars of the type T, and the ranks
/// that its operands and index variables have. Results of small integers are
/// exact.
struct Kind {
  const char *lambda;
  std::vector<int> ranks; // of the operands
  /// Per index variable, an operand and a dimension of it with its extent; or
  /// -1 and an extent.
  std::vector<std::pair<int, int>> extents;
};

const std::vector<Kind> numbers = {
    {"(x: T[2]) -> T: lambda i, j: x[i, j] + x[i, j]", {2}, {{0, 0}, {0, 1}}},
    {"(x: T[2]) -> T: lambda i, j: x[j, i]", {2}, {{0, 1}, {0, 0}}},
    {"(x: T[2]) -> T: lambda i, j: Sum(lambda k: (x[i + k - 1, j] else T(0)))",
     {2},
     {{0, 0}, {0, 1}, {-1, 3}}},
    {"(x: T[2]) -> T: lambda i: Sum(lambda j: x[i, j])", {2}, {{0, 0}, {0, 1}}},
    {"(x: T[2]) -> T: lambda j: Max(lambda i: x[i, j])", {2}, {{0, 1}, {0, 0}}},
    {"(x: T[2]) -> T: lambda: Sum(lambda i, j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"(x: T[2], y: T[2]) -> T: lambda i, k: Sum(lambda j: (x[i, j] * y[k, j] "
     "else T(0)))",
     {2, 2},
     {{0, 0}, {1, 0}, {0, 1}}},
    {"(x: T[2], s: T[0]) -> T: lambda i, j: x[i, j] - s[]",
     {2, 0},
     {{0, 0}, {0, 1}}},
    {"(x: T[1], y: T[1]) -> T: lambda i, j: x[i] - y[j]",
     {1, 1},
     {{0, 0}, {1, 0}}},
    {"(s: T[0]) -> T: lambda: s[] * s[]", {0}, {}},
    {"(x: T[2]) -> T: lambda i: Min(lambda j: x[i, j])", {2}, {{0, 0}, {0, 1}}},
    {"(x: T[1]) -> T: lambda: Prod(lambda i: x[i])", {1}, {{0, 0}}},
};

const std::vector<Kind> truths = {
    {"(x: bool[2]) -> bool: lambda i, j: not x[i, j]", {2}, {{0, 0}, {0, 1}}},
    {"(x: bool[2]) -> bool: lambda i, j: x[j, i]", {2}, {{0, 1}, {0, 0}}},
    {"(x: bool[2]) -> bool: lambda i, j: Max(lambda k: (x[i + k - 1, j] else "
     "false))",
     {2},
     {{0, 0}, {0, 1}, {-1, 3}}},
    {"(x: bool[2]) -> bool: lambda i: Max(lambda j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"(x: bool[2]) -> bool: lambda: Min(lambda i, j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"(x: bool[2], y: bool[2]) -> bool: lambda i, k: Max(lambda j: x[i, j] "
     "and (y[k, j] else false))",
     {2, 2},
     {{0, 0}, {1, 0}, {0, 1}}},
    {"(x: bool[2], s: bool[0]) -> bool: lambda i, j: x[i, j] or s[]",
     {2, 0},
     {{0, 0}, {0, 1}}},
    {"(x: bool[1], y: bool[1]) -> bool: lambda i, j: x[i] == y[j]",
     {1, 1},
     {{0, 0}, {1, 0}}},
    {"(s: bool[0]) -> bool: lambda: not s[]", {0}, {}},
};

/// Of floats that are no ordinary numbers: whatever the order, one result.
const std::vector<Kind> ordered = {
    {"(x: T[2]) -> T: lambda i, j: x[j, i]", {2}, {{0, 1}, {0, 0}}},
    {"(x: T[2]) -> T: lambda i, j: -x[i, j]", {2}, {{0, 0}, {0, 1}}},
    {"(x: T[2]) -> T: lambda i, j: Max(lambda k: (x[i + k - 1, j] else -inf))",
     {2},
     {{0, 0}, {0, 1}, {-1, 3}}},
    {"(x: T[2]) -> T: lambda i: Min(lambda j: x[i, j])", {2}, {{0, 0}, {0, 1}}},
    {"(x: T[2]) -> T: lambda j: Max(lambda i: x[i, j])", {2}, {{0, 1}, {0, 0}}},
    {"(x: T[2], y: T[2]) -> T: lambda i, k: Max(lambda j: min(x[i, j], "
     "(y[k, j] else -inf)))",
     {2, 2},
     {{0, 0}, {1, 0}, {0, 1}}},
    {"(x: T[1], y: T[1]) -> T: lambda i, j: x[i] if x[i] < y[j] else y[j]",
     {1, 1},
     {{0, 0}, {1, 0}}},
    {"(x: T[2], s: T[0]) -> T: lambda i, j: x[i, j] / s[]",
     {2, 0},
     {{0, 0}, {0, 1}}},
    {"(x: T[1], y: T[1]) -> T: lambda i, j: x[i] * y[j]",
     {1, 1},
     {{0, 0}, {1, 0}}},
    {"(x: T[2]) -> T: lambda: Min(lambda i, j: x[i, j])",
     {2},
     {{0, 0}, {0, 1}}},
    {"(s: T[0]) -> T: lambda: abs(s[])", {0}, {}},
};

tdl::Lambda lambdaOf(const char *text, DType type) {
  std::string typed;
  for (const char *at = text; *at; ++at)
    if (*at == 'T')
      typed += name(type);
    else
      typed += *at;
  auto lambda = tdl::parseLambda(typed);
  if (!lambda)
    throw std::logic_error(typed + ": " + lambda.error().message);
  return tdl::canonicalize(std::move(*lambda));
}

/// The largest integer up to which the type has all.
double limitOf(DType type) {
  switch (type) {
  case DType::F16:
    return 2048;
  case DType::BF16:
    return 256;
  case DType::F32:
    return 1 << 24;
  case DType::F64:
    return std::ldexp(1, 53);
  default:
    return INFINITY; // integers wrap, in any order
  }
}

/// Whether the values, and what else a sum of `terms` of such may become, are
/// exact.
bool isExact(const Tensor &tensor, double terms) {
  const DType type = tensor.type.dtype;
  if (!isFloat(type))
    return true;
  for (size_t at = 0; at < tensor.bytes.size(); at += size_t(byteSize(type)))
    if (!(std::abs(tdl::load(type, &tensor.bytes[at]).real) * terms <=
          limitOf(type)))
      return false;
  return true;
}

Tensor randomValue(Random &random, TensorType type) {
  Tensor tensor = makeTensor(std::move(type));
  const DType dtype = tensor.type.dtype;
  for (size_t at = 0; at < tensor.bytes.size(); at += size_t(byteSize(dtype))) {
    const int64_t value = dtype == DType::Bool ? random.between(0, 1)
                          : isUnsigned(dtype)  ? random.between(0, 4)
                                               : random.between(-2, 2);
    tdl::Scalar scalar;
    scalar.integer = value;
    scalar.real = double(value);
    tdl::store(dtype, scalar, &tensor.bytes[at]);
  }
  return tensor;
}

Tensor specialValue(Random &random, TensorType type) {
  Tensor tensor = randomValue(random, std::move(type));
  const DType dtype = tensor.type.dtype;
  const double least = dtype == DType::F16    ? std::ldexp(1, -24)
                       : dtype == DType::BF16 ? std::ldexp(1, -133)
                       : dtype == DType::F32  ? std::ldexp(1, -149)
                                              : std::ldexp(1, -1074);
  const double most = dtype == DType::F16    ? 65504
                      : dtype == DType::BF16 ? std::ldexp(255, 120)
                      : dtype == DType::F32
                          ? std::ldexp((1 << 24) - 1, 104)
                          : std::numeric_limits<double>::max();
  const double reals[] = {NAN,  INFINITY, -INFINITY,  -0.0,     least,
                          most, -most,    -3 * least, most / 2, 1.0 / 3};
  const int64_t bits = byteSize(dtype) * 8;
  const uint64_t integers[] = {uint64_t(1) << (bits - 1),
                               (uint64_t(1) << (bits - 1)) - 1, ~uint64_t(0),
                               (uint64_t(1) << (bits - 1)) + 1};
  for (size_t at = 0; at < tensor.bytes.size(); at += size_t(byteSize(dtype))) {
    if (dtype == DType::Bool || random.chance(50))
      continue;
    if (isFloat(dtype)) {
      tdl::Scalar scalar;
      scalar.real = reals[random.below(std::size(reals))];
      tdl::store(dtype, scalar, &tensor.bytes[at]);
    } else {
      std::memcpy(&tensor.bytes[at],
                  &integers[random.below(std::size(integers))],
                  size_t(byteSize(dtype)));
    }
  }
  return tensor;
}

/// Nothing, where what it makes is not exact.
bool addRandomly(Random &random, DType type, Evaluated &made,
                 const std::vector<Kind> &kinds) {
  const Kind &kind = kinds[size_t(random.below(int64_t(kinds.size())))];
  std::vector<int> operands;
  std::vector<int64_t> extents;
  for (int rank : kind.ranks) {
    std::vector<int> fitting;
    for (size_t v = 0; v < made.values.size(); ++v)
      if (made.values[v].type.rank() == rank)
        fitting.push_back(int(v));
    operands.push_back(fitting[size_t(random.below(int64_t(fitting.size())))]);
  }
  for (const auto &[operand, dimension] : kind.extents)
    extents.push_back(operand < 0
                          ? dimension
                          : made.values[size_t(operands[size_t(operand)])]
                                .type.shape[size_t(dimension)]);
  const size_t number = made.model.applications.size();
  const auto result =
      made.apply("t" + std::to_string(number), lambdaOf(kind.lambda, type),
                 extents, operands);
  if (!result)
    throw std::logic_error(result.error().message);
  if (&kinds == &ordered || isExact(made.values.back(), 8))
    return true;
  made.dropLast();
  return false;
}

} // namespace

template <typename Draw>
static Evaluated modelOf(Random &random, DType type, size_t operators,
                         const std::vector<Kind> &kinds, Draw draw) {
  Evaluated made;
  made.model.name = "random";
  for (const auto &shape :
       {std::vector<int64_t>{random.between(1, 7), random.between(1, 7)},
        std::vector<int64_t>{random.between(1, 7)}, std::vector<int64_t>{}}) {
    const std::string name = "x" + std::to_string(made.values.size());
    made.add(name, draw(random, TensorType{type, shape}));
  }
  while (made.model.applications.size() < operators)
    addRandomly(random, type, made, kinds);
  return made;
}

Evaluated conformance::randomModel(Random &random, DType type,
                                   size_t operators) {
  return modelOf(random, type, operators,
                 type == DType::Bool ? truths : numbers, randomValue);
}

Evaluated conformance::specialModel(Random &random, DType type,
                                    size_t operators) {
  return modelOf(random, type, operators,
                 type == DType::Bool ? truths
                 : isFloat(type)     ? ordered
                                     : numbers,
                 specialValue);
}
