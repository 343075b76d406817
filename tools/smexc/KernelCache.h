// --kernel-cache: code of kernels, kept from one command to the next.
#ifndef SMEX_TOOLS_SMEXC_KERNELCACHE_H
#define SMEX_TOOLS_SMEXC_KERNELCACHE_H

#include "compiler/codegen/expression/KernelCache.h"

#include <CLI/CLI.hpp>

namespace smex::tools {

/// The folder is the environment's where the option is not given.
void declareKernelCache(CLI::App &app, std::string &folder);

/// Null where none is asked for, with "" or "none".
Result<codegen::SharedCache> openKernelCache(const std::string &folder);

} // namespace smex::tools

#endif
