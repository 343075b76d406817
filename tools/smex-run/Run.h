// What smex-run does with its arguments.
#ifndef SMEX_TOOLS_SMEX_RUN_RUN_H
#define SMEX_TOOLS_SMEX_RUN_RUN_H

#include "runtime/executor/Executor.h"

namespace smex::mpi {
class World;
}

namespace smex::tools {

struct RunArguments {
  std::string directory, backend = "auto", outputDirectory, metrics, trace,
                         profile, costModel;
  std::string parameters, saveParameters, checkpoints;
  std::vector<std::string> inputs, graphs;
  std::vector<std::string> feeds;        // OUT=IN
  std::vector<std::string> sample;       // [NAME=]N,N,..; none: no samples
  std::vector<std::string> sampleLayers; // the same, of each layer its own
  bool importance = false;               // these draw nodes of the whole graph
  std::string nodes;                     // [TYPE=]FILE: in place of a batch
  int64_t walk = 0;                      // edges of a random walk; 0: none
  int64_t batch = 0;                     // nodes whose label counts in a sample
  int64_t parts = 0; // of the graph in each step; 0: all of it
  uint64_t seed = 0;
  int checkpointEvery = 100;
  bool verify = false, resume = false;
  int rebalanceEvery = 0;  // steps; 0: ranges of vertices stay
  std::string recompile;   // the command, without the plan's folder
  double moveSeconds = 10; // that the first move is taken to need
  runtime::RunOptions run;
};

/// `world`: the processes that make this run together; null: this one alone.
Status run(RunArguments arguments, mpi::World *world);

} // namespace smex::tools

#endif
