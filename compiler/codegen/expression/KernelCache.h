// Code of kernels, kept in a folder from one compilation to the next. Kernels
// are of any size, so that plans of one model for other numbers of GPUs,
// batches or limits have nearly all of theirs in common.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELCACHE_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELCACHE_H

#include "dialects/support/Result.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smex::codegen {

/// What is made of a kernel: for each of the targets that share its module, in
/// their order, an object or a text.
using KernelCode = std::vector<std::string>;

class KernelCache;
/// Null: nothing is kept.
using SharedCache = std::shared_ptr<const KernelCache>;

/// Any number of threads and processes may use a folder at once. What cannot be
/// read, or is damaged, counts as not there; what cannot be written is not
/// kept.
class KernelCache {
public:
  /// Makes the folder where there is none. Errors: one that cannot be made, or
  /// written to (Environment).
  static Result<SharedCache> open(const std::string &folder);

  /// What was kept by this very compiler under the same name: `name` must say
  /// all that the code depends on but the compiler.
  std::optional<KernelCode> find(const std::string &name) const;
  void keep(const std::string &name, const KernelCode &code) const;

  /// Removes what has not been used for a month, and of what exceeds 2 GiB, or
  /// half of the disk's room, what has not been used for longest. Looks no more
  /// than every 20 minutes.
  void prune() const;

  int64_t found() const { return hits; }
  int64_t missed() const { return misses; }

private:
  KernelCache(std::string folder, std::string compiler)
      : folder(std::move(folder)), compiler(std::move(compiler)) {}
  std::string pathOf(const std::string &name) const;

  const std::string folder, compiler;
  mutable std::atomic<int64_t> hits{0}, misses{0};
};

} // namespace smex::codegen

#endif
