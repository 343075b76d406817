#include "compiler/partition/Rounding.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;

namespace {

constexpr int kRounds = 20;
constexpr int64_t kMaxKept = int64_t(1) << 23;

/// Terms of which an operator that is decided is charged so much for all other
/// histories that none of them is chosen.
class Decided {
public:
  Decided(const TensorTerms &terms, Charges charges)
      : charges(std::move(charges)), state(terms, this->charges, kMaxKept),
        operators(terms.histories.size(), -1) {}

  bool isPossible() const { return state.all.most <= state.limit; }

  /// Chooses what costs least, and of what costs the same what was chosen
  /// before. Says whether that is another history.
  bool decide(int op) {
    total.assign(state.all.histories[op], 0);
    const int before = operators[op];
    if (before < 0)
      total = charges.rest[op];
    for (const auto &[term, member] : state.placesOf(op)) {
      state.gather(term, member, gathered);
      for (size_t h = 0; h < total.size(); ++h)
        total[h] += gathered[h];
      if (before >= 0) // what it is charged does not count
        for (size_t h = 0; h < total.size(); ++h)
          total[h] -= charges.ofTerms[term][member][h];
    }
    int best = std::max(before, 0);
    for (int h = 0; h < int(total.size()); ++h)
      if (total[h] < total[best])
        best = h;
    if (best == before)
      return false;
    fix(op, best);
    return true;
  }

  void fix(int op, int history) {
    operators[op] = history;
    for (const auto &[term, member] : state.placesOf(op)) {
      gathered.assign(state.all.histories[op], state.limit);
      gathered[history] = 0;
      state.recharge(term, member, gathered);
    }
  }

  Rounded improved() {
    bool changed = true;
    for (int round = 0; changed && round < kRounds; ++round) {
      changed = false;
      for (int op = 0; op < state.operators(); ++op)
        changed |= decide(op);
    }
    Rounded result{operators, {}};
    for (int term = 0; term < int(state.all.terms.size()); ++term)
      result.terms.push_back(state.leastColumn(term));
    return result;
  }

private:
  Charges charges;
  ChargedTerms state;
  std::vector<int> operators;
  Values total, gathered;
};

} // namespace

Rounded partition::roundCharges(const TensorTerms &terms,
                                const Charges &charges) {
  Decided decided(terms, charges);
  if (!decided.isPossible())
    return {};
  for (int op = 0; op < int(terms.histories.size()); ++op)
    decided.decide(op);
  return decided.improved();
}

Rounded partition::improve(const TensorTerms &terms,
                           const std::vector<int> &operators) {
  Decided decided(terms, {});
  if (!decided.isPossible())
    return {};
  for (int op = 0; op < int(operators.size()); ++op)
    decided.fix(op, operators[op]);
  return decided.improved();
}
