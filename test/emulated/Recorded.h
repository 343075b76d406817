// Calls that an emulated library got, for a replay on NVIDIA's: a line each,
// with all that the call depends on and what it gave, in the file that
// SMEX_EMULATED_LIBRARY_CALLS names. tools/gpu_check/there/replay.py reads it.
#ifndef SMEX_TEST_EMULATED_RECORDED_H
#define SMEX_TEST_EMULATED_RECORDED_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace smex::emulated {

/// Adds "NAME STATUS REST" to the file, if there is one, once per process;
/// `rest()` is not asked otherwise. It gives nothing for a call that cannot be
/// made again, as with a handle that is none.
template <class Rest>
int recorded(const char *name, int status, const Rest &rest) {
  static const char *const path = std::getenv("SMEX_EMULATED_LIBRARY_CALLS");
  if (!path || !*path)
    return status;
  const std::optional<std::string> text = rest();
  if (!text)
    return status;
  const std::string line =
      name + (" " + std::to_string(status)) + " " + *text + "\n";
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (known.insert(line).second)
    if (std::FILE *file = std::fopen(path, "a")) {
      std::fwrite(line.data(), 1, line.size(), file);
      std::fclose(file);
    }
  return status;
}

/// Where an address is in 256 bytes; -1: it is NULL.
inline std::string placeIn256(uint64_t address) {
  return address ? std::to_string(address % 256) : "-1";
}

} // namespace smex::emulated

#endif
