// What a run leaves behind: outputs, metrics, a trace.
#ifndef SMEX_RUNTIME_EXECUTOR_REPORT_H
#define SMEX_RUNTIME_EXECUTOR_REPORT_H

#include "runtime/executor/Executor.h"

namespace smex::runtime {

/// How evenly workers were busy with the layers of a graph network: the slowest
/// over the mean one, and how often ranges of vertices moved.
struct MeasuredBalance {
  double measured = 1, predicted = 1;
  int moves = 0;
};

/// schema/metrics.schema.json; `firstStep` is RunOptions::firstStep, `devices`
/// what the GPUs call themselves that it ran on.
std::string
metricsJson(const std::string &backend, const std::vector<std::string> &devices,
            const RunResult &result, int firstStep = 0,
            const std::optional<MeasuredBalance> &balance = std::nullopt);

/// Chrome trace events: a row per worker, named after the nodes.
std::string traceJson(const plan::Program &program,
                      const std::vector<std::string> &devices,
                      const RunResult &result);

/// A file name in the folder for every output, `<name>.npy`: what would leave
/// the folder or is no part of a file name becomes '_'. An error where two
/// names then coincide: nobody could tell whose file it is.
Result<std::vector<std::string>>
outputFiles(const std::vector<plan::Port> &outputs);

/// Writes the outputs to the folder, which is made if need be; each file
/// appears as a whole. The names of the files.
Result<std::vector<std::string>>
writeOutputs(const std::string &directory,
             const std::vector<plan::Port> &outputs, const RunResult &result);

} // namespace smex::runtime

#endif
