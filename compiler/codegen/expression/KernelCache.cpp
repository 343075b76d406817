#include "compiler/codegen/expression/KernelCache.h"

#include "compiler/codegen/expression/Compiler.h"

#include "dialects/support/Destination.h"
#include "dialects/support/File.h"
#include "dialects/support/Sha256.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CachePruning.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fcntl.h>
#include <sys/stat.h>

using namespace smex;
using namespace smex::codegen;

namespace fs = std::filesystem;

namespace {

/// Each text after its length, so that no two lists are the same bytes.
std::string joined(const KernelCode &code) {
  std::string bytes;
  for (const std::string &text : code)
    bytes += std::to_string(text.size()) + "\n" + text;
  return bytes;
}

std::optional<KernelCode> separated(llvm::StringRef bytes) {
  KernelCode code;
  while (!bytes.empty()) {
    size_t length = 0;
    if (bytes.consumeInteger(10, length) || !bytes.consume_front("\n") ||
        length > bytes.size())
      return std::nullopt;
    code.push_back(bytes.take_front(length).str());
    bytes = bytes.drop_front(length);
  }
  return code;
}

} // namespace

Result<SharedCache> KernelCache::open(const std::string &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    Error unusable = fail(folder, ": cannot hold code of kernels: ",
                          error ? error.message() : std::strerror(errno));
    unusable.fault = Fault::Environment;
    return unusable;
  }
  return SharedCache(new KernelCache(folder, compilerIdentity()));
}

/// The name is one that LLVM's pruning takes for its own.
std::string KernelCache::pathOf(const std::string &name) const {
  return folder + "/llvmcache-" + sha256(joined({compiler, name}));
}

std::optional<KernelCode> KernelCache::find(const std::string &name) const {
  const std::string path = pathOf(name);
  std::optional<KernelCode> code;
  if (const Result<std::string> bytes = readFile(path)) {
    const auto [hash, rest] = llvm::StringRef(*bytes).split('\n');
    if (hash == sha256(rest))
      code = separated(rest);
  }
  // Disks seldom note that a file is read; pruning goes by it.
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  if (code)
    utimensat(AT_FDCWD, path.c_str(), times, 0);
  ++(code ? hits : misses);
  return code;
}

/// Without syncing to disk, which takes longer than compiling: a file that a
/// crash cut off is found damaged.
void KernelCache::keep(const std::string &name, const KernelCode &code) const {
  const std::string bytes = joined(code);
  const std::string path = pathOf(name);
  std::string staging = path + ".XXXXXX"; // as mkstemp wants it
  const int file = mkstemp(staging.data());
  if (file < 0)
    return;
  const bool isWritten = writeAll(file, sha256(bytes) + "\n" + bytes) == 0;
  close(file);
  if (!isWritten || rename(staging.c_str(), path.c_str()) != 0)
    unlink(staging.c_str());
}

void KernelCache::prune() const {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(24 * 30);
  policy.MaxSizeBytes = uint64_t(2) << 30;
  policy.MaxSizePercentageOfAvailableSpace = 50;
  llvm::pruneCache(folder, policy);
}
