// Real networks on small integers, where float arithmetic is exact: then no
// order of a sum, and no way to split it, may change a single bit. What every
// number of GPUs computes is compared with the reference interpreter.
//
// Only networks whose operators are exact on integers are here: products, sums,
// maxima, gathering and scattering, and averages of 2^n values. Sigmoid (unet),
// tanh (lstm), softmax and erf (transformer_encoder) round; model_tests have
// those, within a tolerance.
#include "runtime/io/Npy.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/end_to_end/Harness.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

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
Tensor drawParameter(std::mt19937 &random, const TensorType &type,
                     int nonzeros) {
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

Case makeCase(const std::string &folder, int nonzeros) {
  auto model = frontend::importModel(folder + "/model.onnx", {});
  REQUIRE(model);
  Case made{std::move(*model), {}};
  std::mt19937 random(1);
  for (frontend::Parameter &parameter : made.model.parameters) {
    const TensorType &type = made.model.values[parameter.value].type;
    INFO(made.model.values[parameter.value].name);
    REQUIRE(type.dtype == DType::F32);
    REQUIRE(!parameter.constant);
    setParameter(parameter, drawParameter(random, type, nonzeros));
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

void takeMagnitudes(Tensor &tensor) {
  if (tensor.type.dtype == DType::F32)
    for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
      tensor.data<float>()[i] = std::abs(tensor.data<float>()[i]);
}

/// Every operator here grows with the magnitude of its operands. So on the
/// magnitudes of all parameters and inputs, each value of the network bounds
/// what any part of that value's sum can come to on the numbers themselves.
/// Averages leave multiples of 1/4 or so behind: 2^4 is kept for those.
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
  for (const frontend::Application &application : made.model.applications) {
    made.model.outputs.push_back(application.result);
    made.model.outputNames.push_back(
        made.model.values[application.result].name);
  }
  const auto values = test::evaluate(made.model, made.inputs);
  REQUIRE(values);
  float largest = 0;
  for (const auto &[name, tensor] : *values)
    if (tensor.type.dtype == DType::F32)
      for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i) {
        const float value = tensor.data<float>()[i];
        largest = std::max(largest, value);
        if (value * 16 != std::floor(value * 16)) {
          INFO(name << " has a value of " << value);
          REQUIRE(value * 16 == std::floor(value * 16));
        }
      }
  INFO("the largest value is " << largest);
  REQUIRE(largest < float(1 << 24) / 16);
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

void compareAll(const std::string &folder, int nonzeros) {
  const Case made = makeCase(folder, nonzeros);
  requireExact(made);
  const auto expected = test::evaluate(made.model, made.inputs);
  REQUIRE(expected);
  requireVariety(*expected);
  for (int gpus : {1, 2, 3, 4, 7, 8}) {
    INFO(gpus << " GPUs");
    const auto outputs = test::runPartitioned(made.model, made.inputs, gpus);
    if (!outputs)
      FAIL(outputs.error().message);
    REQUIRE(outputs->size() == expected->size());
    for (const auto &[name, tensor] : *expected) {
      INFO(name);
      const Tensor &got = outputs->at(name);
      REQUIRE(got.type == tensor.type);
      CHECK(got.bytes == tensor.bytes);
    }
  }
}

} // namespace

TEST_CASE("mlp") { compareAll("test/models/mlp", 8); }
TEST_CASE("gcn_gather_scatter") {
  compareAll("test/models/gcn_gather_scatter", 4);
}
TEST_CASE("resnet18") { compareAll("test/models/resnet18", 1); }
TEST_CASE("mobilenet_v2") { compareAll("test/models/mobilenet_v2", 3); }
TEST_CASE("resnet50") { compareAll("examples/resnet50", 1); }
