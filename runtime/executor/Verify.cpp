#include "runtime/executor/Verify.h"

#include "runtime/io/Compare.h"

#include <algorithm>
#include <cstdio>

using namespace smex;
using namespace smex::runtime;

/// As a tensor: one element per step.
static Tensor tensorOf(const std::vector<double> &losses) {
  Tensor tensor = makeTensor({DType::F64, {int64_t(losses.size())}});
  std::copy(losses.begin(), losses.end(), tensor.data<double>());
  return tensor;
}

/// The float of the widest tolerance among those that the program computes:
/// what passes through f16 is as exact as f16, whatever its own type is.
static DType leastExact(const plan::Program &program) {
  DType found = DType::F32;
  for (const plan::Instruction &instruction : program.instructions) {
    const int tensor = program.buffers[size_t(instruction.to)].tensor;
    const DType type = program.tensors[size_t(tensor)].type.dtype;
    if (io::toleranceOf(type) > io::toleranceOf(found))
      found = type;
  }
  return found;
}

Result<std::string> runtime::verify(const plan::Plan &plan,
                                    const RunResult &partitioned,
                                    const RunResult &unpartitioned) {
  std::string problems;
  const auto complain = [&](auto &&...parts) {
    problems += (problems.empty() ? "" : "\n") + fail(parts...).message;
  };
  bool bitEqual = true;
  double relative = 0;
  const DType computed = leastExact(plan.unpartitioned.program);
  const double tolerance = io::toleranceOf(computed);
  const auto &outputs = plan.partitioned.program.outputs;
  const auto &references = plan.unpartitioned.program.outputs;
  for (size_t o = 0; o < outputs.size(); ++o) {
    size_t r = 0;
    while (r < references.size() && references[r].name != outputs[o].name)
      ++r;
    if (r == references.size()) {
      complain("output \"", outputs[o].name,
               "\": the unpartitioned program has no such output");
      continue;
    }
    const io::Comparison comparison = io::compare(
        partitioned.outputs[o], unpartitioned.outputs[r], tolerance);
    if (!comparison.same)
      complain("output \"", outputs[o].name,
               "\" is not that of the unpartitioned run: ", comparison.text);
    bitEqual &= comparison.bitEqual;
    relative = std::max(relative, comparison.relative);
  }

  // The outputs are the last step's; of training, each step counts.
  if (!partitioned.losses.empty()) {
    const io::Comparison comparison =
        io::compare(tensorOf(partitioned.losses),
                    tensorOf(unpartitioned.losses), tolerance);
    if (!comparison.same)
      complain("the losses of the steps are not those of the unpartitioned "
               "run: ",
               comparison.text,
               "; some networks magnify rounding: a plan of smexc "
               "--reproducible is equal to the bit, or else wrong");
    bitEqual &= comparison.bitEqual;
    relative = std::max(relative, comparison.relative);
  }

  if (partitioned.communicationBytes != plan.communicationBytes)
    complain("communication: ", partitioned.communicationBytes,
             " bytes measured, ", plan.communicationBytes, " predicted");
  const plan::HostTraffic &moved = partitioned.hostTraffic,
                          &planned = plan.hostTraffic;
  if (!(moved == planned))
    complain("moves: ", moved.toHost, " bytes to the host and ", moved.fromHost,
             " from there measured, ", planned.toHost, " and ",
             planned.fromHost, " predicted");
  for (size_t w = 0; w < partitioned.peakBytes.size(); ++w) {
    const int64_t predicted = w < plan.peakBytes.size() ? plan.peakBytes[w] : 0;
    if (partitioned.peakBytes[w] != predicted)
      complain("gpu", w, ": peak of ", partitioned.peakBytes[w],
               " bytes measured, ", predicted, " predicted");
  }
  for (size_t w = 0; w < partitioned.hostPeakBytes.size(); ++w) {
    const auto &workers = plan.partitioned.workers;
    const int64_t predicted = w < workers.size() ? workers[w].hostBytes : 0;
    if (partitioned.hostPeakBytes[w] != predicted)
      complain("gpu", w, ": ", partitioned.hostPeakBytes[w],
               " bytes of the host's memory measured, ", predicted,
               " predicted");
  }

  if (!problems.empty())
    return Error{std::move(problems), Fault::Difference};
  if (bitEqual)
    return std::string("every output is bit-equal to the unpartitioned run's");
  char text[128];
  std::snprintf(
      text, sizeof text,
      "every output is within %.2g of the unpartitioned run's largest "
      "magnitude (%g allowed",
      relative, tolerance);
  std::string line = text;
  if (computed != DType::F32)
    line += " where " + std::string(name(computed)) + " is computed";
  return line + ")";
}
