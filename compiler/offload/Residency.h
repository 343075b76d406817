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

  void evict(int tensor);
  void run(int operation);

  Schedule finish() &&;

private:
  void drop(int tensor);
  void dropUnlessNeeded(int tensor);
  void store(int tensor);
  void place(int tensor);

  const Problem &problem;
  bool dropsDead;
  std::vector<bool> onDevice, onHost;
  std::vector<int> readers; // that have not run yet
  std::vector<int64_t> used;
  Schedule schedule;
};

} // namespace smex::offload

#endif
