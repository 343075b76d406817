#include "compiler/pipeline/MemoryLimit.h"

#include "runtime/plan/Inspect.h"
#include "runtime/plan/Lifetimes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace smex;
using namespace smex::pipeline;

namespace {

/// Names and bytes of the largest buffers of a worker that are alive when most
/// of its memory is.
std::string largestAtPeak(const plan::Partitioned &partitioned, int worker) {
  std::vector<plan::Lifetime> there = plan::lifetimes(partitioned, worker);
  const int time = plan::mostAlive(there).time;
  there.erase(std::remove_if(there.begin(), there.end(),
                             [&](const plan::Lifetime &span) {
                               return span.buffer < 0 || time < span.lower ||
                                      time >= span.upper;
                             }),
              there.end());
  std::stable_sort(there.begin(), there.end(),
                   [](const plan::Lifetime &a, const plan::Lifetime &b) {
                     return a.bytes > b.bytes;
                   });
  const plan::Program &program = partitioned.program;
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(there.size(), 4); ++i) {
    const int tensor = program.buffers[size_t(there[i].buffer)].tensor;
    text += (i ? ", \"" : "\"") + program.tensors[size_t(tensor)].name + "\" " +
            plan::humanBytes(there[i].bytes);
  }
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
      "; the smallest limit that this plan keeps, of --algorithm ",
      plan.search.algorithm, " for ", plan.peakBytes.size(),
      plan.peakBytes.size() == 1 ? " GPU, is " : " GPUs, is ", *worst,
      " bytes, and another algorithm, or more GPUs, may need less; largest at "
      "its peak: ",
      largestAtPeak(plan.partitioned, worker));
}
