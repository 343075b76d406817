#include "compiler/pipeline/MemoryLimit.h"

#include <algorithm>
#include <charconv>

using namespace smex;
using namespace smex::pipeline;

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

Result<MemoryLimit> MemoryLimit::perGpu(const std::vector<int64_t> &sizes,
                                        int64_t gpus) {
  if (sizes.size() == 1)
    return MemoryLimit{std::vector<int64_t>(size_t(gpus), sizes.front()),
                       "--memory-per-gpu"};
  if (int64_t(sizes.size()) == gpus)
    return MemoryLimit{sizes, "--memory-per-gpu"};
  return Error{"--memory-per-gpu has " + std::to_string(sizes.size()) +
                   " sizes for " + std::to_string(gpus) +
                   " GPUs; give one for all, or one for each",
               Fault::Usage};
}

MemoryLimit::Worst
MemoryLimit::worstOf(const std::vector<int64_t> &peaks) const {
  Worst worst{0, peaks[0] - bytes[0]};
  for (size_t w = 1; w < peaks.size(); ++w)
    if (peaks[w] - bytes[w] > worst.excess)
      worst = {int(w), peaks[w] - bytes[w]};
  return worst;
}

std::string MemoryLimit::keptBy(const std::vector<int64_t> &peaks) const {
  const bool areAlike =
      std::adjacent_find(bytes.begin(), bytes.end(),
                         std::not_equal_to<int64_t>()) == bytes.end();
  if (areAlike)
    return "a limit of " +
           std::to_string(*std::max_element(peaks.begin(), peaks.end())) +
           " bytes";
  std::string text = "limits of ";
  for (size_t w = 0; w < peaks.size(); ++w)
    text += (w ? "," : "") + std::to_string(peaks[w]);
  return text + " bytes";
}
