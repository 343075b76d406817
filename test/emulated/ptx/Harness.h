#ifndef SMEX_TEST_EMULATED_PTX_HARNESS_H
#define SMEX_TEST_EMULATED_PTX_HARNESS_H

#include "test/emulated/ptx/Launch.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace smex::ptx {

/// A module with memory of its own, for tests.
class Harness {
public:
  explicit Harness(const std::string &text);
  /// The text of a file below test/emulated/ptx/examples.
  static std::string example(const std::string &name);

  /// A buffer with these values; its address.
  template <class T>
  uint64_t buffer(const std::vector<T> &values, const std::string &name = "") {
    uint64_t address = empty(values.size() * sizeof(T), name);
    memory.write(address, values.data(), values.size() * sizeof(T));
    return address;
  }
  /// A buffer that nobody has written.
  uint64_t empty(uint64_t bytes, const std::string &name = "");
  template <class T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> result(count);
    memory.read(address, result.data(), count * sizeof(T));
    return result;
  }

  template <class... T>
  LaunchResult run(const std::string &kernel, LaunchOptions options,
                   T... arguments) {
    std::vector<uint8_t> bytes;
    (append(bytes, arguments), ...);
    return start(kernel, options, bytes);
  }
  /// The fault of a run that has to fail.
  template <class... T>
  std::optional<Fault> fault(const std::string &kernel, LaunchOptions options,
                             T... arguments) {
    try {
      run(kernel, options, arguments...);
    } catch (const Fault &fault) {
      return fault;
    }
    return std::nullopt;
  }

  Memory memory;
  std::unique_ptr<LoadedModule> module;

private:
  template <class T>
  static void append(std::vector<uint8_t> &bytes, const T &value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }
  LaunchResult start(const std::string &kernel, const LaunchOptions &options,
                     const std::vector<uint8_t> &parameters);
};

inline LaunchOptions shape(uint32_t blocks, uint32_t threads,
                           uint64_t dynamicShared = 0) {
  LaunchOptions options;
  options.grid = {blocks, 1, 1};
  options.block = {threads, 1, 1};
  options.dynamicShared = dynamicShared;
  options.instructionsPerThread = 100000000;
  return options;
}

/// A kernel's text around a body that uses %p<20>, %rs<40>, %r<40>, %f<40>,
/// %rd<40> and %fd<40>. Parameters: a, b, c, d, all .u64.
std::string kernelWith(const std::string &body, const std::string &before = "");

} // namespace smex::ptx

#endif
