// Every operation of the language on every type, compiled, against the one
// definition of what it means (dialects/tdl/lambda/Arithmetic.h): exact where
// the result is a rounded exact one, within units of the last place for
// elementary functions; with special values.
#include "test/compiler/codegen/Operations.h"

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
        casts.push_back({from, to});
        requests.push_back(
            {"k" + std::to_string(requests.size()), castLambda(from, to)});
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
