#include "runtime/executor/Profile.h"

#include "runtime/plan/Json.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::runtime;
using plan::Json;

namespace {

/// The whole index space of a compute: the result's sides, and the reductions'.
Box wholeOf(const plan::Program &program,
            const plan::Instruction &instruction) {
  const int tensor = program.buffers[size_t(instruction.to)].tensor;
  Box whole = wholeBox(program.tensors[size_t(tensor)].type.shape);
  for (int64_t extent : instruction.reductions)
    whole.push_back({0, extent});
  return whole;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

bool isWhole(const plan::Partitioned &partitioned, int worker,
             int instruction) {
  const plan::Instruction &what =
      partitioned.program.instructions[size_t(instruction)];
  return what.op == plan::Opcode::Compute &&
         partitioned.indices(worker, instruction) ==
             wholeOf(partitioned.program, what);
}

} // namespace

bool runtime::hasWholeOperators(const plan::Partitioned &partitioned) {
  for (size_t i = 0; i < partitioned.program.instructions.size(); ++i)
    for (size_t w = 0; w < partitioned.workers.size(); ++w)
      if (isWhole(partitioned, int(w), int(i)))
        return true;
  return false;
}

std::string runtime::profileJson(const plan::Partitioned &partitioned,
                                 const std::string &model,
                                 const std::string &backend,
                                 const std::vector<std::string> &devices,
                                 const RunResult &result) {
  const plan::Program &program = partitioned.program;
  // Of each worker's computes, in the order of steps.
  std::map<std::pair<int, int>, std::vector<double>> seconds;
  for (const TraceEvent &event : result.trace)
    if (isWhole(partitioned, event.worker, event.instruction))
      seconds[{event.instruction, event.worker}].push_back(event.seconds);
  Json operators = Json::object();
  for (auto &[which, all] : seconds) {
    if (all.size() > 1)
      all.erase(all.begin());
    const int tensor =
        program.buffers[size_t(program.instructions[size_t(which.first)].to)]
            .tensor;
    operators[program.tensors[size_t(tensor)].name] = median(all);
  }
  Json profile = {{"format", "smex-profile"},
                  {"version", 1},
                  {"model", model},
                  {"backend", backend},
                  {"operators", operators}};
  if (!devices.empty())
    profile["devices"] = devices;
  return plan::canonicalJson(profile);
}
