// What smex-run does with its arguments.
#ifndef SMEX_TOOLS_SMEX_RUN_RUN_H
#define SMEX_TOOLS_SMEX_RUN_RUN_H

#include "runtime/executor/Executor.h"

namespace smex::tools {

struct RunArguments {
  std::string directory, backend = "auto", outputDirectory, metrics, trace;
  std::string parameters, saveParameters, checkpoints;
  std::vector<std::string> inputs, graphs;
  uint64_t seed = 0;
  int checkpointEvery = 100;
  bool verify = false, resume = false;
  runtime::RunOptions run;
};

Status run(RunArguments arguments);

} // namespace smex::tools

#endif
