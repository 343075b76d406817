#include "tools/smexc/KernelCache.h"

using namespace smex;

void tools::declareKernelCache(CLI::App &app, std::string &folder) {
  app.add_option("--kernel-cache", folder,
                 "folder that keeps the code of kernels, so that the next "
                 "command that needs one of them need not generate it again; "
                 "the plan is the same; many may use it at once, and what is "
                 "not used for a month goes (default: none)")
      ->type_name("DIR")
      ->envname("SMEX_KERNEL_CACHE");
}

Result<codegen::SharedCache> tools::openKernelCache(const std::string &folder) {
  if (folder.empty() || folder == "none")
    return codegen::SharedCache();
  auto cache = codegen::KernelCache::open(folder);
  if (cache)
    (*cache)->prune();
  return cache;
}
