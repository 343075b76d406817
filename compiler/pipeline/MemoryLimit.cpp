#include "compiler/pipeline/MemoryLimit.h"

#include "runtime/plan/Inspect.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::pipeline;

namespace {

/// The first and last instruction that touches a buffer of the program; inputs,
/// parameters and outputs reach over its ends.
struct Span {
  int first = std::numeric_limits<int>::max(), last = -1;
  void touch(int time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
};

std::vector<Span> spansOf(const plan::Program &program) {
  std::vector<Span> spans(program.buffers.size());
  const int end = int(program.instructions.size());
  for (int i = 0; i < end; ++i) {
    const plan::Instruction &instruction = program.instructions[size_t(i)];
    spans[size_t(instruction.to)].touch(i);
    for (int operand : instruction.operands)
      spans[size_t(operand)].touch(i);
    if (instruction.from >= 0)
      spans[size_t(instruction.from)].touch(i);
  }
  for (const plan::Port &input : program.inputs)
    spans[size_t(input.buffer)].touch(-1);
  for (const plan::Port &output : program.outputs)
    spans[size_t(output.buffer)].touch(end);
  for (const plan::Parameter &parameter : program.parameters) {
    spans[size_t(parameter.buffer)].touch(-1);
    spans[size_t(parameter.buffer)].touch(end);
  }
  return spans;
}

/// Names and bytes of the largest buffers of a worker that are alive when most
/// of its memory is.
std::string largestAtPeak(const plan::Partitioned &partitioned, int worker) {
  const plan::Program &program = partitioned.program;
  const std::vector<Span> spans = spansOf(program);
  const auto bytesOf = [&](size_t b) {
    const plan::TensorInfo &tensor =
        program.tensors[size_t(program.buffers[b].tensor)];
    return volume(partitioned.workers[size_t(worker)].buffers[b].box) *
           byteSize(tensor.type.dtype);
  };
  const int end = int(program.instructions.size());
  std::vector<int64_t> change(size_t(end) + 3);
  for (size_t b = 0; b < spans.size(); ++b)
    if (spans[b].last >= spans[b].first) {
      change[size_t(spans[b].first + 1)] += bytesOf(b);
      change[size_t(spans[b].last + 2)] -= bytesOf(b);
    }
  int64_t alive = 0, most = -1;
  int worst = 0;
  for (int time = -1; time <= end; ++time)
    if ((alive += change[size_t(time + 1)]) > most) {
      most = alive;
      worst = time;
    }
  std::vector<std::pair<int64_t, size_t>> there;
  for (size_t b = 0; b < spans.size(); ++b)
    if (spans[b].first <= worst && worst <= spans[b].last)
      there.emplace_back(-bytesOf(b), b);
  std::sort(there.begin(), there.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(there.size(), 4); ++i)
    text +=
        (i ? ", \"" : "\"") +
        program.tensors[size_t(program.buffers[there[i].second].tensor)].name +
        "\" " + plan::humanBytes(-there[i].first);
  return text;
}

} // namespace

Result<int64_t> smex::pipeline::parseSize(const std::string &text) {
  const char *end = text.data() + text.size();
  double number = 0;
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const std::pair<const char *, double> units[] = {
      {"", 1},         {"B", 1},        {"KB", 1e3},     {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
      {"GiB", 0x1p30}, {"TiB", 0x1p40},
  };
  const std::string unit(at, end);
  for (const auto &[name, factor] : units)
    if (error == std::errc() && unit == name && number * factor >= 1 &&
        number * factor < 0x1p62)
      return int64_t(number * factor);
  return Error{"\"" + text + "\" is no size; give it as 12GiB, 500MB or bytes",
               Fault::Usage};
}

Status smex::pipeline::checkMemoryLimit(const plan::Plan &plan, int64_t limit) {
  const auto worst =
      std::max_element(plan.peakBytes.begin(), plan.peakBytes.end());
  if (worst == plan.peakBytes.end() || *worst <= limit)
    return {};
  const int worker = int(worst - plan.peakBytes.begin());
  return fail(
      plan.modelName, ": gpu", worker, " needs ", plan::humanBytes(*worst),
      ", more than --memory-per-gpu, ", plan::humanBytes(limit),
      "; the smallest limit that works with ", plan.peakBytes.size(),
      " GPUs is ", *worst,
      " bytes; largest at its peak: ", largestAtPeak(plan.partitioned, worker));
}
