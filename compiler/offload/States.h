// What a state of the search is (Search.h), what becomes of it, and what that
// costs.
#ifndef SMEX_COMPILER_OFFLOAD_STATES_H
#define SMEX_COMPILER_OFFLOAD_STATES_H

#include "compiler/offload/Set.h"
#include "compiler/offload/Uses.h"

namespace smex::offload {

struct State {
  uint64_t done = 0; // operations, where their order is free
  Set onDevice;      // of what is still of use
  Set onHost;        // of that: what has a copy there to come back from
  Set fromHost;      // of what starts at either place: what starts there
  /// What has crossed.
  int64_t cost = 0;
  /// What crosses for certain: by States::owed.
  int64_t owed = 0;
  std::vector<int64_t> used; // of each memory
  int step = -1;

  int64_t total() const { return cost + owed; }
};

/// The rules of one problem, which outlives this. Of a tensor, where the order
/// is that of the list: `after` is the last operation that has run, and
/// operations run again before the one behind it.
class States {
public:
  /// `ahead`, `mostAgain`: see SearchOptions.
  States(const Problem &problem, bool anyOrder, bool ahead, int mostAgain);

  const Tensor &tensor(int t) const { return problem.tensors[size_t(t)]; }
  State first() const;

  /// Whether an operation reads it that comes neither before, nor is `after`.
  bool isNeeded(int t, const State &before, int after) const;
  /// Whether one could read it when it runs again, too.
  bool isUseful(int t, const State &before, int after) const;
  /// Whether an operation before this one has read it.
  bool isRead(int t, const State &before, int operation) const;

  int writerOf(int t) const { return writers[size_t(t)]; }
  int nextOf(int t) const { return next[size_t(t)]; }
  /// Of computing it again; -1: it is computed once.
  int64_t again(int t) const { return costAgain[size_t(t)]; }
  bool runsAgain() const { return anyAgain; }
  bool isReady(const State &state, int operation) const;

  /// The tensor, which starts at either place, whose place this one has on the
  /// device until the end, unless it starts on the host; -1: it has none.
  int placeOf(const State &state, int t) const;
  bool keepsPlace(const State &state, int t) const;

  void place(State &state, int t) const;
  void leave(State &state, int t) const;
  /// It is of no use any more, wherever it is.
  void clear(State &state, int t) const;
  /// All that is, where the order is that of the list.
  void clearUseless(State &state, int after) const;

  /// What it costs to go to the host before this operation: a store, if there
  /// is no copy; the store of what must be on the host in any case has been
  /// counted.
  int64_t costToHost(const State &state, int t, int operation) const;
  void copyToHost(State &state, int t, int operation) const;
  void goToHost(State &state, int t, int operation) const;
  /// Whether the device may forget it, without a copy on the host.
  bool mayForget(const State &state, int t, int after) const;

  /// Whether it is there, on either side, or can be computed again before this
  /// operation, by operations behind `at`, of what is there.
  bool canCome(const State &state, int t, int operation, int at) const;
  /// Whether all that is still read can come before it is, by no more
  /// operations for one tensor than the limit.
  bool canGoOn(const State &state, int after) const;
  /// The operations behind `at` that could run again before this one, now:
  /// those by which what it lacks comes, or, ahead, all.
  std::vector<int> toRunAgain(const State &state, int operation, int at) const;
  /// An operation that reads the tensor or writes it, the next one from here.
  int nextUse(int t, int operation) const {
    return anyOrder ? lastReader[size_t(t)] : uses.nextFrom(t, operation);
  }
  /// What is still read comes back in the cheapest way.
  int64_t owed(const State &state, int after) const;

  /// What it takes at most to make one state of another one, in which the same
  /// operations have run; -1: that cannot be.
  int64_t becoming(const State &from, const State &to, int after) const;

private:
  int64_t costFromHost(int t, const State &before, int operation) const;
  bool isThere(const State &state, int t) const {
    return has(state.onDevice, t) || has(state.onHost, t);
  }
  bool canCome(const State &state, int t, int operation, int at,
               int &most) const;
  void missing(const State &state, int t, int operation, int at,
               std::vector<bool> &found) const;
  int64_t owedFor(const State &state, int t) const;
  int64_t becomingOf(int t, const State &from, const State &to) const;

  /// What is still read, and not on the device.
  template <typename Use>
  void forEachAway(const State &state, int after, Use &&use) const;

  const Problem &problem;
  bool anyOrder, ahead, anyAgain = false;
  int mostAgain, count;
  Uses uses;
  std::vector<int> next, writers; // by tensor
  std::vector<int64_t> costAgain;
  std::vector<uint64_t> readers; // where the order is free
  std::vector<int> firstReader, lastReader;
  /// The last operation before which one that reads the tensor may run again.
  std::vector<int> lastAgain;
  /// Per operation: the last one before which what it reads is what it was.
  std::vector<int> until;
  /// What has been written and is still read, before each operation and behind
  /// the last, where the order is that of the list.
  std::vector<Set> wanted;
  /// What could still be read then, by what runs again, too.
  std::vector<Set> useful;
  /// What canCome and owed have seen since they were called from outside: here,
  /// so that states by the million allocate none.
  mutable Set counted;
};

} // namespace smex::offload

#endif
