#include "dialects/tdl/analysis/Epilogue.h"

#include "dialects/tdl/lambda/Interpreter.h"
#include "test/dialects/tdl/analysis/Lambdas.h"

#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::analysis;

namespace {

std::string found(const std::string &text, int product = 0) {
  const auto epilogue = matchEpilogue(parse(text), product);
  if (!epilogue)
    return "none";
  const std::string names[] = {"", "relu", "gelu"};
  return names[int(epilogue->activation)] +
         (epilogue->bias < 0 ? "" : " bias " + std::to_string(epilogue->bias));
}

/// Of x: f32[2] and b: f32[1], with Z for their sum.
std::string withBias(std::string body) {
  for (size_t at; (at = body.find('Z')) != std::string::npos;)
    body.replace(at, 1, "(x[i, j] + b[j])");
  return "(x: f32[2], b: f32[1]) -> f32: lambda i, j: " + body;
}

Tensor tensorOf(const std::vector<float> &values) {
  Tensor made{{DType::F32, {int64_t(values.size())}}};
  made.bytes.resize(4 * values.size());
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}

/// The lambda of x and b, as the interpreter has it, less what the formula
/// says: the largest difference.
double distance(const std::string &text, double (*formula)(double)) {
  std::vector<float> x, b;
  for (int i = -40; i <= 40; ++i) {
    x.push_back(float(i) / 8);
    b.push_back(float(i % 7) / 16);
  }
  const Tensor left = tensorOf(x), right = tensorOf(b);
  const auto result =
      tdl::interpret(parse(text), std::vector<int64_t>{int64_t(x.size())},
                     std::vector<const Tensor *>{&left, &right});
  REQUIRE(result);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    float value;
    std::memcpy(&value, result->bytes.data() + 4 * i, 4);
    most = std::max(
        most, std::abs(double(value) - formula(double(x[i]) + double(b[i]))));
  }
  return most;
}

double gelu(double z) {
  return 0.5 * z *
         (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) *
                        (z + 0.044715 * z * z * z)));
}
double relu(double z) { return z > 0 ? z : 0; }

} // namespace

TEST_CASE("bias and relu after a product") {
  CHECK(found(withBias("x[i, j] + b[j]")) == " bias 1");
  CHECK(found(withBias("b[j] + x[i, j]")) == " bias 1");
  CHECK(found(withBias("max(Z, 0)")) == "relu bias 1");
  CHECK(found(withBias("max(0, Z)")) == "relu bias 1");
  CHECK(found(withBias("Z if Z > 0 else 0")) == "relu bias 1");
  CHECK(found("(x: f64[1]) -> f64: lambda i: max(x[i], 0)") == "relu");
  CHECK(found("(b: f32[1], x: f32[2]) -> f32: lambda i, j: x[i, j] + b[j]",
              1) == " bias 0");
  CHECK(found("(x: f32[3], b: f32[2]) -> f32: lambda i, j, k: "
              "x[i, j, k] + b[j, k]") == " bias 1");
  CHECK(found("(x: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "x[i, j] + b[0, j]") == " bias 1");
  CHECK(found("(x: bf16[2], b: bf16[1]) -> bf16: lambda i, j: "
              "bf16(max(f32(x[i, j]) + f32(b[j]), 0))") == "relu bias 1");
}

TEST_CASE("gelu by tanh, however it is written") {
  for (const char *body :
       {"0.5 * Z * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "Z * 0.5 * (tanh((Z + 0.044715 * Z ** 3) * 0.79788456) + 1)",
        "Z * (0.5 + 0.5 * tanh(0.7978845608 * Z * (1 + 0.044715 * Z * Z)))",
        "Z * (1 + tanh(0.7978845608 * Z + 0.0356774081 * Z ** 3)) / 2"}) {
    INFO(body);
    CHECK(found(withBias(body)) == "gelu bias 1");
  }
  CHECK(found("(x: f32[2]) -> f32: lambda i, j: 0.5 * x[i, j] * (1 + "
              "tanh(0.7978845608 * (x[i, j] + 0.044715 * x[i, j] * x[i, j] * "
              "x[i, j])))") == "gelu");
  CHECK(found("(x: f16[1], b: f16[1]) -> f16: lambda i: f16(0.5 * f32(x[i] + "
              "b[i]) * (1 + tanh(0.7978845608 * (f32(x[i] + b[i]) + 0.044715 * "
              "f32(x[i] + b[i]) ** 3))))") == "gelu bias 1");
}

TEST_CASE("what is found is what the formula says") {
  const auto of = [](std::string body) {
    for (size_t at; (at = body.find('Z')) != std::string::npos;)
      body.replace(at, 1, "(x[i] + b[i])");
    return "(x: f32[1], b: f32[1]) -> f32: lambda i: " + body;
  };
  for (const char *body :
       {"0.5 * Z * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "Z * (0.5 + 0.5 * tanh(0.7978845608 * Z * (1 + 0.044715 * Z * Z)))",
        "Z * (1 + tanh(0.7978845608 * Z + 0.0356774081 * Z ** 3)) / 2"}) {
    INFO(body);
    REQUIRE(found(of(body)) == "gelu bias 1");
    CHECK(distance(of(body), gelu) < 1e-5);
  }
  for (const char *body : {"max(0, Z)", "Z if Z > 0 else 0"}) {
    REQUIRE(found(of(body)) == "relu bias 1");
    CHECK(distance(of(body), relu) < 1e-6);
  }
}

TEST_CASE("what is no epilogue") {
  for (const char *body :
       {"x[i, j] - b[j]", "x[i, j] * b[j]", "max(x[i, j], b[j])", "max(Z, 1)",
        "min(Z, 0)", "max(x[i, j], 0) + b[j]", "0 if Z > 0 else Z",
        "x[i, j] if Z > 0 else 0", "exp(Z)", "tanh(Z)",
        "0.5 * Z * (1 + erf(Z * 0.70710678))",
        "0.5 * Z * (1 + tanh(0.8 * (Z + 0.044715 * Z * Z * Z)))",
        "0.5 * Z * (1 + tanh(0.7978845608 * (Z + 0.05 * Z * Z * Z)))",
        "0.6 * Z * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "0.5 * x[i, j] * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "0.5 * Z * (2 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "0.5 * Z * Z * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z * Z * Z)))",
        "0.5 * Z * (1 + tanh(0.7978845608 * (Z + 0.044715 * Z ** 4)))"}) {
    INFO(body);
    CHECK(found(withBias(body)) == "none");
  }
  CHECK(found("(x: f32[2]) -> f32: lambda i, j: x[i, j]") == "none");
  CHECK(found("(x: f32[2]) -> f32: lambda i, j: max(x[j, i], 0)") == "none");
  CHECK(found("(x: f32[2]) -> f32: lambda i, j: max((x[i, j] else 0), 0)") ==
        "none");
  CHECK(found("(x: i32[1]) -> i32: lambda i: max(x[i], 0)") == "none");
  // A bias along another dimension, shifted, of another type, or of two.
  CHECK(found("(x: f32[2], b: f32[1]) -> f32: lambda i, j: x[i, j] + b[i]") ==
        "none");
  CHECK(found("(x: f32[1], b: f32[1]) -> f32: lambda i: x[i] + b[i + 1]") ==
        "none");
  CHECK(found("(x: f32[2], b: f32[0]) -> f32: lambda i, j: x[i, j] + b[]") ==
        "none");
  CHECK(found("(x: f32[2], b: f32[2]) -> f32: lambda i, j: "
              "x[i, j] + b[1, j]") == "none");
  CHECK(found("(x: f32[1], b: f64[1]) -> f64: lambda i: f64(x[i]) + b[i]") ==
        "none");
  CHECK(found("(x: f32[1], b: f32[1], y: f32[1]) -> f32: lambda i: "
              "x[i] + b[i] + y[i]") == "none");
  // A result that is rounded more than once loses more than a library does.
  CHECK(found("(x: f32[1]) -> f32: lambda i: f32(f16(max(x[i], 0)))") ==
        "none");
  CHECK(found(withBias("max(Z, 0)"), 2) == "none");
  CHECK(found("(x: f32[1]) -> f32: lambda: Sum(lambda k: x[k])") == "none");
}
