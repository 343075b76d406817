#include "runtime/plan/Order.h"

#include "runtime/plan/Regions.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::plan;

Order::Order(const Partitioned &partitioned, View view)
    : partitioned(partitioned),
      count(int(partitioned.program.instructions.size())), view(view) {
  const size_t workers = partitioned.workers.size();
  std::map<std::vector<bool>, int> known;
  for (int i = 0; i < count; ++i) {
    const auto [entry, isNew] =
        known.try_emplace(plan::doers(partitioned, i), int(doers.size()));
    doersOf.push_back(entry->second);
    if (isNew) {
      Doers &made = doers.emplace_back();
      made.flags = entry->first;
      for (size_t w = 0; w < workers; ++w) {
        const bool may = made.flags[w] || view == View::Symmetric;
        made.place.push_back(may ? int(made.workers.size()) : -1);
        if (may)
          made.workers.push_back(int(w));
      }
      made.areAll = std::find(made.flags.begin(), made.flags.end(), false) ==
                    made.flags.end();
    }
    first.push_back(size);
    size += set(i).workers.size();
  }
  const auto isIn = [&](const Doers &some, const Doers &more) {
    for (size_t w = 0; w < workers; ++w)
      if (some.flags[w] && !more.flags[w])
        return false;
    return true;
  };
  for (size_t a = 0; a < doers.size(); ++a)
    for (size_t b = 0; b < doers.size(); ++b)
      if (view == View::Exact ? a == b : isIn(doers[a], doers[b]))
        doers[a].supersets.push_back(int(b));
}

/// Gives all workers that differ in these steps only the best of their values.
template <typename Better>
void Order::spread(std::vector<int> &values, StepSet steps,
                   Better better) const {
  const Ways &ways = partitioned.program.ways;
  size_t stride = 1; // between workers that are neighbours in the step
  for (size_t s = ways.size(); s-- > 0; stride *= size_t(ways[s])) {
    if (!(steps >> s & 1))
      continue;
    const size_t span = stride * size_t(ways[s]);
    for (size_t base = 0; base < values.size(); base += span)
      for (size_t w = base; w < base + stride; ++w) {
        int best = values[w];
        for (size_t other = w + stride; other < base + span; other += stride)
          best = better(best, values[other]);
        for (size_t other = w; other < base + span; other += stride)
          values[other] = best;
      }
  }
}

/// Lanes are, per set of doers and worker, what holds of the latest instruction
/// of a queue that these do. Who does an instruction has done, or will do, all
/// those of the sets that it is in for sure.
template <typename Better>
void Order::join(const std::vector<std::vector<int>> &lanes, int instruction,
                 std::vector<int> &values, Better better) const {
  for (int more : set(instruction).supersets)
    for (int w : set(instruction).workers) {
      int &value = values[size_t(w)];
      value = better(value, lanes[size_t(more)][size_t(w)]);
    }
}

void Order::leave(std::vector<std::vector<int>> &lanes, int instruction,
                  int asked, const std::vector<int> &values) const {
  std::vector<int> &own = lanes[size_t(doersOf[size_t(instruction)])];
  for (int w : set(instruction).workers)
    if (view == View::Symmetric)
      own[size_t(w)] = values[size_t(w)];
    else
      for (std::vector<int> &all : lanes)
        all[size_t(w)] = values[size_t(w)];
  // What is asked about does what it does.
  if (view == View::Symmetric && does(asked, instruction))
    for (std::vector<int> &all : lanes)
      all[size_t(asked)] = values[size_t(asked)];
}

std::vector<int> Order::completedBefore(int worker, Queue queue) const {
  const size_t workers = partitioned.workers.size();
  const auto most = [](int a, int b) { return std::max(a, b); };
  std::vector<int> completed(size), known, told;
  std::vector<std::vector<int>> lanes[queueCount];
  for (auto &each : lanes)
    each.assign(doers.size(), std::vector<int>(workers));
  for (int i = 0; i < count; ++i) {
    const std::vector<int> &own = set(i).workers;
    known.assign(workers, 0);
    join(lanes[size_t(queueAt(i))], i, known, most);
    for (const Wait wait : partitioned.program.instructions[size_t(i)].waits) {
      const int what = wait.instruction;
      told.assign(workers, 0);
      for (int w : set(what).workers) {
        if (surely(w, what, worker))
          told[size_t(w)] = completed[id(w, what)];
        else if (implies(i, what))
          known[size_t(w)] = most(known[size_t(w)], completed[id(w, what)]);
      }
      if (does(worker, what) && queueAt(what) == queue)
        told[size_t(worker)] = what + 1;
      spread(told, wait.steps, most);
      for (int w : own)
        known[size_t(w)] = most(known[size_t(w)], told[size_t(w)]);
    }
    if (does(worker, i) && queueAt(i) == queue)
      known[size_t(worker)] = i;
    for (int w : own)
      completed[id(w, i)] = known[size_t(w)];
    leave(lanes[size_t(queueAt(i))], i, worker, known);
  }
  return completed;
}

std::vector<int> Order::firstAfter(int worker, Queue queue) const {
  const size_t workers = partitioned.workers.size();
  const auto least = [](int a, int b) { return std::min(a, b); };
  std::vector<int> after(size, count), starts, told;
  std::vector<std::vector<int>> lanes[queueCount];
  for (auto &each : lanes)
    each.assign(doers.size(), std::vector<int>(workers, count));
  for (int i = count; i-- > 0;) {
    const std::vector<int> &own = set(i).workers;
    // What each worker's instruction comes before, or is.
    starts.assign(workers, count);
    for (int w : own)
      starts[size_t(w)] = after[id(w, i)];
    join(lanes[size_t(queueAt(i))], i, starts, least);
    for (int w : own)
      after[id(w, i)] = starts[size_t(w)];
    if (does(worker, i) && queueAt(i) == queue)
      starts[size_t(worker)] = i;
    leave(lanes[size_t(queueAt(i))], i, worker, starts);
    // What this instruction waits for has completed when it starts.
    for (const Wait wait : partitioned.program.instructions[size_t(i)].waits) {
      const int what = wait.instruction;
      told.assign(workers, count);
      for (int w : own)
        if (surely(w, i, worker))
          told[size_t(w)] = starts[size_t(w)];
      spread(told, wait.steps, least);
      for (int w : set(what).workers) {
        int &first = after[id(w, what)];
        first = least(first, told[size_t(w)]);
        if (implies(what, i) && set(i).place[size_t(w)] >= 0)
          first = least(first, starts[size_t(w)]);
      }
    }
  }
  return after;
}
