// Writes a schedule, decision by decision: a caller says what leaves the device
// and what runs next; loads, stores that are due and drops of what nobody reads
// any more follow from that.
#ifndef SMEX_COMPILER_OFFLOAD_RESIDENCY_H
#define SMEX_COMPILER_OFFLOAD_RESIDENCY_H

#include "compiler/offload/Schedule.h"

namespace smex::offload {

/// Of a valid problem, which outlives it.
class Residency {
public:
  /// `dropsDead`: what nobody reads any more leaves the device at once. Without
  /// it, that is a cache's entry like others.
  explicit Residency(const Problem &problem, bool dropsDead = true);

  bool isOnDevice(int tensor) const { return onDevice[size_t(tensor)]; }
  /// Whether an operation that has not run reads it.
  bool isNeeded(int tensor) const { return readers[size_t(tensor)] > 0; }

  /// What may leave the device before the operation runs.
  std::vector<int> evictable(int operation) const;
  /// How many bytes each memory lacks for the operation as things stand; 0 or
  /// less where there is room.
  std::vector<int64_t> lacking(int operation) const;

  /// What starts at either place starts on the host if it leaves: then an
  /// operation that has read it has loaded it.
  void evict(int tensor);
  void run(int operation);

  Schedule finish() &&;

private:
  /// The tensor, which starts at either place, whose place this one has on the
  /// device until the end: itself, or that whose next value it is; -1: it has
  /// none.
  int placeOf(int tensor) const;
  bool mustBeStored(int tensor) const;
  Schedule withFirstLoads() const;
  void drop(int tensor);
  void leave(int tensor);
  void dropUnlessNeeded(int tensor);
  void store(int tensor);
  void place(int tensor);

  const Problem &problem;
  bool dropsDead;
  std::vector<bool> onDevice, onHost;
  std::vector<bool> isHome;        // starts on the device, as far as known
  std::vector<bool> isRead;        // by an operation that has run
  std::vector<bool> isLoadedFirst; // since it left after it had been read
  std::vector<bool> isPassedOn;    // its place, to its next value
  std::vector<int> readers;        // that have not run yet
  std::vector<int64_t> used;
  Schedule schedule;
};

} // namespace smex::offload

#endif
