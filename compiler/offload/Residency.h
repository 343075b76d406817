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
  /// it, that is a cache's entry like others. `order`: the operations as they
  /// will run; who runs again is there again, after its result has left. Empty:
  /// those of the list.
  explicit Residency(const Problem &problem, bool dropsDead = true,
                     std::vector<int> order = {});

  bool isOnDevice(int tensor) const { return onDevice[size_t(tensor)]; }
  /// Whether an operation that has not run reads it before it is computed
  /// again.
  bool isNeeded(int tensor) const { return isReadFrom(tensor, place); }

  /// What may leave the device before the operation runs.
  std::vector<int> evictable(int operation) const;
  /// How many bytes each memory lacks for the operation as things stand; 0 or
  /// less where there is room.
  std::vector<int64_t> lacking(int operation) const;

  /// What starts at either place starts on the host if it leaves: then an
  /// operation that has read it has loaded it.
  /// Nothing happens if it has left already, since nobody needs it until it is
  /// computed again.
  void evict(int tensor);
  /// What the next operation reads, and is written over then, is on the host,
  /// too.
  void copyOperand(int tensor) { copy(tensor, /*isReadNow=*/true); }
  /// The next one of the order.
  void run(int operation);

  Schedule finish() &&;

private:
  /// By an operation at this place of the order or a later one.
  bool isReadFrom(int tensor, size_t place) const;
  /// The tensor, which starts at either place, whose place this one has on the
  /// device until the end: itself, or that whose next value it is; -1: it has
  /// none.
  int placeOf(int tensor) const;
  bool keepsPlace(int tensor) const;
  bool mustBeStored(int tensor) const;
  Schedule withFirstLoads() const;
  void copy(int tensor, bool isReadNow);
  void drop(int tensor);
  void leave(int tensor);
  void dropUnlessNeeded(int tensor);
  void store(int tensor);
  void add(int tensor);

  const Problem &problem;
  bool dropsDead;
  std::vector<bool> onDevice, onHost;
  std::vector<bool> isHome;        // starts on the device, as far as known
  std::vector<bool> isRead;        // by an operation that has run
  std::vector<bool> isLoadedFirst; // since it left after it had been read
  std::vector<bool> isPassedOn;    // its place, to its next value
  /// When it is used, by places in the order, and whether it is written there.
  std::vector<std::vector<std::pair<size_t, bool>>> uses;
  std::vector<bool> hasRun; // operations
  size_t place = 0;         // of the operation that runs next
  std::vector<int64_t> used;
  Schedule schedule;
};

} // namespace smex::offload

#endif
