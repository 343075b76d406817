#include "test/emulated/cuda/KnownLaunches.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace smex::emulated {

KnownLaunches::KnownLaunches(const std::string &text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    std::vector<Buffer> buffers;
    for (std::string word; words >> word;) {
      std::istringstream numbers(word);
      Buffer buffer{};
      char first = 0, second = 0;
      numbers >> buffer.device >> first >> buffer.offset >> second >>
          buffer.bytes;
      if (!numbers || first != ':' || second != ':')
        throw std::runtime_error("no list of known launches: " + line);
      buffers.push_back(buffer);
    }
    if (kernel == "buffers")
      apart.insert(apart.end(), buffers.begin(), buffers.end());
    else if (!kernel.empty())
      launches[kernel].insert(std::move(buffers));
  }
}

std::vector<ptx::Range>
KnownLaunches::buffersOf(const std::string &kernel,
                         const std::vector<uint8_t> &parameters,
                         const std::vector<uint64_t> &arenas) const {
  const auto found = launches.find(kernel);
  if (found == launches.end())
    return {};
  std::vector<ptx::Range> result;
  for (const std::vector<Buffer> &known : found->second) {
    if (8 * known.size() > parameters.size())
      continue;
    std::vector<ptx::Range> ranges;
    for (size_t p = 0; p < known.size(); ++p) {
      const Buffer &buffer = known[p];
      uint64_t value = 0;
      std::memcpy(&value, &parameters[8 * p], 8);
      // Nothing is accessed through a pointer to no bytes: it may be any.
      if (buffer.bytes > 0 && (buffer.device >= arenas.size() ||
                               value != arenas[buffer.device] + buffer.offset))
        break;
      ranges.push_back({value, value + buffer.bytes,
                        "the buffer of parameter " + std::to_string(p)});
    }
    if (ranges.size() != known.size())
      continue;
    // The same addresses may be those of other buffers at another time.
    if (result.empty())
      result = ranges;
    for (size_t p = 0; p < ranges.size(); ++p)
      result[p].end = std::max(result[p].end, ranges[p].end);
  }
  if (result.empty())
    throw std::runtime_error("the launch of " + kernel +
                             " has pointers that no known one has");
  return result;
}

} // namespace smex::emulated
