#include "compiler/partition/DualAscent.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace smex;
using namespace smex::partition;

namespace {

/// Goes on while so many sweeps together raise the bound by one part in so
/// many.
constexpr int kSweeps = 8;
constexpr int64_t kPart = 1000;

class Ascent {
public:
  Ascent(const TensorTerms &terms, Charges &charges, int64_t maxKept)
      : state(terms, charges, maxKept) {
    for (int op = 0; op < state.operators(); ++op)
      shares.push_back({sharesOf(op, 0), sharesOf(op, 1)});
  }
  Bound run(int64_t enough, int64_t maxWork);

private:
  Values sharesOf(int op, int direction) const;
  bool visit(int op, int direction);

  ChargedTerms state;
  /// Of all costs of an operator, what each of its terms gets, on the way
  /// forward and backward.
  std::vector<std::array<Values, 2>> shares;
  Values total;
  std::vector<Values> gathered;
};

Values Ascent::sharesOf(int op, int direction) const {
  int toCome = 0, come = 0; // terms that know such operators
  double weights = 0;
  Values result;
  for (const auto &[term, member] : state.placesOf(op)) {
    // Members ascend.
    const int before = member;
    const int after = int(state.all.terms[term].members.size()) - 1 - member;
    const int later = direction == 0 ? after : before;
    const int earlier = direction == 0 ? before : after;
    toCome += later > 0;
    come += earlier > 0;
    result.push_back(later);
    weights += later;
  }
  for (double &share : result)
    share *= weights > 0 ? toCome / weights / std::max(toCome, come) : 0;
  return result;
}

/// False, and then nothing more can be done, if numbers get too large.
bool Ascent::visit(int op, int direction) {
  const auto &here = state.placesOf(op);
  Values &rest = state.charges.rest[op];
  total = rest;
  gathered.resize(std::max(gathered.size(), here.size()));
  for (size_t i = 0; i < here.size(); ++i) {
    state.gather(here[i].term, here[i].member, gathered[i]);
    for (size_t h = 0; h < total.size(); ++h)
      total[h] += gathered[i][h];
  }
  rest = total;
  for (size_t i = 0; i < here.size(); ++i) {
    const auto [term, member] = here[i];
    const Values &charges = state.charges.ofTerms[term][member];
    Values &now = gathered[i];
    for (size_t h = 0; h < total.size(); ++h) {
      const double part = std::floor(total[h] * shares[op][direction][i]);
      now[h] = charges[h] + (part - now[h]);
      rest[h] -= part;
      if (!(std::abs(now[h]) <= state.limit))
        return false;
    }
    state.recharge(term, member, now);
  }
  for (double cost : rest)
    if (!(std::abs(cost) <= state.limit))
      return false;
  return true;
}

Bound Ascent::run(int64_t enough, int64_t maxWork) {
  if (state.all.most > state.limit)
    return {0, false, true};
  int64_t best = state.bound(), before = best;
  for (int64_t sweep = 0; best < enough; ++sweep) {
    if (sweep + 1 > maxWork / state.work())
      return {best, true, false};
    const int direction = sweep % 2, operators = state.operators();
    for (int i = 0; i < operators; ++i)
      if (!visit(direction == 0 ? i : operators - 1 - i, direction))
        return {best, false, true};
    best = std::max(best, state.bound());
    if (sweep % kSweeps == kSweeps - 1) {
      if (best - before < before / kPart + 1)
        break;
      before = best;
    }
  }
  return {best, false, false};
}

} // namespace

Bound partition::raiseBound(const TensorTerms &terms, int64_t enough,
                            int64_t maxWork, Charges &charges,
                            int64_t maxKept) {
  return Ascent(terms, charges, maxKept).run(enough, maxWork);
}
