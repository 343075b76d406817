#include "tools/smex-run/Outcome.h"

#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "runtime/executor/Profile.h"
#include "runtime/executor/Samples.h"

#include <algorithm>
#include <cstdio>

using namespace smex;
using namespace smex::runtime;
using tools::Outcome;

/// "1.50 GiB", "512 B"
static std::string human(int64_t bytes) {
  double value = double(bytes);
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof text, unit ? "%.2f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

/// "2 x A100, 1 x H100", in the order of their first.
static std::string counted(const std::vector<std::string> &names) {
  std::vector<std::pair<std::string, size_t>> kinds;
  for (const std::string &name : names) {
    const auto known =
        std::find_if(kinds.begin(), kinds.end(),
                     [&](const auto &kind) { return kind.first == name; });
    if (known == kinds.end())
      kinds.emplace_back(name, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto &[name, count] : kinds)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " + name;
  return text;
}

void tools::summarize(const Outcome &outcome) {
  const RunResult &result = outcome.result;
  print(outcome.plan.modelName);
  if (outcome.isNothing()) {
    std::printf(": all of %d steps were done before, so there are no "
                "outputs\n",
                outcome.arguments.run.steps);
    return;
  }
  const size_t gpus = outcome.plan.partitioned.workers.size();
  const auto [first, last] =
      std::minmax_element(result.seconds.begin(), result.seconds.end());
  std::printf(": ran on %s", outcome.backend.c_str());
  if (const auto &names = outcome.devices; !names.empty())
    std::printf(" (%s)", counted(names).c_str());
  std::printf(" as %zu %s", gpus, gpus == 1 ? "worker" : "workers");
  if (result.seconds.size() == 1)
    std::printf(", %.3f s\n", *first);
  else
    std::printf(", %zu steps of %.3f to %.3f s\n", result.seconds.size(),
                *first, *last);
  if (outcome.arguments.run.skipCopies) {
    std::printf("copies were skipped: only the times mean anything\n");
    return;
  }
  std::printf(
      "communication %s per step, peak %s per GPU\n",
      human(result.communicationBytes).c_str(),
      human(*std::max_element(result.peakBytes.begin(), result.peakBytes.end()))
          .c_str());
  if (!result.hostTraffic.isNone())
    std::printf("moved %s to the host and %s back per step\n",
                human(result.hostTraffic.toHost).c_str(),
                human(result.hostTraffic.fromHost).c_str());
  print(outcome.costs);
  if (outcome.balance && outcome.balance->moves > 0)
    std::printf("ranges of vertices moved %d times\n", outcome.balance->moves);
  if (!result.losses.empty())
    std::printf("loss %.6g in step %d, %.6g in step %d\n",
                result.losses.front(), outcome.firstStep + 1,
                result.losses.back(), outcome.arguments.run.steps);
}

Status tools::write(Outcome &outcome, const Inputs &inputs) {
  const RunArguments &arguments = outcome.arguments;
  const plan::Program &program = outcome.plan.partitioned.program;
  RunResult &result = outcome.result;
  if (Status ordered = orderOutputs(program, inputs.graphs,
                                    outcome.plan.edgeOrders, result.outputs);
      !ordered)
    return ordered;
  if (Status kept = keepNodes(program, inputs.sampling, result.outputs); !kept)
    return kept;
  if (!arguments.outputDirectory.empty() && !outcome.isNothing()) {
    const auto files =
        writeOutputs(arguments.outputDirectory, program.outputs, result);
    if (!files)
      return files.error();
    for (const std::string &file : *files)
      print("wrote " + file + "\n");
  }
  if (!arguments.metrics.empty())
    if (Status s =
            writeFile(arguments.metrics,
                      metricsJson(outcome.backend, outcome.devices, result,
                                  outcome.firstStep, outcome.balance));
        !s)
      return s;
  if (!arguments.trace.empty())
    if (Status s = writeFile(arguments.trace,
                             traceJson(program, outcome.devices, result));
        !s)
      return s;
  if (!arguments.profile.empty())
    return writeFile(arguments.profile,
                     profileJson(outcome.plan.partitioned,
                                 outcome.plan.modelName, outcome.backend,
                                 outcome.devices, result));
  return {};
}
