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
    return *values->at("loss").data<float>();
  }

  std::vector<float> parameter(const std::string &name) const {
    for (const frontend::Parameter &each : model.parameters) {
      const frontend::Value &value = model.values[size_t(each.value)];
      if (value.name != name)
        continue;
      const auto *data = reinterpret_cast<const float *>(each.data.bytes);
      return {data, data + *elementCount(value.type.shape)};
    }
    FAIL("no parameter " << name);
    return {};
  }

private:
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
