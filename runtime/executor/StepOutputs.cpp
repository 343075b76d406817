#include "runtime/executor/StepOutputs.h"

#include "runtime/executor/Ranges.h"

#include <cmath>

using namespace smex;
using namespace smex::runtime;

namespace {
/// The only element of a tensor of floats.
double numberOf(const Tensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::F16:
    return halfToFloat(*tensor.data<uint16_t>());
  case DType::BF16:
    return bfloatToFloat(*tensor.data<uint16_t>());
  case DType::F64:
    return *tensor.data<double>();
  default:
    return *tensor.data<float>();
  }
}

Status checkTensor(const plan::Port &port, const std::string &what,
                   const Tensor &tensor) {
  return checkRange(port, what, tensor, *elementCount(tensor.type.shape));
}
} // namespace

Status StepOutputs::prepare() {
  fedBy.assign(program.inputs.size(), -1);
  everyStep.assign(program.outputs.size(), false);
  for (const NextInput &next : options.next) {
    fedBy[size_t(next.input)] = next.output;
    everyStep[size_t(next.output)] = true;
  }
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    const plan::Port &port = program.outputs[o];
    if (port.low) // is checked
      everyStep[o] = true;
    if (port.loss)
      lossOutput = int(o), everyStep[o] = true;
    const plan::BufferInfo &info = program.buffers[size_t(port.buffer)];
    tensors.push_back(makeTensor(program.tensors[size_t(info.tensor)].type));
    holders.push_back(holdersOf(partitioned, port.buffer));
    if (!holders.back().missing.empty())
      return fail("output \"", port.name, "\": no worker has ",
                  toString(holders.back().missing.front()));
  }
  return {};
}

std::vector<Whole> StepOutputs::wanted(bool isLast) {
  std::vector<Whole> wholes;
  for (size_t o = 0; o < program.outputs.size(); ++o)
    if (isLast || everyStep[o])
      wholes.push_back(
          {program.outputs[o].buffer, &holders[o], tensors[o].bytes.data()});
  return wholes;
}

const std::byte *StepOutputs::fedTo(size_t input) const {
  return fedBy[input] < 0 ? nullptr
                          : tensors[size_t(fedBy[input])].bytes.data();
}

Status StepOutputs::checkRanges(int completed) const {
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    const plan::Port &port = program.outputs[o];
    if (Status valid =
            checkTensor(port, "output \"" + port.name + "\"", tensors[o]);
        !valid)
      return fail(valid.error().message,
                  ": the plan has no room for more (smexc --bound)");
  }
  if (completed == options.steps)
    return {};
  for (const NextInput &next : options.next) {
    const plan::Port &input = program.inputs[size_t(next.input)];
    const std::string what = "input \"" + input.name + "\": output \"" +
                             program.outputs[size_t(next.output)].name +
                             "\" of step " + std::to_string(completed);
    if (Status valid = checkTensor(input, what, tensors[size_t(next.output)]);
        !valid)
      return valid;
  }
  return {};
}

std::optional<double> StepOutputs::loss() const {
  if (lossOutput < 0)
    return std::nullopt;
  return numberOf(tensors[size_t(lossOutput)]);
}

Status StepOutputs::checkLoss(int completed) const {
  const std::optional<double> value = loss();
  if (!value || options.allowNonfiniteLoss || options.skipCopies ||
      std::isfinite(*value))
    return {};
  return fail(
      "step ", completed, ": the loss is ",
      std::isnan(*value) ? "no number (NaN)" : "infinite",
      ", and training can't go on from there; parameters and inputs may hold "
      "NaN, or the learning rate may be too large",
      tensors[size_t(lossOutput)].type.dtype == DType::F16
          ? ", or numbers beyond what f16 holds, 65504"
          : "",
      "; --allow-nonfinite-loss goes on all the same");
}
