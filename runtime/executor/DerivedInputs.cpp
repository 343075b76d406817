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

/// The value of an input in one step.
Tensor valueAt(const Feed &feed, int step, const TensorType &type) {
  Tensor value = makeTensor(type);
  const size_t bytes = value.bytes.size();
  if (bytes)
    std::memcpy(value.bytes.data(), feed.at(step, int64_t(bytes)), bytes);
  return value;
}

class Derivation {
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
      perStep |= feeds[i].perStep;
    }
  }

  Result<Feed> feed(int steps) const {
    if (!perStep) {
      auto value = at(0);
      if (!value)
        return value.takeError();
      return Feed{std::move(*value), false};
    }
    TensorType all = type;
    all.shape.insert(all.shape.begin(), steps);
    if (!byteCount(all))
      return fail("its values for ", steps, " steps are too many bytes");
    Feed made = {makeTensor(all), true};
    for (int step = 0; step < steps; ++step) {
      const auto value = at(step);
      if (!value)
        return value.error();
      const size_t bytes = value->bytes.size();
      std::memcpy(made.value.bytes.data() + size_t(step) * bytes,
                  value->bytes.data(), bytes);
    }
    return made;
  }

private:
  Result<Tensor> at(int step) const {
    std::vector<Tensor> values;
    for (const auto &[feed, type] : of)
      values.push_back(valueAt(feed, step, type));
    return graph::derive(recipe.derivation, values, type, recipe.wraps);
  }

  struct List {
    const Feed &feed;
    const TensorType &type;
  };
  const graph::Recipe &recipe;
  const TensorType &type;
  std::vector<List> of;
  bool perStep = false;
};

} // namespace

Status runtime::deriveInputs(const plan::Program &program, int steps,
                             std::vector<Feed> &feeds) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!program.inputs[i].derived)
      continue;
    auto feed = Derivation(program, i, feeds).feed(steps);
    if (!feed)
      return fail("input \"", program.inputs[i].name,
                  "\": ", feed.error().message);
    feeds[i] = std::move(*feed);
  }
  return {};
}
