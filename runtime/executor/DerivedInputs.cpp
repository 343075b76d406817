#include "runtime/executor/DerivedInputs.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

namespace {

const TensorType &typeOf(const plan::Program &program, size_t input) {
  const int buffer = program.inputs[input].buffer;
  return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
}

/// What a derived input is made of: a list, and its type in each step.
struct List {
  Feed feed;
  TensorType type;
};

/// The value of an input in one step.
Result<Tensor> valueAt(const List &list, int step) {
  Tensor value = makeTensor(list.type);
  const size_t bytes = value.bytes.size();
  const auto from = list.feed.at(step, int64_t(bytes));
  if (!from)
    return from.error();
  if (bytes)
    std::memcpy(value.bytes.data(), from->get(), bytes);
  return value;
}

class Derivation : public StepSource {
public:
  Derivation(const plan::Program &program, size_t input,
             const std::vector<Feed> &feeds)
      : recipe(*program.inputs[input].derived), type(typeOf(program, input)) {
    for (const std::string &name : recipe.of) {
      const auto found = std::find_if(
          program.inputs.begin(), program.inputs.end(),
          [&](const plan::Port &port) { return port.name == name; });
      const size_t i = size_t(found - program.inputs.begin());
      of.push_back({feeds[i], typeOf(program, i)});
    }
  }

  /// Of lists that are made for each step, so is what follows from them.
  bool isMadePerStep() const {
    return std::any_of(of.begin(), of.end(),
                       [](const List &list) { return bool(list.feed.source); });
  }

  /// For all steps.
  Result<Feed> feed(int steps) const {
    const bool perStep = std::any_of(
        of.begin(), of.end(), [](const List &l) { return l.feed.perStep; });
    if (!perStep) {
      auto value = valueIn(0);
      if (!value)
        return value.takeError();
      return Feed{std::move(*value), false, nullptr, 0};
    }
    TensorType all = type;
    all.shape.insert(all.shape.begin(), steps);
    if (!byteCount(all))
      return fail("its values for ", steps, " steps are too many bytes");
    Feed made = {makeTensor(all), true, nullptr, 0};
    for (int step = 0; step < steps; ++step) {
      const auto value = valueIn(step);
      if (!value)
        return value.error();
      const size_t bytes = value->bytes.size();
      std::memcpy(made.value.bytes.data() + size_t(step) * bytes,
                  value->bytes.data(), bytes);
    }
    return made;
  }

private:
  Result<Tensor> valueIn(int step) const {
    std::vector<Tensor> values;
    for (const List &list : of) {
      auto value = valueAt(list, step);
      if (!value)
        return value.takeError();
      values.push_back(std::move(*value));
    }
    return graph::derive(recipe, values, type);
  }

  Result<std::vector<Tensor>> make(int step) override {
    auto value = valueIn(step);
    if (!value)
      return value.takeError();
    return std::vector<Tensor>{std::move(*value)};
  }

  const graph::Recipe recipe;
  const TensorType type;
  std::vector<List> of;
};

} // namespace

Status runtime::deriveInputs(const plan::Program &program, int steps,
                             std::vector<Feed> &feeds) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!program.inputs[i].derived)
      continue;
    const auto derivation = std::make_shared<Derivation>(program, i, feeds);
    if (derivation->isMadePerStep()) {
      feeds[i] = Feed{Tensor(), false, derivation, 0};
      continue;
    }
    auto feed = derivation->feed(steps);
    if (!feed)
      return fail("input \"", program.inputs[i].name,
                  "\": ", feed.error().message);
    feeds[i] = std::move(*feed);
  }
  return {};
}
