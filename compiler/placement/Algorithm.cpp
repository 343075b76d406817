#include "compiler/placement/Algorithms.h"

#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Loads.h"
#include "compiler/placement/ParDNN.h"

#include <algorithm>

using namespace smex;
using namespace smex::placement;

const std::vector<Algorithm> &placement::algorithms() {
  static const std::vector<Algorithm> all = {
      {"round-robin", "tasks in topological order, one GPU after the other",
       roundRobin},
      {"layer-wise", "layers in order, one GPU after the other", layerWise},
      {"linear-clustering",
       "critical paths as clusters, and guided load balancing",
       linearClustering},
      {"heft", "by upward rank, each to where it finishes first", heft},
      {"pardnn",
       "critical paths, level-aware load balancing, refinement, overflow",
       parDNN},
      {"pardnn-unrefined",
       "pardnn without refinement, to see what that is worth", parDNNUnrefined},
      {"contiguous",
       "stages in order, by dynamic programming over ideals; over prefixes of "
       "one topological order where there are too many ideals",
       contiguous},
      {"window-search",
       "the best of the others' placements, then windows of its schedule "
       "annealed",
       windowSearch},
      {"pipeline",
       "stages of several orders, and local search; in order, or where data "
       "returns",
       pipeline},
  };
  return all;
}

std::vector<std::string_view> placement::strongest() {
  return {"window-search", "pardnn", "heft", "pipeline"};
}

std::string_view placement::defaultAlgorithm(Objective objective) {
  return objective == Objective::Throughput ? "pipeline" : "window-search";
}

double placement::cost(const Problem &problem, const Placement &placement,
                       const Params &params) {
  return params.objective == Objective::Makespan
             ? params.emulator(problem, placement).makespan
             : loadsOf(problem, placement).largest(params.transfersOverlap);
}

namespace {

/// The smallest limit found to work: what was needed, if the algorithm, asked
/// to keep that, does; or what it then needs, and so on.
Error tooLittleMemory(const Problem &problem, const Algorithm &algorithm,
                      const Params &params, int64_t needed) {
  const Devices &devices = problem.devices;
  Error error =
      fail("no placement by ", algorithm.name, " needs at most ",
           *devices.memoryBytes, " bytes of each of ", devices.count, " GPUs",
           devices.spare > 0 ? ", with what is kept free" : "");
  constexpr int kTries = 4;
  const int most = params.namesLimit ? kTries : 0;
  for (int tries = 0; tries < most && needed > 0; ++tries) {
    Devices more = devices;
    more.memoryBytes = devices.limitFor(needed);
    const Result<Outcome> outcome =
        algorithm.run(Problem(problem.graph, more), params);
    if (!outcome)
      break;
    if (outcome->neededBytes == 0) {
      error.message += "; the smallest limit found to work is " +
                       std::to_string(*more.memoryBytes);
      break;
    }
    // It may come to need less than what it does not keep: not again.
    needed = std::max(outcome->neededBytes, needed + needed / 8 + 1);
  }
  return error;
}

} // namespace

Result<Outcome> placement::place(const Problem &problem,
                                 std::string_view algorithm,
                                 const Params &params) {
  const auto &all = algorithms();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Algorithm &each) {
        return each.name == algorithm;
      });
  if (found == all.end()) {
    std::string known;
    for (const Algorithm &each : all)
      known.append(known.empty() ? "" : ", ").append(each.name);
    Error error = fail("no placement algorithm is called \"", algorithm,
                       "\"; there are ", known);
    error.fault = Fault::Usage;
    return error;
  }
  if (const Status valid = validate(problem.devices); !valid)
    return valid.error();
  if (const Status room = haveRoom(problem); !room)
    return room.error();
  Result<Outcome> outcome = found->run(problem, params);
  if (!outcome)
    return outcome;
  if (outcome->neededBytes > 0)
    return tooLittleMemory(problem, *found, params, outcome->neededBytes);
  const auto defect = [&](const std::string &what) {
    Error error = fail("placement by ", algorithm, ": ", what);
    error.fault = Fault::Defect;
    return error;
  };
  if (const Status valid = validate(problem, outcome->placement); !valid)
    return defect(valid.error().message);
  const Schedule schedule = params.emulator(problem, outcome->placement);
  if (const Status valid = validate(problem, outcome->placement, schedule);
      !valid)
    return defect(valid.error().message);
  if (!fits(problem.devices, memoryUse(problem, outcome->placement, schedule)))
    return defect("needs more memory than there is");
  return outcome;
}
