#include "compiler/memory/Overlap.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <tuple>

using namespace smex;
using namespace smex::memory;

namespace {

using Bytes = std::vector<int64_t>; // per memory

void add(Bytes &sum, const Bytes &more, int64_t sign) {
  for (size_t w = 0; w < sum.size(); ++w)
    sum[w] += sign * more[w];
}

class Scheduler {
public:
  Scheduler(const std::vector<Task> &tasks, const std::vector<Storage> &storage,
            size_t lookAhead, double share, const Room &room)
      : tasks(tasks), storage(storage), lookAhead(lookAhead),
        first(tasks.size()), ends(tasks.size(), -1), usesLeft(storage.size()),
        isBorn(storage.size()), alive(tasks.size()),
        live(storage.empty() ? 0 : storage[0].bytes.size()), limit(live) {
    for (const Task &task : tasks)
      workers.push_back(task.workers.empty() ? std::vector<int>{0}
                                             : task.workers);
    int count = 0;
    for (const std::vector<int> &doers : workers)
      for (const int w : doers)
        count = std::max(count, w + 1);
    free.resize(size_t(count));
    computed.resize(size_t(count));
    dependences();
    deadlines();
    memory();
    std::map<int, int64_t> most; // of those that are alike
    for (size_t w = 0; w < room.alike.size(); ++w)
      most[room.alike[w]] = std::max(most[room.alike[w]], limit[w]);
    for (size_t w = 0; w < limit.size(); ++w) {
      int64_t larger = room.alike.empty() ? limit[w] : most.at(room.alike[w]);
      if (!room.capacities.empty())
        larger = std::min(larger, room.capacities[w]);
      limit[w] = int64_t(double(std::max(limit[w], larger)) * share);
    }
  }

  Overlapped run() {
    for (size_t i = 0; i < tasks.size(); ++i)
      rest.push_back(int(i));
    while (!rest.empty())
      place(choose());
    return {order, beside()};
  }

private:
  /// What must come first: reads and writes of a buffer keep their order.
  void dependences() {
    std::vector<std::vector<int>> writers(storage.size()),
        readers(storage.size());
    const auto after = [&](size_t i, const std::vector<int> &others) {
      for (int other : others)
        if (other != int(i))
          first[i].push_back(other);
    };
    for (size_t i = 0; i < tasks.size(); ++i) {
      after(i, tasks[i].after);
      for (int buffer : tasks[i].reads) {
        after(i, writers[size_t(buffer)]);
        readers[size_t(buffer)].push_back(int(i));
      }
      for (int buffer : tasks[i].writes) {
        after(i, writers[size_t(buffer)]);
        after(i, readers[size_t(buffer)]);
        writers[size_t(buffer)].push_back(int(i));
      }
    }
  }

  /// What a task writes is wanted when its workers have computed so much.
  void deadlines() {
    std::vector<std::map<int, double>> beforeRead(storage.size()); // by worker
    std::vector<double> left(free.size()); // per worker: before a task
    for (size_t i = 0; i < tasks.size(); ++i)
      if (isComputation(int(i)))
        for (const int w : workers[i])
          left[size_t(w)] += tasks[i].seconds;
    computedBeforeRead.resize(tasks.size());
    for (size_t i = tasks.size(); i-- > 0;)
      for (const int w : workers[i]) {
        double first = std::numeric_limits<double>::infinity();
        for (int buffer : tasks[i].writes) {
          const auto &reads = beforeRead[size_t(buffer)];
          if (const auto read = reads.find(w); read != reads.end())
            first = std::min(first, read->second);
        }
        computedBeforeRead[i].push_back(first);
        if (isComputation(int(i)))
          left[size_t(w)] -= tasks[i].seconds;
        for (int buffer : tasks[i].reads)
          beforeRead[size_t(buffer)][w] = left[size_t(w)];
      }
  }

  static std::vector<int> buffersOf(const Task &task) {
    std::vector<int> buffers = task.reads;
    buffers.insert(buffers.end(), task.writes.begin(), task.writes.end());
    std::sort(buffers.begin(), buffers.end());
    buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
    return buffers;
  }

  /// Bytes alive at each task as the list is, and the most of them.
  void memory() {
    for (const Task &task : tasks) {
      used.push_back(buffersOf(task));
      for (int buffer : used.back())
        ++usesLeft[size_t(buffer)];
    }
    const std::vector<int> uses = usesLeft;
    for (size_t b = 0; b < storage.size(); ++b)
      if (storage[b].fromStart && (usesLeft[b] > 0 || storage[b].toEnd)) {
        isBorn[b] = true;
        add(live, storage[b].bytes, 1);
      }
    const Bytes before = live;
    const std::vector<bool> bornBefore = isBorn;
    for (size_t i = 0; i < tasks.size(); ++i) {
      alive[i] = begin(int(i));
      for (size_t w = 0; w < limit.size(); ++w)
        limit[w] = std::max(limit[w], alive[i][w]);
    }
    usesLeft = uses;
    isBorn = bornBefore;
    live = before;
  }

  /// The task comes next: the bytes alive while it runs. Leaves `live` and
  /// `usesLeft` as they are after it.
  Bytes begin(int task) {
    for (int buffer : used[size_t(task)])
      if (!isBorn[size_t(buffer)]) {
        isBorn[size_t(buffer)] = true;
        add(live, storage[size_t(buffer)].bytes, 1);
      }
    const Bytes meanwhile = live;
    for (int buffer : used[size_t(task)])
      if (--usesLeft[size_t(buffer)] == 0 && !storage[size_t(buffer)].toEnd)
        add(live, storage[size_t(buffer)].bytes, -1);
    return meanwhile;
  }

  /// Whether nothing that is left must come before it.
  bool isFree(int task) const {
    return std::all_of(first[size_t(task)].begin(), first[size_t(task)].end(),
                       [&](int other) { return ends[size_t(other)] >= 0; });
  }

  double startOf(int task) const {
    double start = 0;
    for (const int w : workers[size_t(task)])
      start = std::max(start, freeAt(w, tasks[size_t(task)].queue));
    for (int other : first[size_t(task)])
      start = std::max(start, ends[size_t(other)]);
    return start;
  }

  double freeAt(int worker, Queue queue) const {
    return free[size_t(worker)][size_t(queue)];
  }

  /// The computing that comes before what the task writes is read, on the
  /// worker with the least of it.
  double leftUntilRead(int task) const {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < workers[size_t(task)].size(); ++i)
      least = std::min(least, computedBeforeRead[size_t(task)][i] -
                                  computed[size_t(workers[size_t(task)][i])]);
    return least;
  }

  /// Whether what it brings is read as soon as it can be there.
  bool isDue(int task) const {
    return leftUntilRead(task) <= tasks[size_t(task)].seconds;
  }

  /// Whether a transfer should go ahead of a computation that starts then: it
  /// would end before that does, so nobody waits for it; or it is due. One that
  /// is neither stays behind, or it would be in the way of one that is due
  /// soon.
  bool goesAhead(int task, int computation, double start) const {
    const double end = start + tasks[size_t(computation)].seconds;
    return startOf(task) + tasks[size_t(task)].seconds <= end ||
           (startOf(task) < end && isDue(task));
  }

  /// Which of `rest` comes next, by its place there.
  size_t choose() const {
    struct Candidate {
      double start, left;
      size_t at;
      bool operator<(const Candidate &other) const {
        return std::tie(start, left, at) <
               std::tie(other.start, other.left, other.at);
      }
    };
    std::vector<Candidate> computations, transfers;
    for (size_t at = 0; at < std::min(rest.size(), lookAhead + 1); ++at) {
      const int task = rest[at];
      if (!isFree(task))
        continue;
      if (isComputation(task))
        computations.push_back({startOf(task), 0, at});
      else
        transfers.push_back({startOf(task), leftUntilRead(task), at});
    }
    std::sort(computations.begin(), computations.end());
    std::sort(transfers.begin(), transfers.end());
    const auto next = std::find_if(
        computations.begin(), computations.end(),
        [&](const Candidate &candidate) { return fits(candidate.at); });
    // The first computation from there on that one of the task's workers does.
    const auto beside = [&](int task) {
      return std::find_if(next, computations.end(),
                          [&](const Candidate &candidate) {
                            return shareWorkers(task, rest[candidate.at]);
                          });
    };
    const auto isNow = [&](const Candidate &candidate) {
      const int task = rest[candidate.at];
      if (next == computations.end())
        return candidate.at == 0 || isDue(task);
      const auto computation = beside(task);
      if (computation == computations.end())
        return candidate.start <= next->start;
      return goesAhead(task, rest[computation->at], computation->start) &&
             (computation == next || candidate.start <= next->start);
    };
    const auto ahead = std::find_if(
        transfers.begin(), transfers.end(), [&](const Candidate &candidate) {
          return isNow(candidate) && fits(candidate.at);
        });
    // One of the two is there: what stays where it is fits.
    return ahead == transfers.end() ? next->at : ahead->at;
  }

  bool shareWorkers(int a, int b) const {
    const std::vector<int> &of = workers[size_t(a)], &with = workers[size_t(b)];
    return std::find_first_of(of.begin(), of.end(), with.begin(), with.end()) !=
           of.end();
  }

  bool isComputation(int task) const {
    return tasks[size_t(task)].queue == Queue::Computing;
  }

  /// What moving a task up to the front takes from and gives to those that it
  /// passes: its result lives earlier, its operands perhaps no longer.
  /// Calls change(at, bytes, sign) for each of them.
  template <typename Change>
  void forEachChange(size_t at, Change change) const {
    const int task = rest[at];
    for (int buffer : used[size_t(task)]) {
      const Storage &bytes = storage[size_t(buffer)];
      const bool isLast = usesLeft[size_t(buffer)] == 1;
      if (!isBorn[size_t(buffer)]) {
        // One that nothing else uses lives with its task alone.
        for (size_t from = isLast && !bytes.toEnd ? at : 0; from < at; ++from)
          change(from, bytes.bytes, 1);
      } else if (!bytes.toEnd) {
        // Those after the last of the others that use it, if this is the last.
        int left = usesLeft[size_t(buffer)] - 1;
        for (size_t from = 0; from < at; ++from) {
          if (left == 0)
            change(from, bytes.bytes, -1);
          left -= uses(rest[from], buffer);
        }
      }
    }
  }

  bool uses(int task, int buffer) const {
    const std::vector<int> &buffers = used[size_t(task)];
    return std::binary_search(buffers.begin(), buffers.end(), buffer);
  }

  bool fits(size_t at) const {
    if (at == 0)
      return true;
    Bytes own = live;
    for (int buffer : used[size_t(rest[at])])
      if (!isBorn[size_t(buffer)])
        add(own, storage[size_t(buffer)].bytes, 1);
    if (!isWithin(own))
      return false;
    std::vector<Bytes> passed;
    for (size_t k = 0; k < at; ++k)
      passed.push_back(alive[size_t(rest[k])]);
    forEachChange(at, [&](size_t k, const Bytes &bytes, int64_t sign) {
      add(passed[k], bytes, sign);
    });
    return std::all_of(passed.begin(), passed.end(),
                       [&](const Bytes &bytes) { return isWithin(bytes); });
  }

  bool isWithin(const Bytes &bytes) const {
    for (size_t w = 0; w < limit.size(); ++w)
      if (bytes[w] > limit[w])
        return false;
    return true;
  }

  void place(size_t at) {
    const int task = rest[at];
    forEachChange(at, [&](size_t k, const Bytes &bytes, int64_t sign) {
      add(alive[size_t(rest[k])], bytes, sign);
    });
    rest.erase(rest.begin() + std::ptrdiff_t(at));
    begin(task);
    const Task &what = tasks[size_t(task)];
    starts.push_back(startOf(task));
    ends[size_t(task)] = starts.back() + what.seconds;
    for (const int w : workers[size_t(task)]) {
      free[size_t(w)][size_t(what.queue)] = ends[size_t(task)];
      if (isComputation(task))
        computed[size_t(w)] += what.seconds;
    }
    order.push_back(task);
  }

  std::vector<int> beside() const {
    std::vector<int> counts(order.size(), 0);
    const auto computes = [&](size_t at) { return isComputation(order[at]); };
    // When the first of the computations from a place on starts: those of one
    // worker start in order, but those of several may not.
    std::vector<double> firstStart(order.size() + 1,
                                   std::numeric_limits<double>::infinity());
    for (size_t at = order.size(); at-- > 0;)
      firstStart[at] = computes(at) ? std::min(starts[at], firstStart[at + 1])
                                    : firstStart[at + 1];
    for (size_t at = 0; at < order.size(); ++at) {
      const double end = ends[size_t(order[at])];
      for (size_t next = at + 1; !computes(at) && firstStart[next] < end;
           ++next)
        if (computes(next) && starts[next] < end)
          counts[at] = int(next - at);
    }
    return counts;
  }

  const std::vector<Task> &tasks;
  const std::vector<Storage> &storage;
  const size_t lookAhead;
  std::vector<std::vector<int>> first;   // per task: what must come before it
  std::vector<std::vector<int>> used;    // per task: its buffers, ascending
  std::deque<int> rest;                  // tasks, in their order so far
  std::vector<int> order;                // tasks that have their place
  std::vector<double> starts;            // by place
  std::vector<double> ends;              // by task; -1: has no place yet
  std::vector<std::vector<int>> workers; // per task
  std::vector<std::array<double, queueCount>> free; // per worker
  std::vector<double> computed; // per worker, by what has its place
  /// Per task and each of its workers: before the first reader there.
  std::vector<std::vector<double>> computedBeforeRead;
  std::vector<int> usesLeft; // per buffer: by tasks of `rest`
  std::vector<bool> isBorn;  // per buffer
  std::vector<Bytes> alive;  // per task of `rest`: while it runs
  Bytes live;                // between what has its place and `rest`
  Bytes limit;
};

} // namespace

Overlapped memory::overlap(const std::vector<Task> &tasks,
                           const std::vector<Storage> &storage, int lookAhead,
                           double share, const Room &room) {
  return Scheduler(tasks, storage, size_t(lookAhead), share, room).run();
}
