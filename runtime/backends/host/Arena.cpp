#include "runtime/backends/host/Arena.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace smex;
using namespace smex::runtime;

namespace {
/// An arena begins at a multiple of this, so that huge pages fit, and has up to
/// so much beside each end.
constexpr int64_t guard = int64_t(2) << 20;

int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
} // namespace

Result<Arena> Arena::reserve(int64_t bytes) {
  Arena arena;
  if (bytes == 0)
    return arena;
  const auto refuse = [&] {
    Error error =
        fail("cannot reserve ", bytes, " bytes: ", std::strerror(errno));
    error.fault = Fault::Environment;
    return error;
  };
  const int64_t usable = roundUp(bytes, ::sysconf(_SC_PAGESIZE));
  const int64_t mappedBytes = usable + 2 * guard;
  void *const mapping =
      ::mmap(nullptr, size_t(mappedBytes), PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return refuse();
  arena.mapping = mapping;
  arena.mappedBytes = mappedBytes;
  const int64_t begin = int64_t(reinterpret_cast<intptr_t>(mapping));
  arena.address =
      static_cast<std::byte *>(mapping) + (roundUp(begin + 1, guard) - begin);
  if (::mprotect(arena.address, size_t(usable), PROT_READ | PROT_WRITE) != 0)
    return refuse();
  ::madvise(arena.address, size_t(usable), MADV_HUGEPAGE); // only a wish
  arena.bytes = bytes;
  return arena;
}

Arena::Arena(Arena &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      bytes(std::exchange(other.bytes, 0)),
      mapping(std::exchange(other.mapping, nullptr)),
      mappedBytes(std::exchange(other.mappedBytes, 0)) {}

Arena::~Arena() {
  if (mapping)
    ::munmap(mapping, size_t(mappedBytes));
}

namespace {
/// The number behind `key` in a file of "key number" lines, or the file's only
/// number where the key is empty.
std::optional<int64_t> numberIn(const char *path, const std::string &key) {
  const auto text = readFile(path);
  if (!text)
    return std::nullopt;
  size_t at = 0;
  if (!key.empty()) {
    at = text->find(key);
    if (at == std::string::npos)
      return std::nullopt;
    at += key.size();
  }
  char *end = nullptr;
  const long long value = std::strtoll(text->c_str() + at, &end, 10);
  if (end == text->c_str() + at) // cgroups say "max" for no limit
    return std::nullopt;
  return value;
}
/// Addresses that a thread's stack takes, touched or not.
int64_t stackBytes() {
  pthread_attr_t attributes;
  size_t bytes = 0;
  if (::pthread_getattr_default_np(&attributes) != 0)
    return 0;
  ::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return int64_t(bytes);
}
} // namespace

int64_t runtime::availableMemory(int threads) {
  int64_t available = std::max<int64_t>(
      0, addressSpaceLeft() - leastAddressSpace - threads * stackBytes());
  if (const auto kilobytes = numberIn("/proc/meminfo", "MemAvailable:"))
    available = std::min(available, *kilobytes * 1024);
  struct Group {
    const char *limit, *usage;
  };
  for (Group group :
       {Group{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        Group{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
              "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const auto limit = numberIn(group.limit, ""),
               used = numberIn(group.usage, "");
    if (limit && used)
      available =
          std::min<int64_t>(available, std::max<int64_t>(*limit - *used, 0));
  }
  return available;
}
