#include "compiler/placement/Algorithms.h"

#include "compiler/placement/FitMemory.h"
#include "compiler/placement/Loads.h"
#include "compiler/placement/ParDNN.h"

#include <algorithm>
#include <cstdio>

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
      {"pardnn-guided",
       "pardnn without refinement, its clusters mapped by guided load "
       "balancing, to see what levels are worth",
       parDNNGuided},
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

double placement::cost(const Problem &problem, const Outcome &outcome,
                       const Params &params) {
  return params.objective == Objective::Makespan
             ? scheduleOf(problem, outcome, params).makespan
             : cost(problem, outcome.placement, params);
}

Schedule placement::scheduleOf(const Problem &problem, const Outcome &outcome,
                               const Params &params) {
  return outcome.order.empty()
             ? params.emulator(problem, outcome.placement)
             : params.inOrder(problem, outcome.placement, outcome.order);
}

namespace {

/// Looks for a limit that works, by running the algorithm. All bytes are of
/// what placements may use of a device.
class LimitSearch {
public:
  LimitSearch(const Problem &problem, const Algorithm &algorithm, Params params)
      : problem(problem), algorithm(algorithm), params(std::move(params)) {
    this->params.onlyFits = true;
    // By size: a large graph's placements take seconds each.
    constexpr int64_t kTasks = 100'000, kFewest = 1, kMost = 6;
    tries = int(std::clamp(kTasks / int64_t(problem.graph.tasks.size() + 1),
                           kFewest, kMost));
  }

  /// Limits up to `tooLittle` do not work, and `likely` may. Nothing if none
  /// was found.
  std::optional<int64_t> run(int64_t tooLittle, int64_t likely) const {
    std::optional<int64_t> works;
    for (int i = 0; i < std::min(tries, kGrowing) && !works; ++i) {
      const auto needed = neededWith(likely);
      if (!needed)
        break;
      if (*needed == 0) {
        works = likely;
        break;
      }
      tooLittle = std::max(tooLittle, likely);
      // It may come to need less than what it does not keep: not again.
      likely = std::max(*needed, likely + likely / 8 + 1);
    }
    if (!works)
      works = unlimited(tooLittle);
    for (int i = 0; works && i < tries && *works - tooLittle > *works / kClose;
         ++i) {
      const int64_t between = tooLittle + (*works - tooLittle) / 2;
      if (between == tooLittle)
        break;
      if (neededWith(between) == 0)
        works = between;
      else
        tooLittle = between;
    }
    return works;
  }

private:
  static constexpr int kGrowing = 4;
  static constexpr int64_t kClose = 20; // of a limit, this part more is enough

  /// What it takes then, if that is more; else 0.
  std::optional<int64_t> neededWith(int64_t usable) const {
    Devices devices = problem.devices;
    devices.memoryBytes = devices.limitFor(usable);
    const auto outcome = algorithm.run(Problem(problem.graph, devices), params);
    if (!outcome)
      return std::nullopt;
    return outcome->neededBytes;
  }

  /// What it takes where nothing limits it, if that works.
  std::optional<int64_t> unlimited(int64_t tooLittle) const {
    Devices devices = problem.devices;
    devices.memoryBytes.reset();
    const Problem all(problem.graph, devices);
    const auto outcome = algorithm.run(all, params);
    if (!outcome)
      return std::nullopt;
    const int64_t peak =
        memoryUse(all, outcome->placement, scheduleOf(all, *outcome, params))
            .most();
    if (peak <= tooLittle || neededWith(peak) != 0)
      return std::nullopt;
    return peak;
  }

  const Problem &problem;
  const Algorithm &algorithm;
  Params params;
  int tries = 0;
};

/// With the smallest limit found to work, if one is asked for and found, and
/// nobody is told of it.
Error refusal(const Problem &problem, const Algorithm &algorithm,
              const Params &params, const std::string &why, int64_t tooLittle,
              int64_t likely) {
  if (params.namesLimit)
    if (const auto works =
            LimitSearch(problem, algorithm, params).run(tooLittle, likely)) {
      const int64_t limit = problem.devices.limitFor(*works);
      if (!params.onLimit)
        return fail(why, withLimit(limit));
      params.onLimit(limit);
    }
  return fail(why);
}

/// Rates and bytes are each in range, but what they make together has to be a
/// time that sums and comparisons stay exact enough with.
Status validateTransfers(const Problem &problem) {
  const Devices &devices = problem.devices;
  const double rate =
      std::min(devices.bytesPerSecond, devices.hostBytesPerSecond);
  for (size_t e = 0; e < problem.graph.edges.size(); ++e) {
    const Edge &edge = problem.graph.edges[e];
    const double seconds = double(edge.bytes) / rate;
    if (seconds <= kMostSeconds)
      continue;
    char text[80]; // std::to_string knows no exponents
    std::snprintf(text, sizeof text,
                  "%.6g s at %.6g bytes per second; at most %g s may be",
                  seconds, rate, kMostSeconds);
    return fail("edge ", e, ": to another device its ", edge.bytes,
                " bytes take ", text);
  }
  return {};
}

/// Each task once, and every edge forward.
bool isOrder(const Problem &problem, const std::vector<int> &order) {
  std::vector<int> position(problem.graph.tasks.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] < 0 || size_t(order[i]) >= position.size() ||
        position[size_t(order[i])] >= 0)
      return false;
    position[size_t(order[i])] = int(i);
  }
  return order.size() == position.size() &&
         std::all_of(problem.graph.edges.begin(), problem.graph.edges.end(),
                     [&](const Edge &edge) {
                       return position[size_t(edge.from)] <
                              position[size_t(edge.to)];
                     });
}

} // namespace

std::string placement::withLimit(int64_t bytes) {
  return "; the smallest limit found to work is " + std::to_string(bytes) +
         " bytes";
}

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
  if (const Status valid = validateTransfers(problem); !valid)
    return valid.error();
  if (const auto lack = lackOfRoom(problem))
    return refusal(problem, *found, params, lack->what, lack->bytes - 1,
                   lack->bytes);
  Result<Outcome> outcome = found->run(problem, params);
  if (!outcome)
    return outcome;
  if (outcome->neededBytes > 0) {
    const Devices &devices = problem.devices;
    return refusal(
        problem, *found, params,
        "no placement by " + std::string(algorithm) + " needs at most " +
            std::to_string(*devices.memoryBytes) + " bytes of each of " +
            std::to_string(devices.count * devices.gpusEach) + " GPUs" +
            (devices.spare > 0 ? ", with what is kept free" : ""),
        *devices.usableBytes(), outcome->neededBytes);
  }
  const auto defect = [&](const std::string &what) {
    Error error = fail("placement by ", algorithm, ": ", what);
    error.fault = Fault::Defect;
    return error;
  };
  if (const Status valid = validate(problem, outcome->placement); !valid)
    return defect(valid.error().message);
  if (!outcome->order.empty() && !isOrder(problem, outcome->order))
    return defect("its order is none of these tasks");
  const Schedule schedule = scheduleOf(problem, *outcome, params);
  if (const Status valid = validate(problem, outcome->placement, schedule);
      !valid)
    return defect(valid.error().message);
  if (!fits(problem.devices, memoryUse(problem, outcome->placement, schedule)))
    return defect("needs more memory than there is");
  return outcome;
}
