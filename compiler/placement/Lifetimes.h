// Which outputs and copies of them a placement has, and from when until when:
// what memory is counted from (Memory.h says by which rules).
#ifndef SMEX_COMPILER_PLACEMENT_LIFETIMES_H
#define SMEX_COMPILER_PLACEMENT_LIFETIMES_H

#include "compiler/placement/Schedule.h"

namespace smex::placement {

/// When something happens to memory, as numbers that grow with time. What
/// happens at one number is all of one sort.
struct Moments {
  Moments(const Problem &problem, const Schedule &schedule);

  /// By task: its output is allocated; what it read last is freed; copies of
  /// its output are allocated.
  std::vector<int> start, free, copy;
  /// Of a plan, by task: copies of residual outputs that it is the first on its
  /// device to read are allocated.
  std::vector<int> fetch;
  /// One more than the last of them.
  int count = 0;

  bool isListed() const { return !fetch.empty(); }

private:
  void asListed(const Problem &problem, const Schedule &schedule);
};

/// A task's output on one device: itself, or a copy. Half-open: it is there
/// from moment `from` on, and no longer at moment `to`.
struct Buffer {
  int task = -1, device = -1;
  int64_t bytes = 0;
  int from = 0, to = 0;
  /// The task that ends it: its last reader there, or who makes it.
  int last = -1;
};

/// When a copy of the task's output comes to a device, of whose tasks `first`
/// is the first to read it.
int startOfCopy(const TaskGraph &graph, const Moments &moments, int task,
                int first);

/// Bytes of a copy of the task's output for all its readers there: the largest
/// of part 0 that one of them reads; or where none reads that, the sum of the
/// parts that they read.
int64_t bytesOfCopy(const Problem &problem, const Placement &placement,
                    int task, int device);

/// When the task's output is no longer there, on a device on which `last` is
/// the last to read it: once that has finished, or as it starts where it
/// overwrites it.
int endOf(const TaskGraph &graph, const Moments &moments, int task, int last);
/// Whether reader `a` of the task's output is done with it before reader `b`:
/// of two that finish at one moment, one that overwrites it is.
bool endsBefore(const TaskGraph &graph, const Moments &moments, int task, int a,
                int b);

/// All of them but residual outputs themselves, grouped by task: offsets[t] ..
/// offsets[t + 1]. The host has none, and there may be some without bytes.
struct Lifetimes {
  Lifetimes(const Problem &problem, const Placement &placement,
            const Moments &moments);

  std::vector<Buffer> buffers;
  std::vector<int> offsets;
  std::vector<int64_t> residualBytes; // by device, without the host
};

/// Numbers of buffers by the moment when they come, or go.
class ByMoment {
public:
  ByMoment(const std::vector<Buffer> &buffers, int Buffer::*moment, int count);

  struct Range {
    const int *first, *last;
    const int *begin() const { return first; }
    const int *end() const { return last; }
  };
  Range at(int moment) const {
    return {list.data() + offsets[size_t(moment)],
            list.data() + offsets[size_t(moment) + 1]};
  }

private:
  std::vector<int> offsets, list;
};

} // namespace smex::placement

#endif
