// Steps of training with the reference interpreter.
#ifndef SMEX_TEST_COMPILER_TRAINING_TRAINER_H
#define SMEX_TEST_COMPILER_TRAINING_TRAINER_H

#include "test/compiler/frontend/evaluate.h"

#include <catch2/catch.hpp>

#include <cstring>

namespace smex::test {

template <typename T>
Tensor tensor(DType type, std::vector<int64_t> shape, std::vector<T> values) {
  Tensor made = makeTensor({type, std::move(shape)});
  REQUIRE(made.bytes.size() == values.size() * sizeof(T));
  std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}
inline Tensor floats(std::vector<int64_t> shape, std::vector<float> values) {
  return tensor(DType::F32, std::move(shape), std::move(values));
}
inline Tensor integers(std::vector<int64_t> shape,
                       std::vector<int64_t> values) {
  return tensor(DType::I64, std::move(shape), std::move(values));
}

/// Of f16 or bf16, rounded.
inline Tensor halves(DType type, std::vector<int64_t> shape,
                     const std::vector<float> &values) {
  std::vector<uint16_t> rounded;
  for (float value : values)
    rounded.push_back(type == DType::F16 ? floatToHalf(value)
                                         : floatToBfloat(value));
  return tensor(type, std::move(shape), std::move(rounded));
}

/// Runs steps with the reference interpreter.
class Trainer {
public:
  explicit Trainer(frontend::Model given) : model(std::move(given)) {
    for (const frontend::Update &update : model.updates) {
      model.outputs.push_back(update.value);
      model.outputNames.push_back(model.values[size_t(update.value)].name);
    }
  }

  /// The loss before the update.
  double step(const std::map<std::string, Tensor> &inputs) {
    auto values = test::evaluate(model, inputs);
    if (!values)
      FAIL(values.error().message);
    for (const frontend::Update &update : model.updates)
      set(update.parameter,
          values->at(model.values[size_t(update.value)].name));
    return numbersOf(values->at("loss").type.dtype,
                     values->at("loss").bytes.data(), 1)[0];
  }

  std::vector<float> parameter(const std::string &name) const {
    for (const frontend::Parameter &each : model.parameters) {
      const frontend::Value &value = model.values[size_t(each.value)];
      if (value.name != name)
        continue;
      return numbersOf(value.type.dtype, each.data.bytes,
                       *elementCount(value.type.shape));
    }
    FAIL("no parameter " << name);
    return {};
  }

private:
  static std::vector<float> numbersOf(DType type, const std::byte *bytes,
                                      int64_t count) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < count; ++i) {
      uint16_t half;
      float single;
      std::memcpy(&half, bytes + 2 * i, sizeof half);
      if (type == DType::F32)
        std::memcpy(&single, bytes + 4 * i, sizeof single);
      numbers.push_back(type == DType::F16    ? halfToFloat(half)
                        : type == DType::BF16 ? bfloatToFloat(half)
                                              : single);
    }
    return numbers;
  }

  void set(int value, Tensor tensor) {
    for (frontend::Parameter &each : model.parameters)
      if (each.value == value) {
        const auto owner = std::make_shared<Tensor>(std::move(tensor));
        each.data = {};
        each.data.bytes = owner->bytes.data();
        each.data.keepAlive = owner;
      }
  }

  frontend::Model model;
};

} // namespace smex::test

#endif
