// An order of a program's instructions in which transfers are hidden behind
// computing: list scheduling of a worker's queues, in memory that may not grow.
// Plain structs without IR. Transfers here are moves to the host and from
// there, too, each kind with a queue of its own.
//
// The list is made anew, one instruction at a time, while estimates say when
// each queue of each worker would be where. Next comes the computation that
// could start first; before it, transfers to its workers that would end before
// it does, or that are due: what they bring is read as soon as it can be there;
// and those to other workers that could start before it. So a fetch moves up to
// where it is hidden, and a computation that would wait for a transfer lets
// another one go first. Equal ones keep their order. An instruction moves up
// only past some others, and only as far as no worker then has more bytes alive
// than it had at its worst: where that is, the list stays as it was.
//
//            before: two fetches exposed     after: none
//   compute  a       b       c               a  b  c
//   transfer    x(a)    y(b)                    x  y     c reads x
#ifndef SMEX_COMPILER_MEMORY_OVERLAP_H
#define SMEX_COMPILER_MEMORY_OVERLAP_H

#include "dialects/support/Queue.h"

#include <cstdint>
#include <vector>

namespace smex::memory {

/// An instruction of the list.
struct Task {
  Queue queue = Queue::Computing;
  double seconds = 0; // or any other unit; on the worker that takes longest
  /// Who does it: workers by number, those that do the same tasks as one.
  /// Empty: worker 0.
  std::vector<int> workers;
  /// Buffers; more than one, where workers have different ones.
  std::vector<int> writes, reads;
  /// Instructions that must come first for another reason than a buffer that
  /// one reads or writes after the other has written or read it.
  std::vector<int> after;
};

struct Storage {
  /// In each memory, a device's or a worker's on the host; those that are alike
  /// are needed once.
  std::vector<int64_t> bytes;
  bool fromStart = false, toEnd = false; // alive before the list, after it
};

/// What memories have room for, each, beside what the list needs as it is.
struct Room {
  /// Which memories are alike, by equal numbers: what one of them holds at its
  /// worst, all of them can. Empty: none are.
  std::vector<int> alike;
  /// Bytes of each memory, where it has no room for what one that is alike
  /// holds. Empty: all have.
  std::vector<int64_t> capacities;
};

struct Overlapped {
  std::vector<int> order; // of the tasks
  /// Per place in that order: how many places on is the last computation that,
  /// by the estimates, starts before the transfer there has ended. 0 if none
  /// does, and for computing.
  std::vector<int> beside;
};

/// No task moves up past more than `lookAhead` others at a time. What moves
/// uses no more than this share of the most bytes alive at once.
Overlapped overlap(const std::vector<Task> &tasks,
                   const std::vector<Storage> &storage, int lookAhead,
                   double share = 1, const Room &room = {});

} // namespace smex::memory

#endif
