// What smexc says of the plans that --algorithm auto has compared.
#ifndef SMEX_TOOLS_SMEXC_COMPARED_H
#define SMEX_TOOLS_SMEXC_COMPARED_H

#include "compiler/pipeline/Pipeline.h"

#include <nlohmann/json.hpp>

namespace smex::tools {

/// A line each, the taken one first.
void printCompared(const pipeline::CompileStats &stats);

/// For --stats: in the order in which they were made.
nlohmann::json comparedJson(const pipeline::CompileStats &stats);

} // namespace smex::tools

#endif
