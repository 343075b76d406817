// Which of several searches' plans to take: the first one that keeps the memory
// limit, or, of those that do, the fastest.
#ifndef SMEX_COMPILER_PIPELINE_CHOICE_H
#define SMEX_COMPILER_PIPELINE_CHOICE_H

#include "compiler/emit/Kernels.h"
#include "compiler/partition/Alternatives.h"
#include "compiler/pipeline/MemoryLimit.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Totals.h"

#include <functional>
#include <optional>

namespace smex::pipeline {

/// What a plan may count on beside its search.
struct Room {
  std::optional<int64_t> placedBytes; // of each GPU, for a placement
  /// Of each GPU: others wait on the host. None: no buffer does.
  std::vector<int64_t> capacities;
  std::string choices; // what may become of buffers that have no room
  bool alike = false;  // on all GPUs
  /// Transfers begin no earlier than each GPU has room for, by the limit.
  bool isTight = false;
  /// What waits is searched for as well as exec-move-to-host can, which takes
  /// ten times as long.
  bool isThorough = false;
};

/// What one search comes to.
struct Candidate {
  partition::Search by;
  plan::Partitioned partitioned;
  plan::SearchInfo search;
  plan::Totals totals;
  emit::KernelTable kernels = emit::KernelTable({});
  /// Of a step on the machine; without one, plans that move less are taken for
  /// faster.
  std::optional<double> seconds;
  bool isSimulated = true; // or its copies are rated by their bytes (StepTime)
  Room room;
  bool joinsFetches = false; // whether some bring what several readers need
  bool areUnlike = false;    // what the GPUs move
  /// It exceeds the limit, and costs already as much as one that keeps it: less
  /// memory would only cost more, so that no other is made.
  bool isBehind = false;

  double cost() const {
    const double again =
        search.recomputing ? double(search.recomputing->bytes) : 0;
    return seconds.value_or(double(totals.communicationBytes) +
                            double(totals.hostTraffic.toHost) +
                            double(totals.hostTraffic.fromHost) + again);
  }
  const std::vector<int64_t> &peaks() const { return totals.peakBytes; }
};

/// A plan that was compared, or why a search made none. One that was given up
/// exceeds the limit: the search would have cost at least as much.
struct Compared {
  partition::Search by;
  std::optional<double> seconds;
  int64_t communicationBytes = 0, peakBytes = 0; // of the GPU that needs most
  bool fits = false;
  std::string behind; // where it was given up: what it is no better than
  std::string failure;
  std::optional<int64_t> enough; // where it failed: a limit that works for it
  bool isSimulated = true;       // or its copies are rated by their bytes
};

struct Chosen {
  Candidate candidate;
  int64_t tried = 1, fitting = 1; // plans
  std::vector<Compared> compared; // in order

  /// Another plan of the search that was chosen, which keeps the limit, too,
  /// takes its place.
  void refine(Candidate by);
};

/// The plan of a search. Where there is none for want of memory, `enough` is
/// the smallest limit found to work for it, bytes of each GPU, if one was
/// found. `toBeat`: what the best plan so far costs, if one keeps the limit.
using Attempt = std::function<Result<Candidate>(
    const partition::Search &, std::optional<double> toBeat,
    std::optional<int64_t> &enough)>;

/// `first`, and as many of `others` as make `enough` plans; where `first` does
/// not keep the limit, or keeps it with buffers on the host, all others. Of
/// plans that keep the limit, the least cost, then the least memory, then the
/// first. Where none does, an error says the smallest limit that one of them
/// keeps, and the largest of what is in its memory at the worst moment. A
/// search that fails counts as none; where it failed for want of memory, and a
/// smaller limit is enough for it than for any plan, the error says so.
/// `ifNoneFits`: further ones, all of them, where none of the others keeps the
/// limit. `isNamed`: the user has named the one search, so that there are
/// others without that.
Result<Chosen> choose(Candidate first, const MemoryLimit &limit,
                      const std::string &model, int64_t enough,
                      const std::vector<partition::Search> &others,
                      const std::vector<partition::Search> &ifNoneFits,
                      const Attempt &attempt, bool isNamed = false);

} // namespace smex::pipeline

#endif
