// Schedules that are made step by step, for comparison with the search: what
// leaves the device is decided when room is lacking, by a rule.
#ifndef SMEX_COMPILER_OFFLOAD_POLICIES_H
#define SMEX_COMPILER_OFFLOAD_POLICIES_H

#include "compiler/offload/Schedule.h"

namespace smex::offload {

enum class Policy {
  /// Nothing stays for a later operation: NeuGraph's streaming, as Roc compares
  /// with it (section 7.7).
  NoCache,
  /// What was read or written least recently leaves first. As a cache does that
  /// knows no program, it keeps what nobody reads any more like all else.
  Lru,
  /// The same, where that is dropped at once, as frameworks do.
  LruOfNeeded,
  /// The baseline of Tofu's section 3.7.1: that, but what one of the next
  /// operations reads leaves only if nothing else can.
  Swapping,
  /// What is read again last leaves first: the best there is for pages of one
  /// size that nobody writes (Belady).
  FurthestUse,
};

/// Operations run in the order of the list, each once. What has a copy on the
/// host is not stored again by any of them. An error where the largest
/// operation does not fit.
Result<Schedule> scheduleBy(Policy policy, const Problem &problem);

/// What is in each memory at most where nothing leaves that is still read: the
/// capacity that needs no choice.
std::vector<int64_t> peakWithoutChoices(const Problem &problem);

/// How many operations on Tofu's baseline looks.
constexpr int swappingLookAhead = 4;

} // namespace smex::offload

#endif
