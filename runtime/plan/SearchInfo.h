// What a plan says of how it was found, and how good it is (plan.json).
#ifndef SMEX_RUNTIME_PLAN_SEARCHINFO_H
#define SMEX_RUNTIME_PLAN_SEARCHINFO_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smex::plan {

struct SearchStep {
  int64_t ways = 1, bytes = 0, lowerBoundBytes = 0;
  bool optimal = true;
  /// Repeated timesteps were cut alike to keep the search exact: the bound, and
  /// `optimal`, are of steps that do so.
  bool tied = false;
};

/// What it takes to compute again what had no room meanwhile.
struct Recomputing {
  int64_t bytes = 0; // that would move to the host or back in that time
  /// On the machine that the plan was made for, each instruction on the worker
  /// that takes longest.
  int64_t nanoseconds = 0;

  bool operator==(const Recomputing &other) const {
    return bytes == other.bytes && nanoseconds == other.nanoseconds;
  }
};

struct SearchInfo {
  std::string algorithm;
  int64_t lowerBoundBytes = 0;
  bool optimal = false;
  std::vector<SearchStep> steps;
  /// What all steps were decided together of, exactly, in one of the searches
  /// that were made: "graph", or "coarsened", which is what Tofu's coarsening
  /// leaves of it. Empty: none was.
  std::string allStepsTogether;
  /// Where buffers move to the host and back, or are computed again, which
  /// counts as `recomputing` says: of all choices of who does, with the same
  /// order of instructions and as many bytes alive at once, none costs less
  /// than this.
  std::optional<int64_t> hostLowerBoundBytes;
  std::optional<Recomputing> recomputing; // if anything is computed again
};

/// A level of a machine's links: groups of so many consecutive workers, the
/// smallest that have both ends of what is counted here.
struct LinkLevel {
  int64_t gpus = 1;
  int64_t bytesPerSecond = 1; // of a GPU while all are at it
  int64_t bytes = 0;          // of one run
};

/// The machine that a plan was made for. Any other can run it.
struct MachineInfo {
  std::string name;
  /// The innermost first, each a multiple of the one before, the last of all
  /// workers; none for one worker. Their bytes add up to the plan's.
  std::vector<LinkLevel> links;
};

} // namespace smex::plan

#endif
