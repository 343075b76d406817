// The memory of one worker.
#ifndef SMEX_RUNTIME_BACKENDS_HOST_ARENA_H
#define SMEX_RUNTIME_BACKENDS_HOST_ARENA_H

#include "dialects/support/Result.h"

#include <cstddef>
#include <cstdint>

namespace smex::runtime {

/// Zeroed pages that become real when touched. Beside them lie pages that
/// nothing may touch: what reads or writes beyond an arena's ends stops there,
/// instead of changing what another worker has.
class Arena {
public:
  static Result<Arena> reserve(int64_t bytes);
  Arena(Arena &&other) noexcept;
  Arena(const Arena &) = delete;
  ~Arena();
  std::byte *data() const { return address; }
  int64_t size() const { return bytes; }

private:
  Arena() = default;
  std::byte *address = nullptr;
  int64_t bytes = 0;
  void *mapping = nullptr; // with the pages beside it
  int64_t mappedBytes = 0;
};

/// Bytes that this process may still touch, beside the stacks of so many more
/// threads: what the machine has free, what its control group leaves, or
/// `ulimit -v` beside what libraries need, whichever is least.
int64_t availableMemory(int threads);

} // namespace smex::runtime

#endif
