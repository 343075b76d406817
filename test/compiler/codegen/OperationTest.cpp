// Every operation of the language on every type, compiled, against the one
// definition of what it means (dialects/tdl/lambda/Arithmetic.h): exact where
// the result is a rounded exact one, within units of the last place for
// elementary functions; with special values.
#include "test/compiler/codegen/Harness.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::Scalar;
using tdl::UnaryOp;

namespace {

constexpr DType allTypes[] = {DType::Bool, DType::I8,  DType::I16,  DType::I32,
                              DType::I64,  DType::U8,  DType::U16,  DType::U32,
                              DType::U64,  DType::F16, DType::BF16, DType::F32,
                              DType::F64};

std::vector<double> reals(DType type, Random &random) {
  const double inf = INFINITY;
  std::vector<double> values = {0.0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                -0.5,
                                2,
                                -2,
                                3,
                                7,
                                -7,
                                2.5,
                                1.5,
                                -2.5,
                                0.1,
                                -0.1,
                                inf,
                                -inf,
                                NAN,
                                1e-3,
                                -1e-5,
                                88.7,
                                -88.7,
                                -103.9,
                                89,
                                709.7,
                                -745.1,
                                9.1,
                                10,
                                1e-20,
                                3.9,
                                5.9,
                                M_PI,
                                M_PI_2,
                                M_PI_4,
                                100.25,
                                1234567,
                                1e9,
                                3e9,
                                -1e15,
                                1e18,
                                -1e19,
                                1e22,
                                65504,
                                1e30,
                                -3e38,
                                0x1p-126,
                                0x1p-149,
                                0x1p-14,
                                0x1p-24,
                                127,
                                128,
                                -128,
                                -129,
                                255,
                                256,
                                0.999,
                                1.001,
                                0.9999999,
                                2147483647,
                                -2147483648.0,
                                4294967295.0,
                                9223372036854775807.0,
                                1e300,
                                0x1p-1074,
                                0x1.fffffep127,
                                0x1.8p70};
  for (int i = 0; i < 1000; ++i) {
    const double magnitude =
        std::ldexp(1 + random() * 0x1p-32, int(pick(random, -12, 7)));
    values.push_back(i % 2 ? magnitude : -magnitude);
  }
  for (double &v : values)
    v = tdl::roundTo(type, v);
  return values;
}

std::vector<int64_t> integers(DType type, Random &random) {
  std::vector<int64_t> values = {
      0,   1,    -1,   2,         -2,        3,         5,        7,    -7,
      8,   15,   31,   32,        63,        64,        127,      -128, 255,
      256, 1000, -999, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 60; ++i)
    values.push_back(int64_t(uint64_t(random()) << 32 | random()) >>
                     pick(random, 0, 63));
  for (int64_t &v : values)
    v = tdl::wrapTo(type, v);
  return values;
}

std::vector<Scalar> valuesOf(DType type, Random &random) {
  std::vector<Scalar> values;
  if (isFloat(type))
    for (double v : reals(type, random))
      values.push_back(tdl::scalarOf(v));
  else
    for (int64_t v : integers(type, random))
      values.push_back(tdl::scalarOf(v));
  return values;
}

Tensor tensorOf(DType type, const std::vector<Scalar> &values) {
  Tensor tensor = makeTensor({type, {int64_t(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    tdl::store(type, values[i], &tensor.bytes[i * size_t(byteSize(type))]);
  return tensor;
}

/// Distance in units of the last place of `want`.
double distance(DType type, double got, double want) {
  if (got == want || (got != got && want != want))
    return 0;
  const int mantissa = type == DType::F16    ? 10
                       : type == DType::BF16 ? 7
                       : type == DType::F32  ? 23
                                             : 52;
  const int least = type == DType::F16   ? -14
                    : type == DType::F64 ? -1022
                                         : -126;
  if (!std::isfinite(want) || !std::isfinite(got)) {
    // The largest number and infinity are neighbours.
    const double finite = std::isfinite(want) ? want : got;
    const double other = std::isfinite(want) ? got : want;
    const double top =
        tdl::roundTo(type, (2 - std::ldexp(1.0, -mantissa)) *
                               std::ldexp(1.0, type == DType::F16   ? 15
                                               : type == DType::F64 ? 1023
                                                                    : 127));
    return !std::isnan(other) && std::signbit(other) == std::signbit(finite) &&
                   std::fabs(finite) == top
               ? 1
               : INFINITY;
  }
  int exponent;
  std::frexp(want, &exponent);
  return std::fabs(got - want) /
         std::ldexp(1.0, std::max(exponent - 1, least) - mantissa);
}

bool isElementary(UnaryOp op) {
  return op >= UnaryOp::Exp && op <= UnaryOp::Atanh && op != UnaryOp::Sqrt;
}

double tolerance(UnaryOp op, DType type) {
  if (!isElementary(op))
    return 0;
  // f32 functions other than these go through f64.
  const bool native = op == UnaryOp::Exp || op == UnaryOp::Log ||
                      op == UnaryOp::Tanh || op == UnaryOp::Erf;
  return type == DType::F64 ? 4 : type == DType::F32 ? (native ? 2 : 1) : 1;
}

double tolerance(BinaryOp op, DType type) {
  if (op == BinaryOp::Pow)
    return type == DType::F64 ? 8 : 1;
  return op == BinaryOp::Atan2 ? (type == DType::F64 ? 4 : 1) : 0;
}

std::string describe(DType type, Scalar v) {
  char text[64];
  if (isFloat(type))
    std::snprintf(text, sizeof text, "%.17g (%a)", v.real, v.real);
  else
    std::snprintf(text, sizeof text, "%lld", (long long)v.integer);
  return text;
}

/// What is wrong with the result, or nothing.
std::string compare(DType type, Scalar got, Scalar want, double ulps) {
  const bool equal = isFloat(type) ? distance(type, got.real, want.real) <= ulps
                                   : got.integer == want.integer;
  if (equal)
    return "";
  return "got " + describe(type, got) + ", want " + describe(type, want);
}

struct Operation {
  std::string name;
  tdl::Lambda lambda;
};

tdl::Lambda unaryLambda(UnaryOp op, DType type) {
  tdl::Lambda lambda;
  lambda.operands = {{"x", type, 1}};
  lambda.outputs = {"i"};
  lambda.body = tdl::unary(op, tdl::read(0, type, {tdl::indexVar(0)}));
  lambda.result = lambda.body->type;
  return lambda;
}

tdl::Lambda binaryLambda(BinaryOp op, DType type) {
  tdl::Lambda lambda;
  lambda.operands = {{"x", type, 1}, {"y", type, 1}};
  lambda.outputs = {"i", "j"};
  lambda.body = tdl::binary(op, tdl::read(0, type, {tdl::indexVar(0)}),
                            tdl::read(1, type, {tdl::indexVar(1)}));
  lambda.result = lambda.body->type;
  return lambda;
}

Buffer run(const Loaded &loaded, const std::string &symbol, DType result,
           const std::vector<Tensor> &operands) {
  std::vector<int64_t> shape;
  std::vector<Buffer> buffers;
  for (const Tensor &operand : operands) {
    shape.push_back(operand.type.shape[0]);
    buffers.push_back(bufferOf(operand, wholeBox(operand.type.shape)));
  }
  Buffer buffer = emptyBuffer(result, shape, wholeBox(shape));
  call(loaded.function(symbol), wholeBox(shape), buffer, buffers);
  return buffer;
}

Scalar elementOf(const Buffer &buffer, size_t i) {
  return tdl::load(buffer.dtype,
                   &buffer.bytes[i * size_t(byteSize(buffer.dtype))]);
}

} // namespace

TEST_CASE("unary operations") {
  std::vector<KernelRequest> requests;
  std::vector<std::pair<UnaryOp, DType>> operations;
  for (int o = int(UnaryOp::Neg); o <= int(UnaryOp::IsInf); ++o)
    for (DType type : allTypes)
      if (accepts(UnaryOp(o), type) &&
          unaryLambda(UnaryOp(o), type).body->kind == tdl::ExprKind::Unary) {
        operations.push_back({UnaryOp(o), type});
        requests.push_back({"k" + std::to_string(requests.size()),
                            unaryLambda(UnaryOp(o), type)});
      }
  const Loaded loaded(requests);
  Random random(2);
  for (size_t k = 0; k < requests.size(); ++k) {
    const auto [op, type] = operations[k];
    const DType result = requests[k].lambda.result;
    const std::vector<Scalar> values = valuesOf(type, random);
    const Buffer got =
        run(loaded, requests[k].symbol, result, {tensorOf(type, values)});
    double worst = 0;
    std::string wrong;
    for (size_t i = 0; i < values.size(); ++i) {
      const Scalar want = tdl::evaluate(op, type, values[i]);
      const Scalar have = elementOf(got, i);
      if (isFloat(result))
        worst = std::max(worst, distance(result, have.real, want.real));
      const std::string text = compare(result, have, want, tolerance(op, type));
      if (!text.empty() && wrong.empty())
        wrong = text + " at " + describe(type, values[i]);
    }
    INFO(spelling(op) << " of " << name(type) << ", largest error " << worst
                      << ": " << wrong);
    CHECK(wrong.empty());
  }
}

TEST_CASE("binary operations") {
  std::vector<KernelRequest> requests;
  std::vector<std::pair<BinaryOp, DType>> operations;
  for (int o = int(BinaryOp::Add); o <= int(BinaryOp::Ge); ++o)
    for (DType type : allTypes)
      if (accepts(BinaryOp(o), type)) {
        operations.push_back({BinaryOp(o), type});
        requests.push_back({"k" + std::to_string(requests.size()),
                            binaryLambda(BinaryOp(o), type)});
      }
  const Loaded loaded(requests);
  Random random(3);
  for (size_t k = 0; k < requests.size(); ++k) {
    const auto [op, type] = operations[k];
    const DType result = requests[k].lambda.result;
    std::vector<Scalar> values = valuesOf(type, random);
    values.resize(std::min<size_t>(values.size(), 110));
    const Tensor operand = tensorOf(type, values);
    const Buffer got =
        run(loaded, requests[k].symbol, result, {operand, operand});
    double worst = 0;
    std::string wrong;
    for (size_t i = 0; i < values.size(); ++i)
      for (size_t j = 0; j < values.size(); ++j) {
        Scalar want{};
        if (!tdl::evaluate(op, type, values[i], values[j], want))
          want.integer = 0; // division by zero
        const Scalar have = elementOf(got, i * values.size() + j);
        if (isFloat(result))
          worst = std::max(worst, distance(result, have.real, want.real));
        const std::string text =
            compare(result, have, want, tolerance(op, type));
        if (!text.empty() && wrong.empty())
          wrong = text + " at " + describe(type, values[i]) + ", " +
                  describe(type, values[j]);
      }
    INFO(spelling(op, type) << " of " << name(type) << ", largest error "
                            << worst << ": " << wrong);
    CHECK(wrong.empty());
  }
}

TEST_CASE("casts") {
  std::vector<KernelRequest> requests;
  std::vector<std::pair<DType, DType>> casts;
  for (DType from : allTypes)
    for (DType to : allTypes)
      if (from != to) {
        tdl::Lambda lambda;
        lambda.operands = {{"x", from, 1}};
        lambda.outputs = {"i"};
        lambda.result = to;
        lambda.body = tdl::cast(to, tdl::read(0, from, {tdl::indexVar(0)}));
        casts.push_back({from, to});
        requests.push_back({"k" + std::to_string(requests.size()), lambda});
      }
  const Loaded loaded(requests);
  Random random(4);
  for (size_t k = 0; k < requests.size(); ++k) {
    const auto [from, to] = casts[k];
    const std::vector<Scalar> values = valuesOf(from, random);
    const Buffer got =
        run(loaded, requests[k].symbol, to, {tensorOf(from, values)});
    std::string wrong;
    for (size_t i = 0; i < values.size() && wrong.empty(); ++i) {
      const std::string text =
          compare(to, elementOf(got, i), tdl::convert(from, to, values[i]), 0);
      if (!text.empty())
        wrong = text + " at " + describe(from, values[i]);
    }
    INFO(name(from) << " to " << name(to) << ": " << wrong);
    CHECK(wrong.empty());
  }
}
