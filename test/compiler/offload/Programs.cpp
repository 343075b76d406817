#include "test/compiler/offload/Programs.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

using namespace smex;
using namespace smex::offload;

Problem smex::offload::figure3(int64_t capacity) {
  Problem problem;
  problem.capacities = {capacity};
  problem.writesAll = true;
  enum { H0, G, W1, W2, A, B, H1, DH1, DB, DA };
  const char *names[] = {"h0", "g",  "w1",  "w2", "a",
                         "b",  "h1", "dh1", "db", "da"};
  for (int t = H0; t <= DA; ++t)
    problem.tensors.push_back(
        {names[t], {1}, 1, t <= W2 ? Start::Host : Start::Nowhere});
  problem.operations = {
      {"gather", {H0, G}, {A}},
      {"linear+relu", {A, W1}, {B}},
      {"linear", {B, W2}, {H1}},
      {"softmax", {H1}, {DH1}},
      {"linear backward", {DH1, B, W2}, {DB}},
      {"linear+relu backward", {DB, B, A, W1}, {DA}},
      {"gather backward", {DA, G}, {}},
  };
  return problem;
}

/// Whether a tensor that the operation writes can be the next value of the
/// other.
static bool mayFollow(const Problem &problem, int operation, int tensor,
                      int of) {
  if (!problem.tensors[size_t(of)].keepsPlace)
    return false;
  for (size_t o = size_t(operation) + 1; o < problem.operations.size(); ++o)
    for (int t : problem.operations[o].reads)
      if (t == of)
        return false;
  const Operation &op = problem.operations[size_t(operation)];
  for (int t : op.reads)
    if (t == of && op.over != of)
      return false;
  return problem.tensors[size_t(tensor)].start == Start::Nowhere;
}

Problem smex::offload::randomProblem(std::mt19937 &random) {
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  const auto once = [&](int in) { return draw(1, in) == 1; };
  Problem problem;
  const int memories = once(4) ? 2 : 1;
  problem.writesAll = once(4);
  const bool runsAgain = once(2);
  problem.moves = !runsAgain || !once(4);
  problem.writesAll = problem.writesAll && problem.moves;
  const auto tensor = [&](Start start) {
    Tensor made;
    made.name = "t" + std::to_string(problem.tensors.size());
    for (int m = 0; m < memories; ++m)
      made.bytes.push_back(draw(m == 0 ? 1 : 0, 5));
    made.moved = memories == 1 ? made.bytes[0] : draw(1, 6);
    made.start = start;
    made.toHost = once(6);
    made.toHost = made.toHost && start != Start::Either && problem.moves;
    made.isMovable = start == Start::Host || start == Start::Either || !once(8);
    made.keepsPlace = start == Start::Either && !once(3);
    problem.tensors.push_back(made);
    return int(problem.tensors.size()) - 1;
  };
  const int starting = draw(1, 3), count = draw(3, 5);
  for (int i = 0; i < starting; ++i)
    tensor(once(2)                    ? Start::Either
           : problem.moves && once(2) ? Start::Host
                                      : Start::Device);
  for (int o = 0; o < count; ++o) {
    Operation op;
    op.name = "op" + std::to_string(o);
    for (int i = draw(1, 2); i > 0; --i)
      op.reads.push_back(draw(0, int(problem.tensors.size()) - 1));
    if (problem.tensors.size() < 7)
      op.writes.push_back(tensor(Start::Nowhere));
    if (!op.writes.empty() && once(3))
      op.over = op.reads.front();
    if (!op.writes.empty() && runsAgain && !once(3))
      op.again = draw(0, 6);
    problem.operations.push_back(op);
  }
  std::vector<bool> hasNext(problem.tensors.size());
  for (int o = 0; o < count; ++o)
    for (int t : problem.operations[size_t(o)].writes)
      if (const int of = draw(0, starting - 1);
          once(2) && !hasNext[size_t(of)] && mayFollow(problem, o, t, of)) {
        hasNext[size_t(of)] = true;
        Tensor &next = problem.tensors[size_t(t)];
        next.nextOf = of;
        next.bytes = problem.tensors[size_t(of)].bytes;
        next.moved = problem.tensors[size_t(of)].moved;
        next.isMovable = true;
        next.toHost = false;
        problem.operations[size_t(o)].again = -1;
      }
  for (Operation &op : problem.operations)
    if (op.over >= 0 &&
        (problem.tensors[size_t(op.over)].keepsPlace ||
         problem.tensors[size_t(op.over)].nextOf >= 0) &&
        problem.tensors[size_t(op.writes.front())].nextOf != op.over)
      op.over = -1;
  problem.capacities.assign(size_t(memories), 0);
  for (const std::vector<int64_t> &bytes : needed(problem))
    for (size_t m = 0; m < bytes.size(); ++m)
      problem.capacities[m] = std::max(problem.capacities[m], bytes[m]);
  for (int64_t &capacity : problem.capacities)
    capacity += draw(0, 4);
  return problem;
}

namespace {

struct Situation {
  unsigned done = 0, onDevice = 0, onHost = 0; // bits
  int from = 0; // the first operation that may run again before the next one

  bool operator<(const Situation &other) const {
    return std::tie(done, onDevice, onHost, from) <
           std::tie(other.done, other.onDevice, other.onHost, other.from);
  }
};

class Trying {
public:
  /// `home`: of tensors that start at either place, those that start on the
  /// device; bits.
  Trying(const Problem &problem, bool anyOrder, unsigned home)
      : problem(problem), anyOrder(anyOrder), home(home),
        again(costsAgain(problem)) {}

  int64_t least() {
    Situation start;
    for (size_t t = 0; t < problem.tensors.size(); ++t) {
      const bool isEither = problem.tensors[t].start == Start::Either,
                 isHome = home >> t & 1;
      start.onDevice |= unsigned(problem.tensors[t].start == Start::Device ||
                                 (isEither && isHome))
                        << t;
      start.onHost |= unsigned(problem.tensors[t].start == Start::Host ||
                               (isEither && !isHome))
                      << t;
    }
    reach(start, 0);
    while (!waiting.empty()) {
      const auto [cost, now] = waiting.top();
      waiting.pop();
      if (cost > best.at(now))
        continue;
      if (isEnd(now))
        return cost;
      for (int t = 0; t < int(problem.tensors.size()); ++t)
        move(now, cost, t);
      for (int o = 0; o < int(problem.operations.size()); ++o)
        run(now, cost, o);
    }
    return -1;
  }

private:
  bool isEnd(const Situation &now) const {
    if (now.done + 1 != 1u << problem.operations.size())
      return false;
    for (size_t t = 0; t < problem.tensors.size(); ++t)
      if ((problem.tensors[t].toHost || isToHost(int(t))) &&
          !(now.onHost >> t & 1))
        return false;
    return true;
  }

  /// The next value of what starts on the host.
  bool isToHost(int t) const {
    const int of = problem.tensors[size_t(t)].nextOf;
    return of >= 0 && !(home >> of & 1);
  }

  /// On the device it, or its next value, stays for good.
  bool hasPlace(int t) const {
    const int of = problem.tensors[size_t(t)].nextOf;
    return (of >= 0 && home >> of & 1) ||
           (home >> t & 1 && problem.tensors[size_t(t)].keepsPlace);
  }

  bool isRead(unsigned done, int t) const {
    for (size_t o = 0; o < problem.operations.size(); ++o)
      for (int read : problem.operations[o].reads)
        if (read == t && !(done >> o & 1))
          return true;
    return false;
  }

  int64_t bytes(unsigned set, size_t memory) const {
    int64_t sum = 0;
    for (size_t t = 0; t < problem.tensors.size(); ++t)
      sum += set >> t & 1 ? problem.tensors[t].bytes[memory] : 0;
    return sum;
  }

  void move(Situation now, int64_t cost, int t) {
    const unsigned bit = 1u << t;
    const Tensor &tensor = problem.tensors[size_t(t)];
    if (now.onDevice & bit) {
      Situation stored = now, dropped = now;
      stored.onHost |= bit;
      if (!(now.onHost & bit) && problem.moves)
        reach(stored, cost + tensor.moved);
      dropped.onDevice &= ~bit;
      if (!hasPlace(t) &&
          (problem.mayMove(t) || again[size_t(t)] >= 0 || !isRead(now.done, t)))
        reach(dropped, cost);
    } else if (now.onHost & bit && problem.mayMove(t)) {
      now.onDevice |= bit;
      for (size_t m = 0; m < problem.capacities.size(); ++m)
        if (bytes(now.onDevice, m) > problem.capacities[m])
          return;
      reach(now, cost + tensor.moved);
    }
  }

  /// Whether its next value has been written.
  bool isPast(unsigned done, int t) const {
    for (size_t o = 0; o < problem.operations.size(); ++o)
      for (int written : problem.operations[o].writes)
        if (done >> o & 1 && problem.tensors[size_t(written)].nextOf == t)
          return true;
    return false;
  }

  void run(const Situation &now, int64_t cost, int o) {
    const Operation &op = problem.operations[size_t(o)];
    const bool isAgain = now.done >> o & 1;
    if (isAgain ? op.again < 0 || o < now.from ||
                      now.onDevice >> op.writes.front() & 1
                : !anyOrder && now.done + 1 != 1u << o)
      return;
    for (int t : op.reads)
      if (!(now.onDevice >> t & 1) || isPast(now.done, t))
        return;
    run(now, cost, o, /*takes=*/false);
    const unsigned done = now.done | 1u << o;
    if (op.over >= 0 && (!isRead(done, op.over) || again[size_t(op.over)] >= 0))
      run(now, cost, o, /*takes=*/true);
  }

  /// `takes`: the place of the operand that it may write over, which is gone
  /// then.
  void run(Situation now, int64_t cost, int o, bool takes) {
    const Operation &op = problem.operations[size_t(o)];
    const bool isAgain = now.done >> o & 1;
    const unsigned before = now.onDevice;
    now.done |= 1u << o;
    now.from = isAgain ? o + 1 : 0;
    bool isReplaced = false;
    for (int t : op.writes) {
      const int of = problem.tensors[size_t(t)].nextOf;
      if (of >= 0 && home >> of & 1) {
        now.onDevice &= ~(1u << of);
        isReplaced = true;
      }
      now.onDevice |= 1u << t;
    }
    if (takes && isReplaced)
      return;
    if (takes)
      now.onDevice &= ~(1u << op.over);
    for (size_t m = 0; m < problem.capacities.size(); ++m) {
      int64_t most = bytes(now.onDevice, m);
      if (isReplaced || takes)
        most = std::max(most, bytes(before, m));
      if (most > problem.capacities[m])
        return;
    }
    if (problem.writesAll && !isAgain)
      for (int t : op.writes) {
        now.onHost |= 1u << t;
        cost += problem.tensors[size_t(t)].moved;
      }
    reach(now, cost + (isAgain ? op.again : 0));
  }

  void reach(const Situation &there, int64_t cost) {
    const auto [known, isNew] = best.try_emplace(there, cost);
    if (!isNew && known->second <= cost)
      return;
    known->second = cost;
    waiting.emplace(cost, there);
  }

  struct Later {
    bool operator()(const std::pair<int64_t, Situation> &a,
                    const std::pair<int64_t, Situation> &b) const {
      return a.first > b.first;
    }
  };

  const Problem &problem;
  bool anyOrder;
  unsigned home;
  std::vector<int64_t> again; // costs, by tensor
  std::map<Situation, int64_t> best;
  std::priority_queue<std::pair<int64_t, Situation>,
                      std::vector<std::pair<int64_t, Situation>>, Later>
      waiting;
};

} // namespace

int64_t smex::offload::leastByBruteForce(const Problem &problem,
                                         bool anyOrder) {
  int64_t least = -1;
  std::vector<int> either;
  for (size_t t = 0; t < problem.tensors.size(); ++t)
    if (problem.tensors[t].start == Start::Either)
      either.push_back(int(t));
  const unsigned all = (1u << either.size()) - 1;
  for (unsigned chosen = problem.moves ? 0 : all; chosen <= all; ++chosen) {
    unsigned home = 0;
    for (size_t i = 0; i < either.size(); ++i)
      home |= (chosen >> i & 1) << either[i];
    const int64_t cost = Trying(problem, anyOrder, home).least();
    if (cost >= 0 && (least < 0 || cost < least))
      least = cost;
  }
  return least;
}

Schedule smex::offload::partOf(const std::vector<Joint> &joint,
                               size_t problem) {
  Schedule part;
  for (const Joint &each : joint)
    if (std::count(each.problems.begin(), each.problems.end(), problem))
      part.push_back(each.action);
  return part;
}
