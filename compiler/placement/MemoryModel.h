// What moving tasks does to memory over time, while the schedule stays as it
// was: exact but for what moved tasks change about when others run, for copies
// that stay as large as they were when the reader of the largest part has gone,
// and for spans in which changes begin (UseOverTime.h). The overflow stage
// moves tasks by it, and has a new schedule made, and memory counted,
// afterwards.
#ifndef SMEX_COMPILER_PLACEMENT_MEMORYMODEL_H
#define SMEX_COMPILER_PLACEMENT_MEMORYMODEL_H

#include "compiler/placement/Lifetimes.h"
#include "compiler/placement/UseOverTime.h"

namespace smex::placement {

class MemoryModel {
public:
  /// Changes the placement as it moves tasks. O((V + E) log V).
  MemoryModel(const Problem &problem, Placement &placement,
              const Schedule &schedule);

  const Moments moments;
  const UseOverTime &use(int device) const { return uses[size_t(device)]; }

  /// A task's output on a device: none for the host, for references where they
  /// are made, and for residual tasks where they are made.
  const Buffer *buffer(int task, int device) const;

  /// Whether the device could never take the task: its output alone is too much
  /// while it runs, if it is in nobody's place. O(log V).
  bool lacksRoom(int task, int device, int64_t limit) const {
    const Task &what = problem.graph.tasks[size_t(task)];
    const int from = moments.start[size_t(task)];
    const int to = moments.free[size_t(task)];
    return what.memory == MemoryKind::Normal && what.overwrites < 0 &&
           from < to && use(device).most(from, to) > limit - what.bytes;
  }

  /// Moves tasks, all on `from`, if `to` has never more than `limit` then where
  /// they add to it, and if `from` has less at the moment `relieved`. True if
  /// they were moved: `changed` then has the tasks whose outputs have another
  /// last reader on `from`, or none. O(log V) for each edge of the tasks, and
  /// as many steps over all moves as there are edges.
  bool move(const std::vector<int> &tasks, int from, int to, int64_t limit,
            int relieved, std::vector<int> &changed);

private:
  /// A buffer, and the next of its task's; gone if it has no last reader.
  struct Entry {
    Buffer buffer;
    int next = -1;
    /// Which of the task's readers is the last one here; as many as there are
    /// if none is.
    int cursor = 0;
    /// Of a copy: which is the first one here, or -1.
    int first = -1;
  };
  /// Those that finish later come first. Through a reference: of what a
  /// reference changes, for the task's own device only.
  struct Reader {
    int task;
    bool throughReference;
  };
  /// A task whose output a move concerns.
  struct Affected {
    int task;
    int cursor;    // the first of its list of readers that moves
    int first;     // the last of them, which reads before the others
    int64_t bytes; // the most that one of them reads
  };
  struct Change {
    int entry;
    Entry before;
  };

  void listReaders();
  void measure(const Lifetimes &lifetimes);
  int entryOf(int task, int device) const;
  int entryOrNew(int task, int device);
  int readerCount(int task) const {
    return readerOffsets[size_t(task) + 1] - readerOffsets[size_t(task)];
  }
  void affect(int task, int reader, int64_t bytes);
  void collect(const std::vector<int> &tasks);
  void update(const Affected &affected, int device, bool gains);
  void settle(Entry &entry);
  bool hasRoom(int device, int64_t limit, int64_t residual) const;
  void count(const Buffer &buffer, int sign) {
    uses[size_t(buffer.device)].add(buffer.from, buffer.to,
                                    sign * buffer.bytes);
  }

  const Problem &problem;
  Placement &placement;
  std::vector<UseOverTime> uses; // by device
  std::vector<Entry> entries;
  std::vector<int> heads; // by task
  std::vector<int> readerOffsets;
  std::vector<Reader> readers; // of each task
  std::vector<char> hasParts;  // by task: read by several parts (Edge::part)
  // Of the move that is tried.
  std::vector<char> moves;        // by task
  std::vector<int> whichAffected; // by task, or -1
  std::vector<Affected> affected;
  std::vector<Change> changes;
};

} // namespace smex::placement

#endif
