// When the bytes of a worker's buffer are in use, in the numbers of its
// instructions. Its queues have no common clock: each has its own view.
#ifndef SMEX_RUNTIME_PLAN_LIFE_H
#define SMEX_RUNTIME_PLAN_LIFE_H

#include "runtime/plan/Order.h"

#include <algorithm>
#include <array>
#include <limits>

namespace smex::plan {

struct Write {
  int time;
  Box box;
};

/// What one queue of the worker knows of a buffer.
struct Tenancy {
  int start = std::numeric_limits<int>::max(); // its first write
  int ownEnd = -2;   // its last write or read, or the gathering
  int otherEnd = -2; // up to here an instruction that is not of this queue may
  WorkerInstruction other{0, 0}; // be under way, namely this one,
  bool writes = false;           // which writes, or reads

  bool isWritten() const { return start != std::numeric_limits<int>::max(); }
  int end() const { return std::max(ownEnd, otherEnd); }
};

/// When a buffer's bytes must not be touched.
struct Life {
  std::vector<Write> writes; // in the order of the list
  std::array<Tenancy, queueCount> on;
  int64_t lo = 0, hi = 0; // bytes of the arena
  bool source = false, parameter = false;
  bool stays = false; // a parameter that nothing in its place replaces

  bool live() const { return !writes.empty() && lo < hi; }
  int start() const { return writes.front().time; }
  /// The last instruction of this worker, whatever its queue.
  int localEnd() const {
    int last = -2;
    for (const Tenancy &each : on)
      last = std::max(last, each.ownEnd);
    return last;
  }
  int end() const {
    int last = -2;
    for (const Tenancy &each : on)
      last = std::max(last, each.end());
    return last;
  }

  /// Whether all that is done with it is over when the other is first written,
  /// on each queue that writes that.
  bool isOverBefore(const Life &other) const {
    for (int q = 0; q < queueCount; ++q)
      if (other.on[q].isWritten() && on[q].end() >= other.on[q].start)
        return false;
    return true;
  }
};

} // namespace smex::plan

#endif
