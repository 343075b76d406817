// Tells the thread sanitizer which memory a kernel reads and writes. A plan's
// code, and a library's, are not built with the sanitizer, which would not see a
// kernel race with another worker's fetch. Without the sanitizer this is
// nothing.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_ACCESSES_H
#define SMEX_RUNTIME_BACKENDS_CPU_ACCESSES_H

#include <cstddef>
#include <cstdint>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_read_range(void *address, unsigned long bytes);
void __tsan_write_range(void *address, unsigned long bytes);
}
#endif

namespace smex::runtime {

#ifdef __SANITIZE_THREAD__
constexpr bool accessesAreNoted = true;
#else
constexpr bool accessesAreNoted = false;
#endif

inline void noteRead([[maybe_unused]] std::byte *at,
                     [[maybe_unused]] int64_t bytes) {
#ifdef __SANITIZE_THREAD__
  __tsan_read_range(at, static_cast<unsigned long>(bytes));
#endif
}

inline void noteWrite([[maybe_unused]] std::byte *at,
                      [[maybe_unused]] int64_t bytes) {
#ifdef __SANITIZE_THREAD__
  __tsan_write_range(at, static_cast<unsigned long>(bytes));
#endif
}

} // namespace smex::runtime

#endif
