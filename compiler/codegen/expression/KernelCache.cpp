#include "compiler/codegen/expression/KernelCache.h"

#include "compiler/codegen/expression/Compiler.h"

#include "dialects/support/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
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

using Hash = llvm::BLAKE3Result<32>;

Hash hashOf(llvm::StringRef bytes) {
  return llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(bytes));
}

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

Result<std::shared_ptr<const KernelCache>>
KernelCache::open(const std::string &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    Error unusable = fail(folder, ": cannot hold code of kernels: ",
                          error ? error.message() : std::strerror(errno));
    unusable.fault = Fault::Environment;
    return unusable;
  }
  return std::shared_ptr<const KernelCache>(
      new KernelCache(folder, compilerIdentity()));
}

/// The name is one that LLVM's pruning takes for its own.
std::string KernelCache::pathOf(const std::string &name) const {
  const Hash hash = hashOf(joined({compiler, name}));
  return folder + "/llvmcache-" + llvm::toHex(hash, /*LowerCase=*/true);
}

std::optional<KernelCode> KernelCache::find(const std::string &name) const {
  const std::string path = pathOf(name);
  std::optional<KernelCode> code;
  if (const Result<std::string> bytes = readFile(path)) {
    const llvm::StringRef all = *bytes;
    const llvm::StringRef rest =
        all.drop_front(std::min<size_t>(all.size(), 32));
    const Hash hash = hashOf(rest);
    if (all.take_front(32) == llvm::toStringRef(hash))
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
  const Hash hash = hashOf(bytes);
  const std::string path = pathOf(name);
  std::string staging = path + ".XXXXXX";
  const int file = mkstemp(staging.data());
  if (file < 0)
    return;
  bool isWritten =
      write(file, hash.data(), hash.size()) == ssize_t(hash.size());
  for (size_t at = 0; isWritten && at < bytes.size();) {
    const ssize_t count = write(file, bytes.data() + at, bytes.size() - at);
    isWritten = count > 0;
    at += size_t(std::max<ssize_t>(count, 0));
  }
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
