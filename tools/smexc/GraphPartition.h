// What the command line says about the vertices of a graph: where they are
// divided.
#ifndef SMEX_TOOLS_SMEXC_GRAPHPARTITION_H
#define SMEX_TOOLS_SMEXC_GRAPHPARTITION_H

#include "compiler/pipeline/Pipeline.h"

#include <string>

namespace smex::tools {

/// Puts the model's graph and how it is balanced (graphpartition::parseBalance)
/// into the options; an empty name leaves them as they are. Errors: another
/// search than the recursive one, a model without a known graph, a cost model
/// where there are several graphs or types of nodes.
Status setGraphPartition(const std::string &name, const frontend::Model &model,
                         pipeline::CompileOptions &options);

/// Of a cost model that fits this model and was fitted to another one, which
/// one that was; "": there is nothing to tell.
std::string graphPartitionNote(const frontend::Model &model,
                               const pipeline::CompileOptions &options);

} // namespace smex::tools

#endif
