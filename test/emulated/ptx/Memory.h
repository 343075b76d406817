#ifndef SMEX_TEST_EMULATED_PTX_MEMORY_H
#define SMEX_TEST_EMULATED_PTX_MEMORY_H

#include "test/emulated/ptx/Error.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace smex::ptx {

/// A span of addresses, with a name for messages.
struct Range {
  uint64_t begin = 0, end = 0;
  std::string name;
  bool holds(uint64_t address, uint64_t size) const {
    return address >= begin && address <= end && size <= end - address;
  }
};

/// One allocation of device memory. Its addresses are what pointers of kernels
/// hold; the bytes are in the memory of this process, at another place where
/// host code would not look for them.
struct Allocation {
  uint64_t base = 0, size = 0;
  uint8_t *bytes = nullptr;
  /// 1 for each byte that was written since it was allocated. From calloc, so
  /// that an arena of gigabytes costs what is touched of it.
  uint8_t *initialized = nullptr;
  unsigned device = 0;   // whose memory it is, where there are several devices
  bool readOnly = false; // module constants
  std::string name;
  std::unique_ptr<uint8_t[]> owned; // where Memory itself made the bytes
  /// Parts that were registered as buffers, by their beginning.
  std::map<uint64_t, Range> buffers;

  Allocation() = default;
  Allocation(const Allocation &) = delete;
  ~Allocation() { std::free(initialized); }
  uint64_t end() const { return base + size; }
};

/// The global memory that kernels of a device can access.
class Memory {
public:
  /// Adds memory that the caller keeps; `base` is a multiple of 256. All of it
  /// counts as not initialized.
  Allocation &add(uint64_t base, uint64_t size, uint8_t *bytes,
                  const std::string &name);
  /// Adds memory of its own, at an address that no host pointer has.
  Allocation &allocate(uint64_t size, const std::string &name);
  void remove(uint64_t base);

  /// The allocation that holds the address, or null.
  Allocation *find(uint64_t address);
  /// The allocation nearest below the address, or null: for messages.
  const Allocation *below(uint64_t address) const;

  /// Says that [begin, begin + size) of an allocation is a buffer of its own:
  /// a pointer into it reaches no other byte of the allocation.
  void addBuffer(uint64_t begin, uint64_t size, const std::string &name);
  void removeBuffer(uint64_t begin);
  /// The smallest buffer, else the allocation, that a pointer with this value
  /// points into; an empty range for one that points nowhere.
  Range rangeOf(uint64_t address);

  // For tests and for host code: copies that mark bytes as initialized.
  void write(uint64_t address, const void *from, uint64_t size);
  void read(uint64_t address, void *into, uint64_t size);

private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  Allocation *last = nullptr;
  uint64_t nextBase = uint64_t(1) << 50;
};

} // namespace smex::ptx

#endif
