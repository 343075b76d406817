#include "compiler/offload/Search.h"
#include "compiler/offload/Uses.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::offload;

namespace {

/// A tensor that no operation between two of its uses needs.
struct Gap {
  int tensor;
  int first, last; // operations over which it could be away
  /// What going away costs at least: a load each time, and a store once, since
  /// `life`, the first operation that it could have been there for; or only to
  /// be computed again each time.
  int64_t load, store;
  int life;
  /// Both, and one load more, once, as it has started on the host then, or the
  /// tensor has whose next value it is.
  int64_t all;
};

/// What a tensor that starts at either place costs for starting on the host.
int64_t firstLoad(const Problem &problem, const Uses &uses, int tensor) {
  const Tensor &what = problem.tensors[size_t(tensor)];
  return what.start == Start::Either && uses.of(tensor).back() >= 0 ? what.moved
                                                                    : 0;
}

std::vector<Gap> gapsOf(const Problem &problem, const Uses &uses) {
  const std::vector<int> next = nextValues(problem);
  const std::vector<int64_t> costs = costsAgain(problem);
  const std::vector<int> writers = writersOf(problem);
  std::vector<Gap> gaps;
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    const Tensor &tensor = problem.tensors[t];
    const int64_t again = costs[t];
    const bool isMoved = problem.mayMove(int(t));
    if (!isMoved && again < 0)
      continue;
    const int64_t back = again < 0 ? tensor.moved
                         : isMoved ? std::min(again, tensor.moved)
                                   : again;
    const std::vector<int> &list = uses.of(int(t));
    // A tensor that begins on the host is loaded once whatever happens; that
    // counts elsewhere.
    const size_t begin = tensor.start == Start::Host ? 1 : 0;
    const bool isStored =
        tensor.start == Start::Either
            ? next[t] >= 0 && !problem.writesAll
            : !tensor.toHost &&
                  (tensor.start == Start::Device ||
                   (tensor.start == Start::Nowhere && !problem.writesAll));
    // A tensor and its next value are stored once, if one of them goes away.
    const int life =
        tensor.nextOf >= 0 || list.empty() ? 0 : std::max(list.front(), 0);
    // However often it goes, once at least by moves, or always without.
    int64_t store = isStored ? tensor.moved : 0;
    if (again >= 0)
      store = std::min(store, again - back);
    const int64_t start =
        firstLoad(problem, uses, tensor.nextOf >= 0 ? tensor.nextOf : int(t));
    for (size_t i = begin; i + 1 < list.size(); ++i)
      if (list[i] + 1 < list[i + 1])
        gaps.push_back({int(t), list[i] + 1, list[i + 1] - 1, back, store, life,
                        back + store + // that load itself, or one more
                            (list[i] < 0 ? 0 : start)});
    // A next value is there until the end, and so is a parameter's place,
    // unless its next value takes it.
    const int until = !tensor.keepsPlace || next[t] < 0
                          ? int(problem.operations.size())
                          : writers[size_t(next[t])];
    if ((tensor.nextOf >= 0 || tensor.keepsPlace) && list.back() + 1 < until)
      gaps.push_back(
          {int(t), list.back() + 1, until - 1, 0, store, life, store + start});
  }
  return gaps;
}

class Bound {
public:
  explicit Bound(const Problem &problem)
      : problem(problem), uses(problem), gaps(gapsOf(problem, uses)),
        own(needed(problem)) {}

  /// Loads and stores can each be counted at moments of their own, loads at
  /// more of them; or all that is away pays for, at the same moments.
  int64_t bytes() const {
    return compulsory(problem) +
           std::max(most(&Gap::load) + most(&Gap::store), most(&Gap::all));
  }

private:
  using Cost = int64_t Gap::*;

  /// Over moments that no gap, or, where stores count, no whole life of a
  /// tensor, spans twice.
  int64_t most(Cost cost) const {
    const auto count = int(problem.operations.size());
    std::vector<int> since; // the first operation that something spans, too
    for (int o = 0; o < count; ++o)
      since.push_back(o);
    std::vector<std::vector<const Gap *>> at(since.size());
    for (const Gap &gap : gaps) {
      const int first = cost == &Gap::load ? gap.first : gap.life;
      for (int o = gap.first; o <= gap.last; ++o) {
        at[size_t(o)].push_back(&gap);
        since[size_t(o)] = std::min(since[size_t(o)], first);
      }
    }
    std::vector<int64_t> best(size_t(count) + 1);
    for (int o = 0; o < count; ++o)
      best[size_t(o) + 1] =
          std::max(best[size_t(o)], best[size_t(since[size_t(o)])] +
                                        lackingAt(o, at[size_t(o)], cost));
    return best.back();
  }

  /// What has no room at that moment, by what moves least for its bytes.
  int64_t lackingAt(int operation, std::vector<const Gap *> there,
                    Cost costOf) const {
    int64_t most = 0;
    for (size_t m = 0; m < problem.capacities.size(); ++m) {
      const auto bytes = [&](const Gap *gap) {
        return problem.tensors[size_t(gap->tensor)].bytes[m];
      };
      const auto cost = [&](const Gap *gap) { return gap->*costOf; };
      double lacking =
          double(own[size_t(operation)][m] - problem.capacities[m]);
      for (const Gap *gap : there)
        lacking += double(bytes(gap));
      std::sort(there.begin(), there.end(), [&](const Gap *a, const Gap *b) {
        return double(cost(a)) * double(bytes(b)) <
               double(cost(b)) * double(bytes(a));
      });
      double least = 0;
      for (const Gap *gap : there) {
        if (lacking <= 0)
          break;
        if (bytes(gap) == 0)
          continue;
        const double part = std::min(lacking, double(bytes(gap)));
        least += part / double(bytes(gap)) * double(cost(gap));
        lacking -= part;
      }
      // Of whole tensors, at least the next whole number.
      most = std::max(most, int64_t(std::ceil(least - 1e-6)));
    }
    return most;
  }

  const Problem &problem;
  Uses uses;
  std::vector<Gap> gaps;
  std::vector<std::vector<int64_t>> own; // what operations need
};

} // namespace

int64_t smex::offload::compulsory(const Problem &problem) {
  std::vector<bool> isRead(problem.tensors.size()), isWritten(isRead);
  for (const Operation &op : problem.operations) {
    for (int t : op.reads)
      isRead[size_t(t)] = true;
    for (int t : op.writes)
      isWritten[size_t(t)] = true;
  }
  int64_t bytes = 0;
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    const Tensor &tensor = problem.tensors[t];
    if (tensor.start == Start::Host) {
      bytes += isRead[t] ? tensor.moved : 0;
      continue;
    }
    const bool isStored = tensor.toHost || (problem.writesAll && isWritten[t]);
    bytes += isStored ? tensor.moved : 0;
  }
  return bytes;
}

int64_t smex::offload::lowerBound(const Problem &problem) {
  return Bound(problem).bytes();
}
