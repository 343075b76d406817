// The options --groups and --replicas, of placements.
#ifndef SMEX_TOOLS_SMEXC_GROUPS_H
#define SMEX_TOOLS_SMEXC_GROUPS_H

#include "compiler/pipeline/Pipeline.h"

#include <CLI/CLI.hpp>

namespace smex::tools {

struct GroupArguments {
  int64_t groups = 0, replicas = 0; // 0: not given
};

void declareGroups(CLI::App &app, GroupArguments &arguments);

/// Puts them into the search. Usage errors: both of them, a search that is no
/// placement, GPUs that are not so many groups of equal size.
Status setGroups(const GroupArguments &arguments,
                 pipeline::CompileOptions &options);

} // namespace smex::tools

#endif
