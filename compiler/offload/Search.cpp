#include "compiler/offload/Search.h"

#include "compiler/offload/Residency.h"
#include "compiler/offload/Set.h"
#include "compiler/offload/Uses.h"
#include "compiler/offload/Ways.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace smex;
using namespace smex::offload;

namespace {

/// How a state came about.
struct Step {
  int before = -1; // another step
  int operation = -1;
  std::vector<int> left; // tensors
};

struct State {
  uint64_t done = 0; // operations, where their order is free
  Set onDevice;      // of what is still needed
  Set onHost;        // of those: which have a copy there
  Set fromHost;      // of what starts at either place: what starts there
  /// What has crossed, and what comes back for certain.
  int64_t cost = 0;
  std::vector<int64_t> used; // of each memory
  int step = -1;
};

/// With how many cheaper states one is compared.
constexpr size_t mostRivals = 256;

class Searcher {
public:
  Searcher(const Problem &problem, const SearchOptions &options)
      : problem(problem), options(options), uses(problem),
        count(int(problem.operations.size())), next(nextValues(problem)),
        readers(problem.tensors.size()),
        firstReader(problem.tensors.size(), count),
        lastReader(problem.tensors.size(), -1),
        writers(problem.tensors.size(), -1) {
    for (int o = 0; o < count; ++o) {
      const Operation &op = problem.operations[size_t(o)];
      for (int t : op.reads) {
        firstReader[size_t(t)] = std::min(firstReader[size_t(t)], o);
        lastReader[size_t(t)] = o;
        if (options.anyOrder)
          readers[size_t(t)] |= uint64_t(1) << o;
      }
      for (int t : op.writes)
        writers[size_t(t)] = o;
    }
  }

  Result<Found> run() {
    std::vector<State> layer = {first()};
    for (done = 0; done < count; ++done) {
      std::vector<State> next;
      if (!options.anyOrder) {
        for (const State &state : layer)
          expand(state, done, next);
      } else {
        for (const State &state : layer)
          for (int o = 0; o < count; ++o)
            if (isReady(state, o))
              expand(state, o, next);
      }
      layer = fewer(std::move(next));
      if (layer.empty())
        return fail("no order of the operations was found that fits");
    }
    return found(layer.front());
  }

private:
  const Tensor &tensor(int t) const { return problem.tensors[size_t(t)]; }

  /// Whether an operation reads it that comes neither before, nor is this one.
  bool isNeeded(int t, const State &before, int operation) const {
    if (!options.anyOrder)
      return lastReader[size_t(t)] > operation;
    uint64_t left = readers[size_t(t)] & ~before.done;
    if (operation >= 0)
      left &= ~(uint64_t(1) << operation);
    return left != 0;
  }

  /// Whether an operation before this one has read it.
  bool isRead(int t, const State &before, int operation) const {
    return options.anyOrder ? (readers[size_t(t)] & before.done) != 0
                            : firstReader[size_t(t)] < operation;
  }

  /// The tensor, which starts at either place, whose place this one has on the
  /// device until the end, unless it starts on the host; -1: it has none.
  int placeOf(const State &state, int t) const {
    const int of = tensor(t).start == Start::Either ? t : tensor(t).nextOf;
    return of < 0 || has(state.fromHost, of) ? -1 : of;
  }

  bool keepsPlace(const State &state, int t) const {
    const int of = placeOf(state, t);
    return of >= 0 && tensor(of).keepsPlace;
  }

  /// What it costs that it starts on the host after all: it is loaded before it
  /// is read first, and its next value is stored.
  int64_t costFromHost(int t, const State &before, int operation) const {
    const bool isStored = next[size_t(t)] >= 0 && !problem.writesAll;
    return tensor(t).moved *
           (int64_t(isRead(t, before, operation)) + int64_t(isStored));
  }

  bool isReady(const State &state, int operation) const {
    if (state.done >> operation & 1)
      return false;
    for (int t : problem.operations[size_t(operation)].reads)
      if (writers[size_t(t)] >= 0 && !(state.done >> writers[size_t(t)] & 1))
        return false;
    return true;
  }

  State first() {
    State state;
    const size_t words = problem.tensors.size() / 64 + 1;
    state.onDevice.resize(words);
    state.onHost.resize(words);
    state.fromHost.resize(words);
    state.used.resize(size_t(problem.memories()));
    for (int t = 0; t < int(problem.tensors.size()); ++t) {
      const bool isRead = isNeeded(t, state, -1);
      if (tensor(t).start == Start::Host)
        state.cost += isRead ? tensor(t).moved : 0;
      if (tensor(t).start == Start::Either && (isRead || tensor(t).keepsPlace))
        place(state, t);
      if (tensor(t).start != Start::Device)
        continue;
      state.cost += tensor(t).toHost ? tensor(t).moved : 0;
      if (isRead)
        place(state, t);
    }
    return state;
  }

  void place(State &state, int t) const {
    add(state.onDevice, t);
    for (size_t m = 0; m < state.used.size(); ++m)
      state.used[m] += tensor(t).bytes[m];
  }
  void drop(State &state, int t) const {
    remove(state.onDevice, t);
    remove(state.onHost, t);
    for (size_t m = 0; m < state.used.size(); ++m)
      state.used[m] -= tensor(t).bytes[m];
  }

  /// Where a next value takes the place of what the operation does not read,
  /// that may have left before: then both are never there.
  void expand(const State &state, int operation, std::vector<State> &layer) {
    const Operation &op = problem.operations[size_t(operation)];
    expand(state, operation, {}, layer);
    for (int t : op.writes)
      if (const int of = placeOf(state, t);
          of >= 0 &&
          std::find(op.reads.begin(), op.reads.end(), of) == op.reads.end()) {
        State without = state;
        leave(without, state, of, operation);
        expand(without, operation, {of}, layer);
      }
  }

  void leave(State &after, const State &before, int t, int operation) const {
    after.cost += costToLeave(before, t, operation);
    if (const int of = placeOf(before, t); of >= 0)
      add(after.fromHost, of);
    drop(after, t);
  }

  /// `gone`: what has left for it already.
  void expand(const State &state, int operation, const std::vector<int> &gone,
              std::vector<State> &layer) {
    const Operation &op = problem.operations[size_t(operation)];
    State loaded = state;
    for (int t : op.reads)
      if (!has(loaded.onDevice, t)) {
        place(loaded, t);
        add(loaded.onHost, t);
      }
    const bool isOver = op.over >= 0 && !isNeeded(op.over, state, operation);
    int under = isOver ? op.over : -1;
    for (int t : op.writes)
      if (const int of = placeOf(state, t); of >= 0)
        under = of;
    std::vector<int64_t> lacking =
        whileRunning(problem, op, loaded.used, under);
    for (size_t m = 0; m < lacking.size(); ++m)
      lacking[m] -= problem.capacities[m];
    const Ways ways =
        waysToFree(candidates(state, operation), lacking, options.mostWays);
    isExact &= ways.isComplete;
    for (const std::vector<int> &left : ways.sets) {
      State after = loaded;
      for (int t : left)
        leave(after, state, t, operation);
      finish(after, state, op, operation);
      steps.push_back({state.step, operation, gone});
      steps.back().left.insert(steps.back().left.end(), left.begin(),
                               left.end());
      after.step = int(steps.size()) - 1;
      layer.push_back(std::move(after));
    }
  }

  /// What coming back takes, and a store, if there is no copy: the store of
  /// what must be on the host in any case has been counted.
  int64_t costToLeave(const State &state, int t, int operation) const {
    if (const int of = placeOf(state, t); of >= 0)
      return costFromHost(of, state, operation) +
             (isNeeded(t, state, operation) ? tensor(t).moved : 0);
    const bool isStored = !has(state.onHost, t) && !tensor(t).toHost;
    return tensor(t).moved * (isStored ? 2 : 1);
  }

  std::vector<Leaving> candidates(const State &state, int operation) const {
    const std::vector<int> &reads = problem.operations[size_t(operation)].reads,
                           &writes =
                               problem.operations[size_t(operation)].writes;
    const auto isAmong = [](const std::vector<int> &all, int t) {
      return std::find(all.begin(), all.end(), t) != all.end();
    };
    std::vector<Leaving> list;
    for (size_t word = 0; word < state.onDevice.size(); ++word)
      for (uint64_t left = state.onDevice[word]; left; left &= left - 1) {
        const int t = int(word * 64) + __builtin_ctzll(left);
        if (!tensor(t).isMovable || isAmong(reads, t) ||
            (next[size_t(t)] >= 0 && isAmong(writes, next[size_t(t)])))
          continue;
        list.push_back({t, tensor(t).bytes, costToLeave(state, t, operation),
                        options.anyOrder ? lastReader[size_t(t)]
                                         : uses.nextFrom(t, operation)});
      }
    return list;
  }

  /// The operation has run.
  void finish(State &after, const State &before, const Operation &op,
              int operation) const {
    for (int t : op.writes) {
      const bool isStored = problem.writesAll || tensor(t).toHost;
      const int of = placeOf(after, t);
      after.cost += isStored ? tensor(t).moved : 0;
      if (of >= 0)
        drop(after, of);
      if (of < 0 && !isNeeded(t, before, operation))
        continue;
      place(after, t);
      if (problem.writesAll || (of < 0 && tensor(t).nextOf >= 0))
        add(after.onHost, t);
    }
    for (int t : op.reads)
      if (has(after.onDevice, t) && !isNeeded(t, before, operation) &&
          !keepsPlace(after, t))
        drop(after, t);
    if (options.anyOrder)
      after.done |= uint64_t(1) << operation;
  }

  /// What it takes at most to make one state of another one, in which the same
  /// operations have run.
  int64_t becoming(const State &from, const State &to) const {
    int64_t cost = 0;
    Set apart(from.onDevice.size()); // what has been counted
    for (size_t word = 0; word < from.onDevice.size(); ++word)
      for (uint64_t left = to.fromHost[word] & ~from.fromHost[word]; left;
           left &= left - 1) {
        const int t = int(word * 64) + __builtin_ctzll(left);
        const int there = has(from.onDevice, t) ? t : next[size_t(t)];
        if (there < 0 || !has(from.onDevice, there))
          continue; // an input that nothing reads any more
        cost += costFromHost(t, from, done + 1);
        if (!has(to.onDevice, there) &&
            isNeeded(there, from, options.anyOrder ? -1 : done))
          cost += tensor(there).moved;
        add(apart, there);
      }
    for (size_t word = 0; word < from.onDevice.size(); ++word) {
      const uint64_t leave =
          from.onDevice[word] & ~to.onDevice[word] & ~apart[word];
      const uint64_t store = from.onDevice[word] & to.onDevice[word] &
                             ~from.onHost[word] & to.onHost[word] &
                             ~apart[word];
      for (uint64_t left = leave | store; left; left &= left - 1) {
        const int t = int(word * 64) + __builtin_ctzll(left);
        cost += has(from.onHost, t)      ? tensor(t).moved
                : leave & (left & -left) ? 2 * tensor(t).moved
                                         : tensor(t).moved;
      }
    }
    return cost;
  }

  /// The states that count, cheapest first.
  std::vector<State> fewer(std::vector<State> list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const State &a, const State &b) {
                       if (a.cost != b.cost)
                         return a.cost < b.cost;
                       return a.used > b.used;
                     });
    std::vector<State> kept;
    std::set<std::tuple<uint64_t, Set, Set, Set>> known;
    std::map<uint64_t, std::vector<size_t>> alike; // of `kept`
    for (State &state : list) {
      if (!known
               .emplace(state.done, state.onDevice, state.onHost,
                        state.fromHost)
               .second)
        continue;
      // Against the best ones only: so time grows with the number of states.
      std::vector<size_t> &rivals = alike[state.done];
      const bool isDominated = std::any_of(
          rivals.begin(),
          rivals.begin() + int64_t(std::min<size_t>(rivals.size(), mostRivals)),
          [&](size_t k) {
            return kept[k].cost + becoming(kept[k], state) <= state.cost;
          });
      if (isDominated)
        continue;
      if (int(kept.size()) == options.mostStates) {
        isExact = false;
        break;
      }
      rivals.push_back(kept.size());
      kept.push_back(std::move(state));
    }
    compared += int64_t(kept.size());
    return kept;
  }

  Result<Found> found(const State &last) const {
    std::vector<const Step *> path;
    for (int step = last.step; step >= 0; step = steps[size_t(step)].before)
      path.push_back(&steps[size_t(step)]);
    Residency residency(problem);
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      for (int t : (*step)->left)
        residency.evict(t);
      residency.run((*step)->operation);
    }
    Found found;
    found.schedule = std::move(residency).finish();
    auto traffic = replay(problem, found.schedule);
    if (!traffic)
      return Error{"offload search: " + traffic.error().message, Fault::Defect};
    found.traffic = std::move(*traffic);
    if (found.traffic.total() != last.cost)
      return Error{"offload search: counts " + std::to_string(last.cost) +
                       " bytes where " + std::to_string(found.traffic.total()) +
                       " cross",
                   Fault::Defect};
    found.isOptimal = isExact;
    found.lowerBound = isExact            ? last.cost
                       : options.anyOrder ? compulsory(problem)
                                          : lowerBound(problem);
    found.states = compared;
    return found;
  }

  const Problem &problem;
  const SearchOptions &options;
  Uses uses;
  int count, done = 0;
  std::vector<int> next;         // values, by tensor
  std::vector<uint64_t> readers; // where the order is free
  std::vector<int> firstReader, lastReader, writers;
  std::vector<Step> steps;
  int64_t compared = 0;
  bool isExact = true;
};

} // namespace

Result<Found> smex::offload::search(const Problem &problem,
                                    const SearchOptions &options) {
  if (Status valid = validate(problem); !valid)
    return valid.takeError();
  if (Status fits = checkFits(problem); !fits)
    return fits.takeError();
  if (options.anyOrder && problem.operations.size() > 64)
    return fail("the order of ", problem.operations.size(),
                " operations is not searched for, of at most 64");
  const auto isNext = [](const Tensor &tensor) { return tensor.nextOf >= 0; };
  if (options.anyOrder &&
      std::any_of(problem.tensors.begin(), problem.tensors.end(), isNext))
    return fail("no order is searched for where there are next values");
  return Searcher(problem, options).run();
}
