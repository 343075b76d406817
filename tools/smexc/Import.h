// What the command line says about reading a model, and the model's hash.
#ifndef SMEX_TOOLS_SMEXC_IMPORT_H
#define SMEX_TOOLS_SMEXC_IMPORT_H

#include "compiler/frontend/Model.h"

#include <CLI/CLI.hpp>

namespace smex::tools {

struct ImportArguments {
  std::vector<std::string> dims, constants, bounds; // NAME=VALUE, to be bound
  std::vector<std::string> layers;                  // [NAME=]N,N,..
  int64_t batch = 0;                                // of --sample-layers
  frontend::ImportOptions options;
};

void declareImport(CLI::App &app, ImportArguments &arguments);

/// Puts dimensions, constants and bounds into the options; an error of usage
/// where one is no NAME=VALUE.
Status bind(ImportArguments &arguments);

/// One hash over all files of the model, in order, each with its length, so
/// that moving a byte from one to the next shows.
Result<std::string> hashFiles(const std::vector<std::string> &files);

} // namespace smex::tools

#endif
