// Real networks on small integers, where float arithmetic is exact: then no
// order of a sum, and no way to split it, may change a single bit. What every
// number of GPUs computes is compared with the reference interpreter.
//
// That holds for products, sums, maxima, gathering and scattering, and averages
// of 2^n values, and so for five networks as they are. In an LSTM, sigmoid and
// tanh leave the integers; with one nonzero weight for each sum of products no
// two such values are ever added up, and no order exists. Normalizations (unet,
// transformer_encoder) add up what a division rounded; in those two networks,
// functions that round are replaced by functions that do not, and all else,
// shapes, accesses, plan and transfers, stays as it is.
#include "runtime/io/Npy.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/end_to_end/Harness.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>

using namespace smex;
using frontend::Model;

namespace {

using Arrays = std::map<std::string, Tensor>;

/// An integer of [low, high]. The distributions of <random> differ between
/// libraries, its generators do not.
int draw(std::mt19937 &random, int low, int high) {
  return low + int(random() % uint32_t(high - low + 1));
}

/// Rows of `nonzeros` entries of +-1 each, as a row is what one output sums
/// over: sums then stay small however deep the network is. Biases are -1 to 1.
Tensor drawSparse(std::mt19937 &random, const TensorType &type, int nonzeros) {
  Tensor tensor = makeTensor(type);
  float *values = tensor.data<float>();
  const int64_t count = *elementCount(type.shape);
  if (type.rank() == 1) {
    for (int64_t i = 0; i < count; ++i)
      values[i] = float(draw(random, -1, 1));
    return tensor;
  }
  const int64_t row = count / type.shape[0];
  for (int64_t start = 0; start < count; start += row)
    for (int n = 0; n < nonzeros; ++n)
      values[start + draw(random, 0, int(row) - 1)] =
          draw(random, 0, 1) ? 1.0f : -1.0f;
  return tensor;
}

/// One entry in each row and column of the matrix that the parameter is once
/// its inner dimensions are one, as far as there are rows and columns:
/// whichever of them an output sums over, it has one term. Vectors, and what
/// `dense` names (added or gathered, never a factor of a sum), have no zeros.
Tensor drawMonomial(std::mt19937 &random, const frontend::Value &value,
                    const std::set<std::string> &dense) {
  const auto entry = [&] {
    const int number = draw(random, 1, 3);
    return float(draw(random, 0, 1) ? number : -number);
  };
  const std::vector<int64_t> &shape = value.type.shape;
  Tensor tensor = makeTensor(value.type);
  float *values = tensor.data<float>();
  const int64_t count = *elementCount(shape);
  const auto isVector = [&] {
    return *std::max_element(shape.begin(), shape.end()) == count;
  };
  if (isVector() || dense.count(value.name)) {
    std::generate_n(values, count, entry);
    return tensor;
  }
  // Recurrent weights lead with the number of directions, 1 here.
  const int64_t rows = shape[0] > 1 ? shape[0] : shape[1];
  const int64_t columns = count / rows;
  std::vector<int64_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[draw(random, 0, int(i))]);
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    values[rows < columns ? i * columns + order[i] : order[i] * columns + i] =
        entry();
  return tensor;
}

void setParameter(frontend::Parameter &parameter, Tensor tensor) {
  const auto owner = std::make_shared<Tensor>(std::move(tensor));
  parameter.data = {};
  parameter.data.bytes = owner->bytes.data();
  parameter.data.keepAlive = owner;
}

/// The model with integer parameters, and inputs for it. Indices, which are
/// integers already, are the model's own.
struct Case {
  Model model;
  Arrays inputs;
};

using Draw = std::function<Tensor(std::mt19937 &, const frontend::Value &)>;

Case makeCase(const std::string &folder, const Draw &drawParameter) {
  auto model = frontend::importModel(folder + "/model.onnx", {});
  REQUIRE(model);
  Case made{std::move(*model), {}};
  std::mt19937 random(1);
  for (frontend::Parameter &parameter : made.model.parameters) {
    const frontend::Value &value = made.model.values[parameter.value];
    INFO(value.name);
    REQUIRE(value.type.dtype == DType::F32);
    REQUIRE(!parameter.constant);
    setParameter(parameter, drawParameter(random, value));
  }
  for (int input : made.model.inputs) {
    const frontend::Value &value = made.model.values[input];
    Tensor tensor = makeTensor(value.type);
    if (isFloat(value.type.dtype)) {
      REQUIRE(value.type.dtype == DType::F32);
      for (int64_t i = 0; i < *elementCount(value.type.shape); ++i)
        tensor.data<float>()[i] = float(draw(random, -3, 3));
    } else {
      auto own = io::readNpy(folder + "/inputs/" + value.name + ".npy");
      REQUIRE(own);
      tensor = std::move(*own);
    }
    made.inputs[value.name] = std::move(tensor);
  }
  return made;
}

/// The lambda with every scalar function that rounds replaced by one that maps
/// integers to integers, of the same operands.
tdl::Lambda roundless(tdl::Lambda lambda) {
  using namespace tdl;
  const auto clamp = [](const ExprRef &e, double bound) {
    return binary(BinaryOp::Min, constant(bound, e->type),
                  binary(BinaryOp::Max, constant(-bound, e->type), e));
  };
  const auto replace = [&](const ExprRef &e) -> ExprRef {
    if (!isFloat(e->type))
      return nullptr;
    if (e->kind == ExprKind::Float && std::isfinite(e->real) &&
        e->real != std::floor(e->real))
      return constant(1.0, e->type);
    if (e->kind == ExprKind::Unary && e->unary >= UnaryOp::Exp)
      return clamp(e->children[0], 1);
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Pow)
      return binary(BinaryOp::Mul, e->children[0], e->children[0]);
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Div)
      return clamp(readsData(e->children[1])
                       ? binary(BinaryOp::Mul, e->children[0], e->children[1])
                       : e->children[0],
                   3);
    return nullptr;
  };
  lambda.body = transform(lambda.body, replace);
  return lambda;
}

/// Grows with the magnitude of each operand, and bounds that of the lambda.
tdl::Lambda magnitude(tdl::Lambda lambda) {
  using namespace tdl;
  lambda.body = transform(lambda.body, [](const ExprRef &e) -> ExprRef {
    if (!isFloat(e->type))
      return nullptr;
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Sub)
      return binary(BinaryOp::Add, e->children[0], e->children[1]);
    if (e->kind == ExprKind::Unary && e->unary == UnaryOp::Neg)
      return e->children[0];
    return nullptr;
  });
  return lambda;
}

void takeMagnitudes(Tensor &tensor) {
  if (tensor.type.dtype == DType::F32)
    for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
      tensor.data<float>()[i] = std::abs(tensor.data<float>()[i]);
}

/// On the magnitudes of all parameters and inputs, with differences made sums,
/// each value of the network bounds what any part of that value's sum can come
/// to on the numbers themselves. Where averages leave multiples of 1/4 or so
/// behind, 2^4 is kept for those.
void requireExact(Case made) {
  for (frontend::Parameter &parameter : made.model.parameters) {
    Tensor tensor = makeTensor(made.model.values[parameter.value].type);
    std::copy_n(parameter.data.bytes, tensor.bytes.size(),
                tensor.bytes.begin());
    takeMagnitudes(tensor);
    setParameter(parameter, std::move(tensor));
  }
  for (auto &[name, tensor] : made.inputs)
    takeMagnitudes(tensor);
  made.model.outputs.clear();
  made.model.outputNames.clear();
  for (frontend::Application &application : made.model.applications) {
    application.lambda = magnitude(std::move(application.lambda));
    made.model.outputs.push_back(application.result);
    made.model.outputNames.push_back(
        made.model.values[application.result].name);
  }
  const auto values = test::evaluate(made.model, made.inputs);
  REQUIRE(values);
  float largest = 0, parts = 1;
  for (const auto &[name, tensor] : *values)
    if (tensor.type.dtype == DType::F32)
      for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i) {
        const float value = tensor.data<float>()[i];
        largest = std::max(largest, value);
        if (value != std::floor(value))
          parts = 16;
        if (value * 16 != std::floor(value * 16)) {
          INFO(name << " has a value of " << value);
          REQUIRE(value * 16 == std::floor(value * 16));
        }
      }
  INFO("the largest value is " << largest);
  REQUIRE(largest < float(1 << 24) / parts);
}

/// A network that came to rest on one value would prove nothing.
void requireVariety(const Arrays &outputs) {
  for (const auto &[name, tensor] : outputs) {
    const float *values = tensor.data<float>();
    std::vector<float> sorted(values,
                              values + *elementCount(tensor.type.shape));
    std::sort(sorted.begin(), sorted.end());
    INFO(name);
    CHECK(std::unique(sorted.begin(), sorted.end()) - sorted.begin() > 8);
  }
}

void requireSameBits(const Case &made, const Arrays &expected,
                     const std::vector<int> &numbersOfGpus) {
  requireVariety(expected);
  for (int gpus : numbersOfGpus) {
    INFO(gpus << " GPUs");
    const auto outputs = test::runPartitioned(made.model, made.inputs, gpus);
    if (!outputs)
      FAIL(outputs.error().message);
    REQUIRE(outputs->size() == expected.size());
    for (const auto &[name, tensor] : expected) {
      INFO(name);
      const Tensor &got = outputs->at(name);
      REQUIRE(got.type == tensor.type);
      CHECK(got.bytes == tensor.bytes);
    }
  }
}

using Rewrite = std::function<tdl::Lambda(tdl::Lambda)>;

/// Where every value is an integer, or nearly: as the interpreter computes it.
void compareExact(const std::string &folder, int nonzeros,
                  const Rewrite &rewrite = {}) {
  Case made =
      makeCase(folder, [&](std::mt19937 &random, const frontend::Value &value) {
        return drawSparse(random, value.type, nonzeros);
      });
  if (rewrite)
    for (frontend::Application &application : made.model.applications)
      application.lambda = rewrite(std::move(application.lambda));
  requireExact(made);
  const auto expected = test::evaluate(made.model, made.inputs);
  REQUIRE(expected);
  requireSameBits(made, *expected, {1, 2, 3, 4, 7, 8});
}

/// Where elementary functions round: as one GPU computes it.
void compareWithOneGpu(const std::string &folder,
                       const std::set<std::string> &dense = {}) {
  const Case made =
      makeCase(folder, [&](std::mt19937 &random, const frontend::Value &value) {
        return drawMonomial(random, value, dense);
      });
  const auto expected = test::runPartitioned(made.model, made.inputs, 1);
  if (!expected)
    FAIL(expected.error().message);
  requireSameBits(made, *expected, {2, 3, 4, 7, 8});
}

} // namespace

TEST_CASE("mlp") { compareExact("test/models/mlp", 8); }
TEST_CASE("gcn_gather_scatter") {
  compareExact("test/models/gcn_gather_scatter", 4);
}
TEST_CASE("resnet18") { compareExact("test/models/resnet18", 1); }
TEST_CASE("mobilenet_v2") { compareExact("test/models/mobilenet_v2", 3); }
TEST_CASE("resnet50") { compareExact("examples/resnet50", 1); }
TEST_CASE("lstm") { compareWithOneGpu("test/models/lstm", {"e.weight"}); }
TEST_CASE("unet") { compareExact("test/models/unet", 2, roundless); }
TEST_CASE("transformer_encoder") {
  compareExact("test/models/transformer_encoder", 1, roundless);
}
