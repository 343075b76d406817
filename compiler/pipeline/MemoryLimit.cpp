#include "compiler/pipeline/MemoryLimit.h"

#include "runtime/plan/Inspect.h"
#include "runtime/plan/Lifetimes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

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

int64_t Candidate::peak() const {
  const auto worst =
      std::max_element(totals.peakBytes.begin(), totals.peakBytes.end());
  return worst == totals.peakBytes.end() ? 0 : *worst;
}

namespace {
Error refusal(const Candidate &least, int64_t limit, const std::string &model,
              int64_t tried) {
  const auto &peaks = least.totals.peakBytes;
  const int worker =
      int(std::find(peaks.begin(), peaks.end(), least.peak()) - peaks.begin());
  const std::string gpus =
      std::to_string(peaks.size()) + (peaks.size() == 1 ? " GPU" : " GPUs");
  const std::string of =
      tried == 1 ? "; the plan of --algorithm " + toString(least.by) + " for " +
                       gpus + " keeps a limit of "
                 : "; of " + std::to_string(tried) + " plans for " + gpus +
                       ", that of --algorithm " + toString(least.by) +
                       " takes least, and keeps a limit of ";
  return fail(model, ": gpu", worker, " needs ", plan::humanBytes(least.peak()),
              ", more than --memory-per-gpu, ", plan::humanBytes(limit), of,
              least.peak(), " bytes; ",
              tried == 1 && peaks.size() > 1
                  ? "without --algorithm, other searches are tried; "
                  : "",
              "more GPUs may need less each; largest at its peak: ",
              largestAtPeak(least.partitioned, worker));
}
} // namespace

Result<Chosen> smex::pipeline::withinMemory(
    Candidate first, int64_t limit, const std::string &model,
    const std::vector<partition::Search> &others,
    const std::function<Result<Candidate>(const partition::Search &)>
        &attempt) {
  Chosen chosen{std::move(first)};
  if (chosen.candidate.peak() <= limit)
    return chosen;
  // What keeps the limit is better than what does not; then less is better.
  const auto rank = [limit](const Candidate &candidate) {
    const int64_t peak = candidate.peak();
    return peak <= limit
               ? std::make_tuple(0, candidate.totals.communicationBytes, peak)
               : std::make_tuple(1, peak, int64_t(0));
  };
  chosen.fitting = 0;
  for (const partition::Search &search : others) {
    auto candidate = attempt(search);
    if (!candidate)
      continue;
    ++chosen.tried;
    chosen.fitting += candidate->peak() <= limit;
    if (rank(*candidate) < rank(chosen.candidate))
      chosen.candidate = std::move(*candidate);
  }
  if (chosen.fitting == 0)
    return refusal(chosen.candidate, limit, model, chosen.tried);
  return chosen;
}
