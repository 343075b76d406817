#ifndef SMEX_TEST_EMULATED_CUDA_SETTINGS_H
#define SMEX_TEST_EMULATED_CUDA_SETTINGS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace smex::emulated {

/// What the environment asks for; README.md has the list.
struct Settings {
  unsigned devices = 1; // SMEX_EMULATED_DEVICES
  /// SMEX_EMULATED_MEMORY, by commas: bytes of each GPU of the machine; the
  /// last one is that of all further ones, too.
  std::vector<uint64_t> memories = {1ull << 30};
  uint64_t memory(unsigned physical) const {
    return memories[std::min<size_t>(physical, memories.size() - 1)];
  }
  uint64_t used = 0; // SMEX_EMULATED_USED, of these, by others
  /// The GPUs that there are for this process, of CUDA_VISIBLE_DEVICES.
  std::vector<unsigned> visible;
  int driver = 13000; // SMEX_EMULATED_DRIVER
  /// SMEX_EMULATED_ARCH, by commas: of each GPU of the machine; the last one is
  /// that of all further ones, too.
  std::vector<int> architectures = {90};
  int architecture(unsigned physical) const {
    return architectures[std::min<size_t>(physical, architectures.size() - 1)];
  }
  bool peerAccess = true;        // SMEX_EMULATED_PEER
  uint64_t seed = 0;             // SMEX_EMULATED_SEED
  std::string log;               // SMEX_EMULATED_LOG
  std::string record;            // SMEX_EMULATED_RECORD
  std::string counts;            // SMEX_EMULATED_COUNTS
  std::set<std::string> missing; // SMEX_EMULATED_MISSING, by commas
  struct Failure {
    std::string function;
    uint64_t call; // from 1
    int result;
  };
  std::string knownLaunches; // text of the file SMEX_EMULATED_LAUNCHES
  /// Which work of those whose description holds the name.
  struct NamedWork {
    std::string name; // empty: none
    uint64_t number = 0;
  };
  NamedWork hang;                // SMEX_EMULATED_HANG, NAME:NUMBER
  NamedWork fault;               // SMEX_EMULATED_FAULT, NAME:NUMBER
  std::vector<Failure> failures; // SMEX_EMULATED_FAIL_AT, NAME:CALL:RESULT,...

  /// Throws std::runtime_error for a value that it cannot read.
  static Settings fromEnvironment();
};

/// Writes a line to standard error and to the log; it says "emulated".
void report(const Settings &settings, const std::string &text);
/// Writes to the log alone.
void note(const Settings &settings, const std::string &text);
/// Adds a line to the file of SMEX_EMULATED_RECORD, if there is one.
void record(const Settings &settings, const std::string &line);

} // namespace smex::emulated

#endif
