#ifndef SMEX_TEST_EMULATED_CUDA_DEVICEMEMORY_H
#define SMEX_TEST_EMULATED_CUDA_DEVICEMEMORY_H

#include "test/emulated/ptx/Memory.h"

#include <algorithm>

namespace smex::emulated {

/// The bytes of one device, mapped twice: where the pointers of programs point
/// to, nothing may be touched (host code that does ends with SIGSEGV and a
/// message); the emulator has its own view.
class DeviceMemory {
public:
  /// Throws std::runtime_error where the system has not so much address space.
  /// `others`: bytes that other processes are said to have of it.
  DeviceMemory(unsigned device, uint64_t bytes, uint64_t others);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;

  /// An address of so many bytes, or 0: out of memory.
  uint64_t take(uint64_t bytes);
  void give(uint64_t address);
  uint8_t *view(uint64_t address) const { return own + (address - base()); }
  bool holds(uint64_t address) const { return address - base() < total; }
  uint64_t base() const { return reinterpret_cast<uint64_t>(visible); }
  uint64_t available() const { return total - std::min(total, inUse + others); }
  uint64_t size() const { return total; }

private:
  /// cuMemAlloc aligns "for any kind of variable"; drivers give 512 bytes.
  static constexpr uint64_t granule = 512;
  unsigned device;
  uint64_t total, others, inUse = 0;
  uint8_t *visible = nullptr, *own = nullptr;
  std::map<uint64_t, uint64_t> taken; // offset to size, both whole granules
};

/// Prints a message when host code touches the memory of a device.
void watchHostAccesses(const std::string &log);

} // namespace smex::emulated

#endif
