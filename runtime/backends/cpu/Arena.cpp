#include "runtime/backends/cpu/Arena.h"

#include "support/File.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <sys/mman.h>
#include <utility>

using namespace smex;
using namespace smex::runtime;

Result<Arena> Arena::reserve(int64_t bytes) {
  Arena arena;
  if (bytes == 0)
    return arena;
  void *address = ::mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    Error error =
        fail("cannot reserve ", bytes, " bytes: ", std::strerror(errno));
    error.fault = Fault::Environment;
    return error;
  }
  ::madvise(address, size_t(bytes), MADV_HUGEPAGE); // only a wish
  arena.address = static_cast<std::byte *>(address);
  arena.bytes = bytes;
  return arena;
}

Arena::Arena(Arena &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

Arena::~Arena() {
  if (address)
    ::munmap(address, size_t(bytes));
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
} // namespace

int64_t runtime::availableMemory() {
  int64_t available = std::numeric_limits<int64_t>::max();
  if (const auto kilobytes = numberIn("/proc/meminfo", "MemAvailable:"))
    available = *kilobytes * 1024;
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
