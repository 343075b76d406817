// Placement algorithms by name, behind one interface: ParDNN, those that the
// thesis compares it with, and our own.
#ifndef SMEX_COMPILER_PLACEMENT_ALGORITHM_H
#define SMEX_COMPILER_PLACEMENT_ALGORITHM_H

#include "compiler/placement/Memory.h"
#include "compiler/placement/Schedule.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace smex::placement {

/// What a placement is judged by.
enum class Objective {
  Makespan,   // seconds of one run
  Throughput, // of a pipelined stream: the largest load of a device
};

struct Params {
  Objective objective = Objective::Makespan;
  /// A device's load is its tasks' time and, added to it, what its transfers
  /// into and out of it take, as in the literature (arXiv 2311.03703); or the
  /// longest of the three, where it computes, sends and receives at the same
  /// time.
  bool transfersOverlap = false;
  /// Who says when tasks run; it decides about memory as well.
  Emulator emulator = firstInFirstOut;
  /// Who says it where devices keep to an order of the algorithm's own: then,
  /// for makespan, algorithms may give one (Outcome::order). None: no order
  /// counts but the emulator's.
  OrderedEmulator inOrder;
  /// Whether a refusal names the smallest limit found to work, which takes
  /// several placements more.
  bool namesLimit = true;
  /// If given, told of that limit, which the refusal then does not name:
  /// whoever makes plans of placements says what works when there is a plan
  /// that does.
  std::function<void(int64_t)> onLimit;
  /// Whether nothing is asked but whether a placement keeps the limit: one that
  /// does need not be a good one.
  bool onlyFits = false;
};

/// What came of it, for people and for --stats.
struct Outcome {
  Placement placement;
  /// If not empty: all tasks in the order in which devices are to take them,
  /// every edge forward, by which they are done sooner than by the emulator, or
  /// keep the memory limit where they do not by that.
  std::vector<int> order;
  /// Devices are the stages of a pipeline: data goes to the same one or to one
  /// of a larger number, but for what the host does.
  bool stagesInOrder = false;
  /// A bound that the algorithm itself has proven for the largest load,
  /// seconds, and with stagesInOrder for such placements alone; 0 if none.
  double lowerBound = 0;
  /// Tasks that were moved to keep the memory limit.
  int64_t moved = 0;
  /// If no placement was found that keeps the limit: what the nearest one, this
  /// one, takes of the device that holds most. Else 0.
  int64_t neededBytes = 0;
};

struct Algorithm {
  std::string_view name, description;
  /// The problem is valid. The placement is, too, and it keeps the memory limit
  /// if there is one, or says what it needs.
  Result<Outcome> (*run)(const Problem &problem, const Params &params);
};

const std::vector<Algorithm> &algorithms();
inline bool isAlgorithm(std::string_view name) {
  for (const Algorithm &algorithm : algorithms())
    if (algorithm.name == name)
      return true;
  return false;
}

/// Those that are worth a try where the best of several is wanted, the best one
/// first.
std::vector<std::string_view> strongest();

/// Which one is taken where nobody asks for one.
std::string_view defaultAlgorithm(Objective objective);

/// What refusals end with: "; the smallest limit found to work is 12 bytes".
std::string withLimit(int64_t bytes);

/// Runs the algorithm of this name, and checks what it returns: the placement,
/// its schedule, and its memory, independently of what made it. An error if no
/// placement was found that keeps the memory limit: with the smallest limit
/// found to work, by running the algorithm with it; of those in between a few
/// are tried, fewer of large graphs.
Result<Outcome> place(const Problem &problem, std::string_view algorithm,
                      const Params &params = {});

/// Seconds of the objective: the schedule's makespan, or the largest load of a
/// device (Loads.h).
double cost(const Problem &problem, const Placement &placement,
            const Params &params);
/// The same by the outcome's own order, if it has one.
double cost(const Problem &problem, const Outcome &outcome,
            const Params &params);

/// When its tasks run: by its own order, if it has one, or by the emulator.
Schedule scheduleOf(const Problem &problem, const Outcome &outcome,
                    const Params &params);

} // namespace smex::placement

#endif
