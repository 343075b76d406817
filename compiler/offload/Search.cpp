#include "compiler/offload/Search.h"

#include "compiler/offload/Departures.h"
#include "compiler/offload/Residency.h"
#include "compiler/offload/States.h"

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
  std::vector<int> left; // tensors, to the host
  /// An operand that it writes over, and whether that is stored first.
  int over = -1;
  bool isStored = false;
};

/// With how many cheaper states one is compared.
constexpr size_t mostRivals = 256;

class Searcher {
public:
  Searcher(const Problem &problem, const SearchOptions &options)
      : problem(problem), options(options),
        states(problem, options.anyOrder, options.ahead, options.mostAgain),
        leaving(problem, states, options.mostStates),
        count(int(problem.operations.size())) {
    isExact =
        !states.runsAgain() || (options.ahead && options.mostAgain >= count);
  }

  Result<Found> run() {
    std::vector<State> layer = {states.first()};
    for (int o = 0; o < count; ++o) {
      if (states.runsAgain())
        layer = withRunsAgain(std::move(layer), o);
      std::vector<State> next;
      for (const State &state : layer)
        if (!options.anyOrder)
          expand(state, o, o, next);
        else
          for (int any = 0; any < count; ++any)
            if (states.isReady(state, any))
              expand(state, any, any, next);
      layer = fewer(std::move(next), o);
      if (layer.empty())
        return options.anyOrder
                   ? fail("no order of the operations was found that fits")
                   : fail("no way was found to have what operation \"",
                          problem.operations[size_t(o)].name,
                          "\" reads beside it");
    }
    return found(layer.front());
  }

private:
  const Tensor &tensor(int t) const { return states.tensor(t); }

  /// States before the operation, with what has run again for it: in the order
  /// of the list, each once.
  std::vector<State> withRunsAgain(std::vector<State> layer, int operation) {
    for (int at = -1;;) {
      std::vector<std::pair<int, const State *>> list;
      for (const State &state : layer)
        for (int again : states.toRunAgain(state, operation, at))
          list.emplace_back(again, &state);
      if (list.empty())
        return layer;
      at = std::min_element(list.begin(), list.end())->first;
      std::vector<State> next;
      for (const auto &[again, state] : list)
        if (again == at)
          expand(*state, at, operation, next);
      next.insert(next.end(), std::make_move_iterator(layer.begin()),
                  std::make_move_iterator(layer.end()));
      const std::vector<int> &reads =
          problem.operations[size_t(operation)].reads;
      next.erase(std::remove_if(next.begin(), next.end(),
                                [&](const State &state) {
                                  return !std::all_of(
                                      reads.begin(), reads.end(), [&](int t) {
                                        return states.canCome(state, t,
                                                              operation, at);
                                      });
                                }),
                 next.end());
      layer = fewer(std::move(next), operation - 1);
    }
  }

  /// What comes of a state by an operation, which is `next`, or runs again
  /// before that. Where a next value takes the place of what the operation does
  /// not read, that may have left before: then both are never there.
  void expand(const State &state, int operation, int next,
              std::vector<State> &layer) {
    const Operation &op = problem.operations[size_t(operation)];
    const bool isAgain = operation != next;
    // What it reads, and cannot come, has been forgotten.
    if (!options.anyOrder &&
        !std::all_of(op.reads.begin(), op.reads.end(), [&](int t) {
          return has(state.onDevice, t) || has(state.onHost, t);
        }))
      return;
    expand(state, operation, next, {}, layer);
    for (int t : op.writes)
      if (const int of = states.placeOf(state, t);
          of >= 0 && problem.moves && !isAmong(op.reads, of) && !isAgain) {
        State without = state;
        states.goToHost(without, of, next);
        states.clear(without, of);
        expand(without, operation, next, {of}, layer);
      }
  }

  /// An operation as it could run.
  struct Attempt {
    const State &before;
    State loaded; // what it reads is there
    int operation, next;
    int under = -1; // whose place its result takes
    /// That is an operand, which then is not there any more; `isStored`: but on
    /// the host.
    bool isTaken = false, isStored = false;
    std::vector<int> gone; // what has left for it already

    int after() const { return operation == next ? operation : next - 1; }
  };

  void expand(const State &state, int operation, int next,
              const std::vector<int> &gone, std::vector<State> &layer) {
    const Operation &op = problem.operations[size_t(operation)];
    Attempt attempt{state, state, operation, next, -1, false, false, gone};
    for (int t : op.reads)
      if (!has(attempt.loaded.onDevice, t)) {
        states.place(attempt.loaded, t);
        add(attempt.loaded.onHost, t);
        attempt.loaded.cost += tensor(t).moved;
      }
    for (int t : op.writes)
      if (const int of = states.placeOf(state, t); of >= 0)
        attempt.under = of;
    const int over = op.over, after = attempt.after();
    const bool mayTake =
        attempt.under < 0 && over >= 0 &&
        (!states.isNeeded(over, state, after) || states.again(over) >= 0);
    if (!mayTake || states.isUseful(over, state, after))
      run(attempt, layer);
    if (!mayTake)
      return;
    attempt.under = over;
    attempt.isTaken = true;
    run(attempt, layer);
    if (states.isUseful(over, state, after) && problem.mayMove(over) &&
        !has(attempt.loaded.onHost, over)) {
      states.copyToHost(attempt.loaded, over, next + 1);
      attempt.isStored = true;
      run(attempt, layer);
    }
  }

  /// After all ways to make room.
  void run(const Attempt &attempt, std::vector<State> &layer) {
    const State &before = attempt.before;
    const int operation = attempt.operation, next = attempt.next,
              after = attempt.after();
    const Operation &op = problem.operations[size_t(operation)];
    std::vector<int64_t> lacking =
        whileRunning(problem, op, attempt.loaded.used, attempt.under);
    for (size_t m = 0; m < lacking.size(); ++m)
      lacking[m] -= problem.capacities[m];
    const Ways ways = waysToFree(leaving.candidates(before, operation, next),
                                 lacking, options.mostWays);
    isExact &= ways.isComplete;
    for (const std::vector<int> &left : ways.sets)
      for (const Departure &what :
           leaving.departures(before, left, next, after, isExact)) {
        State made = attempt.loaded;
        for (int t : what.toHost)
          states.goToHost(made, t, next);
        for (int t : what.forgotten)
          states.leave(made, t);
        for (const std::vector<int> *list : {&what.toHost, &what.forgotten})
          for (int t : *list)
            if (!states.isUseful(t, before, after))
              states.clear(made, t);
        if (attempt.isTaken)
          states.leave(made, attempt.under);
        finish(made, before, operation, next);
        if (states.runsAgain() && !states.canGoOn(made, after))
          continue;
        made.step = int(steps.size());
        steps.push_back({before.step, operation, attempt.gone,
                         attempt.isTaken ? attempt.under : -1,
                         attempt.isStored});
        steps.back().left.insert(steps.back().left.end(), what.toHost.begin(),
                                 what.toHost.end());
        layer.push_back(std::move(made));
      }
  }

  /// The operation has run.
  void finish(State &made, const State &before, int operation, int next) const {
    const Operation &op = problem.operations[size_t(operation)];
    const bool isAgain = operation != next;
    const int after = isAgain ? next - 1 : operation;
    made.cost += isAgain ? op.again : 0;
    for (int t : op.writes) {
      const bool isStored = problem.writesAll || tensor(t).toHost;
      const int of = states.placeOf(made, t);
      made.cost += isStored && !isAgain ? tensor(t).moved : 0;
      if (of >= 0)
        states.clear(made, of);
      if (of < 0 && !states.isUseful(t, before, after))
        continue;
      states.place(made, t);
      if (problem.mayMove(t) &&
          (problem.writesAll || (of < 0 && tensor(t).nextOf >= 0)))
        add(made.onHost, t);
    }
    for (int t : op.reads)
      if (!states.isUseful(t, before, after) && !states.keepsPlace(made, t))
        states.clear(made, t);
    if (states.runsAgain() && !isAgain)
      states.clearUseless(made, after);
    if (options.anyOrder)
      made.done |= uint64_t(1) << operation;
    made.owed = states.owed(made, after);
  }

  /// The states that count, cheapest first.
  std::vector<State> fewer(std::vector<State> list, int after) {
    std::stable_sort(list.begin(), list.end(),
                     [](const State &a, const State &b) {
                       if (a.total() != b.total())
                         return a.total() < b.total();
                       return a.used > b.used;
                     });
    std::vector<State> kept;
    std::set<std::tuple<uint64_t, Set, Set, Set>> known;
    std::map<uint64_t, std::vector<size_t>> alike; // of `kept`
    for (State &state : list) {
      if (state.total() >= options.below)
        break; // nor do those behind it
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
            const int64_t more = states.becoming(kept[k], state, after);
            return more >= 0 && kept[k].cost + more <= state.cost;
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
    std::vector<int> order;
    for (auto step = path.rbegin(); step != path.rend(); ++step)
      order.push_back((*step)->operation);
    Residency residency(problem, /*dropsDead=*/true, order);
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      for (int t : (*step)->left)
        residency.evict(t);
      if ((*step)->isStored)
        residency.copyOperand((*step)->over);
      residency.run((*step)->operation);
      if ((*step)->over >= 0)
        residency.evict((*step)->over);
    }
    Found found;
    found.schedule = std::move(residency).finish();
    auto traffic = replay(problem, found.schedule);
    if (!traffic)
      return Error{"offload search: " + traffic.error().message, Fault::Defect};
    found.traffic = std::move(*traffic);
    // Less, where something was stored that nobody loads.
    if (found.traffic.total() > last.cost)
      return Error{"offload search: counts " + std::to_string(last.cost) +
                       " bytes where " + std::to_string(found.traffic.total()) +
                       " cross",
                   Fault::Defect};
    const int64_t cost = found.traffic.total();
    found.lowerBound = isExact            ? cost
                       : options.anyOrder ? compulsory(problem)
                                          : lowerBound(problem);
    found.isOptimal = isExact;
    found.states = compared;
    return found;
  }

  const Problem &problem;
  const SearchOptions &options;
  States states;
  const Departures leaving;
  int count;
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
  if (options.anyOrder &&
      std::any_of(problem.operations.begin(), problem.operations.end(),
                  [](const Operation &op) { return op.again >= 0; }))
    return fail("no order is searched for where operations run again");
  return Searcher(problem, options).run();
}
