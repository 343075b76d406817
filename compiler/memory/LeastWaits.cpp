#include "compiler/memory/LeastWaits.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace smex;
using namespace smex::memory;

namespace {

/// Who knows this, of itself as worker w, knows that all workers that differ
/// from w in these steps only have done the instructions of a track up to the
/// latest. A track is those of a queue that the same workers do.
struct Fact {
  int track;
  StepSet steps;
  int latest;

  bool implies(const Fact &other) const {
    return track == other.track && (other.steps & ~steps) == 0 &&
           latest >= other.latest;
  }
};
using Facts = std::vector<Fact>; // by track; none implies another one

void add(Facts &facts, const Fact &fact) {
  const auto isBefore = [](const Fact &a, int track) {
    return a.track < track;
  };
  auto at = std::lower_bound(facts.begin(), facts.end(), fact.track, isBefore);
  for (auto same = at; same != facts.end() && same->track == fact.track; ++same)
    if (same->implies(fact))
      return;
  while (at != facts.end() && at->track == fact.track)
    at = fact.implies(*at) ? facts.erase(at) : at + 1;
  facts.insert(at, fact);
}

class Reduction {
public:
  explicit Reduction(const Schedule &schedule)
      : schedule(schedule), known(schedule.queues.size()),
        last(schedule.doers.size() * queueCount, -1) {
    for (const std::vector<bool> &set : schedule.doers)
      areAll.push_back(std::find(set.begin(), set.end(), false) == set.end());
    for (size_t a = 0; a < schedule.doers.size(); ++a) {
      supersets.emplace_back();
      for (size_t b = 0; b < schedule.doers.size(); ++b)
        if (isSubset(schedule.doers[a], schedule.doers[b]))
          supersets.back().push_back(int(b));
    }
  }

  std::vector<std::vector<Wait>> run() {
    std::vector<std::vector<Wait>> left;
    for (int i = 0; i < int(schedule.queues.size()); ++i) {
      Facts &own = known[size_t(i)];
      const int doers = doersOf(i);
      for (int more : supersets[size_t(doers)])
        if (const int before = last[size_t(trackOf(queueAt(i), more))];
            before >= 0)
          for (const Fact &fact : known[size_t(before)])
            add(own, fact);
      left.push_back(needed(i));
      // From here on, what is known once it has completed.
      add(own, {trackOf(queueAt(i), doers), 0, i});
      last[size_t(trackOf(queueAt(i), doers))] = i;
    }
    return left;
  }

private:
  static bool isSubset(const std::vector<bool> &a, const std::vector<bool> &b) {
    for (size_t w = 0; w < a.size(); ++w)
      if (a[w] && !b[w])
        return false;
    return true;
  }

  Queue queueAt(int i) const { return schedule.queues[size_t(i)]; }
  int doersOf(int i) const { return schedule.doersOf[size_t(i)]; }
  static int trackOf(Queue queue, int doers) {
    return doers * queueCount + int(queue);
  }

  /// The latest first: no wait implies one for a later instruction.
  std::vector<Wait> needed(int i) {
    std::vector<Wait> waits = schedule.waits[size_t(i)], left;
    std::sort(waits.begin(), waits.end(), [](Wait a, Wait b) {
      return std::tuple(-a.instruction, __builtin_popcountll(b.steps),
                        a.steps) <
             std::tuple(-b.instruction, __builtin_popcountll(a.steps), b.steps);
    });
    for (const Wait wait : waits) {
      if (isKnown(known[size_t(i)], wait))
        continue;
      learn(i, wait);
      left.push_back(wait);
    }
    std::reverse(left.begin(), left.end());
    return left;
  }

  /// Whoever does more instructions of a queue has done those before.
  bool isKnown(const Facts &facts, Wait wait) const {
    const auto &more = supersets[size_t(doersOf(wait.instruction))];
    return std::any_of(facts.begin(), facts.end(), [&](const Fact &fact) {
      return fact.latest >= wait.instruction &&
             (wait.steps & ~fact.steps) == 0 &&
             fact.track % queueCount == int(queueAt(wait.instruction)) &&
             std::binary_search(more.begin(), more.end(),
                                fact.track / queueCount);
    });
  }

  void learn(int i, Wait wait) {
    const int from = doersOf(wait.instruction);
    for (const Fact &fact : known[size_t(wait.instruction)])
      if (reaches(doersOf(i), wait.steps, from, fact.steps,
                  fact.track / queueCount))
        add(known[size_t(i)],
            {fact.track, wait.steps | fact.steps, fact.latest});
    add(known[size_t(i)], {trackOf(queueAt(wait.instruction), from), wait.steps,
                           wait.instruction});
  }

  /// Whether, for each worker w of `to`, those of `of` that differ from it in
  /// the union of the two sets of steps only, differ in the second one only
  /// from some worker of `from` that differs from w in the first one only.
  bool reaches(int to, StepSet first, int from, StepSet second, int of) {
    if (areAll[size_t(from)])
      return true;
    constexpr size_t few = 64; // the search below takes the cube of it
    if (schedule.doers.front().size() > few)
      return false;
    const auto [entry, isNew] =
        reached.try_emplace({to, first, from, second, of}, true);
    if (isNew)
      entry->second = search(to, first, from, second, of);
    return entry->second;
  }

  bool search(int to, StepSet first, int from, StepSet second, int of) const {
    const auto does = [&](int set, int w) {
      return bool(schedule.doers[size_t(set)][size_t(w)]);
    };
    for (int w = 0; w < int(schedule.doers.front().size()); ++w) {
      if (!does(to, w))
        continue;
      for (int u : groupOf(schedule.ways, w, first | second)) {
        if (!does(of, u))
          continue;
        const std::vector<int> between = groupOf(schedule.ways, u, second);
        if (std::none_of(between.begin(), between.end(), [&](int v) {
              return does(from, v) &&
                     (differences(schedule.ways, v, w) & ~first) == 0;
            }))
          return false;
      }
    }
    return true;
  }

  const Schedule &schedule;
  std::vector<Facts> known; // per instruction
  std::vector<int> last;    // per track: its latest instruction so far
  std::vector<bool> areAll; // per set of doers
  std::vector<std::vector<int>> supersets; // per set of doers: itself, too
  std::map<std::tuple<int, StepSet, int, StepSet, int>, bool> reached;
};

} // namespace

std::vector<std::vector<Wait>> memory::leastWaits(const Schedule &schedule) {
  return Reduction(schedule).run();
}
