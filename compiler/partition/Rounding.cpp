#include "compiler/partition/Rounding.h"

#include "compiler/partition/DecidedTerms.h"

#include <algorithm>

using namespace smex;
using namespace smex::partition;

namespace {

constexpr int kRounds = 20;

/// So many operators are freed at once.
constexpr size_t kSizes[] = {4, 8, 16, 32, 64};

/// In which they are decided anew: from the first to the last, back, and from
/// the middle of the neighbourhood outward.
enum class Order { Forward, Backward, Outward };
constexpr Order kOrders[] = {Order::Forward, Order::Backward, Order::Outward};

class Rounding {
public:
  Rounding(const TensorTerms &terms, const Charges &charges, int64_t maxWork)
      : all(terms), decided(terms, charges), work(maxWork),
        isListed(terms.histories.size()), isChanged(terms.histories.size()),
        isSeen(terms.terms.size()) {}

  Rounded run(const std::vector<int> *start) {
    if (!decided.isPossible())
      return {};
    for (int op = 0; op < decided.operators(); ++op)
      if (start)
        decided.fix(op, (*start)[op]);
      else
        decided.decide(op);
    bool changed = true;
    for (int round = 0; changed && round < kRounds; ++round) {
      changed = false;
      for (int op = 0; op < decided.operators(); ++op)
        changed |= decided.decideAgain(op);
    }
    decideAround();
    Rounded result{decided.histories(), {}};
    for (int term = 0; term < int(all.terms.size()); ++term)
      result.terms.push_back(decided.moved(term).column);
    return result;
  }

private:
  void decideAround();
  bool decideAround(int center, size_t size, Order order);
  std::vector<int> around(int center, size_t size);
  void noteChange(int op, int before);
  void listNeighbors(int op);
  double gained();

  const TensorTerms &all;
  DecidedTerms decided;
  int64_t work;                             // that is left
  Values bytes;                             // what each term moves
  std::vector<int> queue;                   // operators to be looked at
  std::vector<std::pair<int, int>> changed; // operators, and what they had
  std::vector<std::pair<int, double>> seen; // terms, and what they move now
  std::vector<bool> isListed, isChanged, isSeen;
};

/// Smaller neighbourhoods first, which are looked at in no time; until none of
/// any size, in any order, helps.
void Rounding::decideAround() {
  for (int term = 0; term < int(all.terms.size()); ++term)
    bytes.push_back(decided.moved(term).bytes);
  const size_t sizes = std::size(kSizes), orders = std::size(kOrders);
  size_t inVain = 0;
  for (size_t round = 0; work > 0 && inVain < sizes * orders; ++round) {
    std::vector<std::pair<double, int>> centers;
    for (int term = 0; term < int(all.terms.size()); ++term)
      if (const double excess = decided.excess(term); excess > 0)
        centers.push_back({-excess, term});
    std::sort(centers.begin(), centers.end());
    ++inVain;
    for (const auto &[excess, center] : centers) {
      if (work <= 0)
        break;
      if (decideAround(center, kSizes[round % sizes],
                       kOrders[round / sizes % orders]))
        inVain = 0;
    }
  }
}

/// Says whether less moves. If more would, all stays as it is.
bool Rounding::decideAround(int center, size_t size, Order order) {
  std::vector<int> list = around(center, size);
  if (order != Order::Outward)
    std::sort(list.begin(), list.end());
  if (order == Order::Backward)
    std::reverse(list.begin(), list.end());
  std::vector<int> before;
  for (int op : list) {
    before.push_back(decided.histories()[op]);
    decided.free(op);
  }
  for (int op : list) {
    decided.decide(op);
    work -= 2 * decided.work(op);
  }
  for (size_t i = 0; i < list.size(); ++i)
    if (decided.histories()[list[i]] != before[i])
      noteChange(list[i], before[i]);
  for (size_t i = 0; i < queue.size(); ++i) {
    const int op = queue[i], had = decided.histories()[op];
    isListed[op] = false;
    work -= decided.work(op);
    if (work > 0 && decided.decideAgain(op))
      noteChange(op, had);
  }
  queue.clear();
  const double gain = gained();
  if (gain >= 0)
    for (const auto &[term, now] : seen)
      bytes[term] = now;
  for (const auto &[op, had] : changed) {
    if (gain < 0)
      decided.fix(op, had);
    isChanged[op] = false;
  }
  changed.clear();
  return gain > 0;
}

/// Operators that know the center, then their neighbours: first by tensors that
/// few know.
std::vector<int> Rounding::around(int center, size_t size) {
  std::vector<int> list, terms;
  const auto add = [&](int term) {
    for (const Term::Member &member : all.terms[term].members) {
      if (list.size() == size)
        break;
      if (!isListed[member.op])
        list.push_back(member.op);
      isListed[member.op] = true;
    }
  };
  add(center);
  for (size_t i = 0; i < list.size() && list.size() < size; ++i) {
    terms.clear();
    for (const auto &place : decided.placesOf(list[i]))
      terms.push_back(place.term);
    std::stable_sort(terms.begin(), terms.end(), [&](int a, int b) {
      return all.terms[a].members.size() < all.terms[b].members.size();
    });
    for (int term : terms)
      add(term);
  }
  for (int op : list)
    isListed[op] = false;
  return list;
}

void Rounding::noteChange(int op, int before) {
  if (!isChanged[op])
    changed.push_back({op, before});
  isChanged[op] = true;
  listNeighbors(op);
}

void Rounding::listNeighbors(int op) {
  for (const auto &place : decided.placesOf(op))
    for (const Term::Member &member : all.terms[place.term].members)
      if (!isListed[member.op]) {
        isListed[member.op] = true;
        queue.push_back(member.op);
      }
}

/// How many bytes fewer the changes move.
double Rounding::gained() {
  seen.clear();
  double gain = 0;
  for (const auto &[op, before] : changed)
    for (const auto &place : decided.placesOf(op)) {
      if (isSeen[place.term])
        continue;
      isSeen[place.term] = true;
      seen.push_back({place.term, decided.moved(place.term).bytes});
      gain += bytes[place.term] - seen.back().second;
    }
  for (const auto &[term, now] : seen)
    isSeen[term] = false;
  return gain;
}

} // namespace

Rounded partition::roundCharges(const TensorTerms &terms,
                                const Charges &charges, int64_t maxWork) {
  return Rounding(terms, charges, maxWork).run(nullptr);
}

Rounded partition::improve(const TensorTerms &terms, const Charges &charges,
                           const std::vector<int> &operators, int64_t maxWork) {
  return Rounding(terms, charges, maxWork).run(&operators);
}
