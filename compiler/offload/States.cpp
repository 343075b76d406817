#include "compiler/offload/States.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

namespace {

template <typename Use> void forEach(uint64_t bits, size_t word, Use &&use) {
  for (; bits; bits &= bits - 1)
    use(int(word * 64) + __builtin_ctzll(bits));
}

} // namespace

States::States(const Problem &problem, bool anyOrder, bool ahead, int mostAgain)
    : problem(problem), anyOrder(anyOrder), ahead(ahead), mostAgain(mostAgain),
      count(int(problem.operations.size())), uses(problem),
      next(nextValues(problem)), writers(writersOf(problem)),
      costAgain(costsAgain(problem)), readers(problem.tensors.size()),
      firstReader(problem.tensors.size(), count),
      lastReader(problem.tensors.size(), -1), lastAgain(lastReader),
      until(problem.operations.size(), count) {
  for (int o = 0; o < count; ++o)
    for (int t : problem.operations[size_t(o)].reads) {
      firstReader[size_t(t)] = std::min(firstReader[size_t(t)], o);
      lastReader[size_t(t)] = o;
      if (anyOrder)
        readers[size_t(t)] |= uint64_t(1) << o;
    }
  for (int o = count; o-- > 0;) {
    const Operation &op = problem.operations[size_t(o)];
    if (op.again < 0)
      continue;
    anyAgain = true;
    for (int t : op.reads)
      if (next[size_t(t)] >= 0)
        until[size_t(o)] =
            std::min(until[size_t(o)], writers[size_t(next[size_t(t)])]);
    const auto result = size_t(op.writes.front());
    const int last = std::min(until[size_t(o)],
                              std::max(lastReader[result], lastAgain[result]));
    for (int t : op.reads)
      lastAgain[size_t(t)] = std::max(lastAgain[size_t(t)], last);
  }
  if (!anyOrder)
    for (int after = -1; after < count; ++after) {
      wanted.emplace_back(problem.tensors.size() / 64 + 1);
      useful.emplace_back(wanted.back().size());
      for (int t = 0; t < int(problem.tensors.size()); ++t)
        if (lastReader[size_t(t)] > after && writers[size_t(t)] <= after)
          add(wanted.back(), t);
      for (int t = 0; t < int(problem.tensors.size()); ++t)
        if (std::max(lastReader[size_t(t)], lastAgain[size_t(t)]) > after)
          add(useful.back(), t);
    }
}

template <typename Use>
void States::forEachAway(const State &state, int after, Use &&use) const {
  const Set &set = wanted[size_t(after + 1)];
  for (size_t word = 0; word < set.size(); ++word)
    forEach(set[word] & ~state.onDevice[word], word, use);
}

bool States::isNeeded(int t, const State &before, int after) const {
  if (!anyOrder)
    return lastReader[size_t(t)] > after;
  uint64_t left = readers[size_t(t)] & ~before.done;
  if (after >= 0)
    left &= ~(uint64_t(1) << after);
  return left != 0;
}

bool States::isUseful(int t, const State &before, int after) const {
  return isNeeded(t, before, after) ||
         (!anyOrder && lastAgain[size_t(t)] > after);
}

bool States::isRead(int t, const State &before, int operation) const {
  return anyOrder ? (readers[size_t(t)] & before.done) != 0
                  : firstReader[size_t(t)] < operation;
}

bool States::isReady(const State &state, int operation) const {
  if (state.done >> operation & 1)
    return false;
  for (int t : problem.operations[size_t(operation)].reads)
    if (writers[size_t(t)] >= 0 && !(state.done >> writers[size_t(t)] & 1))
      return false;
  return true;
}

int States::placeOf(const State &state, int t) const {
  const int of = tensor(t).start == Start::Either ? t : tensor(t).nextOf;
  return of < 0 || has(state.fromHost, of) ? -1 : of;
}

bool States::keepsPlace(const State &state, int t) const {
  const int of = placeOf(state, t);
  return of >= 0 && tensor(of).keepsPlace;
}

State States::first() const {
  State state;
  const size_t words = problem.tensors.size() / 64 + 1;
  state.onDevice.resize(words);
  state.onHost.resize(words);
  state.fromHost.resize(words);
  state.used.resize(size_t(problem.memories()));
  for (int t = 0; t < int(problem.tensors.size()); ++t) {
    const bool isOfUse = isUseful(t, state, -1);
    switch (tensor(t).start) {
    case Start::Nowhere:
      break;
    case Start::Host:
      if (isOfUse)
        add(state.onHost, t);
      break;
    case Start::Either:
      if (isOfUse || tensor(t).keepsPlace)
        place(state, t);
      break;
    case Start::Device:
      state.cost += tensor(t).toHost ? tensor(t).moved : 0;
      if (isOfUse)
        place(state, t);
      break;
    }
  }
  return state;
}

void States::place(State &state, int t) const {
  add(state.onDevice, t);
  for (size_t m = 0; m < state.used.size(); ++m)
    state.used[m] += tensor(t).bytes[m];
}

void States::leave(State &state, int t) const {
  remove(state.onDevice, t);
  for (size_t m = 0; m < state.used.size(); ++m)
    state.used[m] -= tensor(t).bytes[m];
}

void States::clear(State &state, int t) const {
  if (has(state.onDevice, t))
    leave(state, t);
  remove(state.onHost, t);
}

void States::clearUseless(State &state, int after) const {
  const Set &set = useful[size_t(after + 1)];
  for (size_t word = 0; word < set.size(); ++word)
    forEach((state.onDevice[word] | state.onHost[word]) & ~set[word], word,
            [&](int t) {
              if (!keepsPlace(state, t))
                clear(state, t);
            });
}

/// What it costs that it starts on the host after all: it is loaded before it
/// is read first, and its next value is stored.
int64_t States::costFromHost(int t, const State &before, int operation) const {
  const bool isStored = next[size_t(t)] >= 0 && !problem.writesAll;
  return tensor(t).moved *
         (int64_t(isRead(t, before, operation)) + int64_t(isStored));
}

int64_t States::costToHost(const State &state, int t, int operation) const {
  if (const int of = placeOf(state, t); of >= 0)
    return costFromHost(of, state, operation);
  return has(state.onHost, t) || tensor(t).toHost ? 0 : tensor(t).moved;
}

void States::copyToHost(State &state, int t, int operation) const {
  state.cost += costToHost(state, t, operation);
  if (const int of = placeOf(state, t); of >= 0)
    add(state.fromHost, of);
  add(state.onHost, t);
}

void States::goToHost(State &state, int t, int operation) const {
  copyToHost(state, t, operation);
  leave(state, t);
}

bool States::mayForget(const State &state, int t, int after) const {
  if (problem.mayMove(t) && (has(state.onHost, t) || tensor(t).toHost))
    return false;
  if (placeOf(state, t) >= 0)
    return !keepsPlace(state, t) && !isNeeded(t, state, after);
  return costAgain[size_t(t)] >= 0 || !isNeeded(t, state, after);
}

/// `most`: so many more may be computed again, beside those `counted`.
bool States::canCome(const State &state, int t, int operation, int at,
                     int &most) const {
  if (isThere(state, t) || has(counted, t))
    return true;
  const int by = writers[size_t(t)];
  if (by <= at || costAgain[size_t(t)] < 0 || until[size_t(by)] < operation ||
      most == 0)
    return false;
  --most;
  add(counted, t);
  for (int read : problem.operations[size_t(by)].reads)
    if (!canCome(state, read, operation, at, most))
      return false;
  return true;
}

bool States::canCome(const State &state, int t, int operation, int at) const {
  if (isThere(state, t))
    return true;
  counted.assign(state.onDevice.size(), 0);
  int most = count;
  return canCome(state, t, operation, at, most);
}

bool States::canGoOn(const State &state, int after) const {
  bool can = true;
  forEachAway(state, after, [&](int t) {
    if (!can || isThere(state, t))
      return;
    counted.assign(state.onDevice.size(), 0);
    int most = mostAgain;
    can = canCome(state, t, ahead ? after + 1 : uses.nextFrom(t, after + 1), -1,
                  most);
  });
  return can;
}

/// What could run again for the tensor to be there.
void States::missing(const State &state, int t, int operation, int at,
                     std::vector<bool> &found) const {
  if (has(state.onDevice, t))
    return;
  const int by = writers[size_t(t)];
  if (by <= at || costAgain[size_t(t)] < 0 || until[size_t(by)] < operation ||
      found[size_t(by)] ||
      (has(state.onHost, t) && tensor(t).moved <= costAgain[size_t(t)]))
    return;
  found[size_t(by)] = true;
  for (int read : problem.operations[size_t(by)].reads)
    missing(state, read, operation, at, found);
}

std::vector<int> States::toRunAgain(const State &state, int operation,
                                    int at) const {
  std::vector<int> list;
  std::vector<bool> found(static_cast<size_t>(operation), ahead);
  if (!ahead)
    for (int t : problem.operations[size_t(operation)].reads)
      missing(state, t, operation, at, found);
  for (int o = at + 1; o < operation; ++o) {
    const Operation &op = problem.operations[size_t(o)];
    if (!found[size_t(o)] || op.again < 0 || until[size_t(o)] < operation)
      continue;
    const int result = op.writes.front();
    const bool isForNothing =
        has(state.onDevice, result) ||
        !isUseful(result, state, operation - 1) ||
        (has(state.onHost, result) && tensor(result).moved <= op.again);
    if (!isForNothing && std::all_of(op.reads.begin(), op.reads.end(),
                                     [&](int t) { return isThere(state, t); }))
      list.push_back(o);
  }
  return list;
}

int64_t States::owedFor(const State &state, int t) const {
  if (has(state.onDevice, t) || has(counted, t))
    return 0;
  add(counted, t);
  const int64_t again = costAgain[size_t(t)];
  if (has(state.onHost, t))
    return again >= 0 ? std::min(again, tensor(t).moved) : tensor(t).moved;
  if (again < 0)
    return 0;
  int64_t cost = again;
  for (int read : problem.operations[size_t(writers[size_t(t)])].reads)
    cost += owedFor(state, read);
  return cost;
}

int64_t States::owed(const State &state, int after) const {
  int64_t cost = 0;
  if (anyOrder) {
    for (int t = 0; t < int(problem.tensors.size()); ++t)
      if (has(state.onHost, t) && !has(state.onDevice, t) &&
          isNeeded(t, state, after))
        cost += tensor(t).moved;
    return cost;
  }
  counted.assign(state.onDevice.size(), 0);
  forEachAway(state, after, [&](int t) { cost += owedFor(state, t); });
  return cost;
}

/// Of a tensor that is on one of the two sides of one of them.
int64_t States::becomingOf(int t, const State &from, const State &to) const {
  const bool isThere = has(from.onDevice, t), isToBe = has(to.onDevice, t),
             isCopied = has(from.onHost, t), isToBeCopied = has(to.onHost, t);
  if (!isThere && !isCopied) {
    // It may have started on the host, and be needed no more.
    const int of = tensor(t).nextOf >= 0 ? tensor(t).nextOf : t;
    return has(from.fromHost, of) && !has(to.fromHost, of) ? 0 : -1;
  }
  int64_t cost = isToBe && !isThere ? tensor(t).moved : 0;
  if (isToBeCopied && !isCopied && !tensor(t).toHost)
    cost += tensor(t).moved;
  return cost;
}

int64_t States::becoming(const State &from, const State &to, int after) const {
  int64_t cost = 0;
  Set apart(from.onDevice.size()); // what has been counted
  for (size_t word = 0; word < from.onDevice.size(); ++word)
    forEach(to.fromHost[word] & ~from.fromHost[word], word, [&](int t) {
      const int there = has(from.onDevice, t) ? t : next[size_t(t)];
      if (there < 0 || !has(from.onDevice, there))
        return; // an input that nothing reads any more
      cost += costFromHost(t, from, after + 1);
      add(apart, there);
    });
  for (size_t word = 0; word < from.onDevice.size(); ++word) {
    const uint64_t differ = ((from.onDevice[word] ^ to.onDevice[word]) |
                             (from.onHost[word] ^ to.onHost[word])) &
                            (to.onDevice[word] | to.onHost[word]) &
                            ~apart[word];
    bool isPossible = true;
    forEach(differ, word, [&](int t) {
      const int64_t more = becomingOf(t, from, to);
      isPossible &= more >= 0;
      cost += more;
    });
    if (!isPossible)
      return -1;
  }
  return cost;
}
