// What is put together first: that from which much else follows.
//
// Two boxes that fit may do so by chance, and then next to nothing fits what
// they make. If they belong together, more soon fits that is unlikely by
// chance: a box of just this size before or after, or four others around it. So
// each pair is tried, and what then fits for sure, and of the rest a few that
// may fit, one after the other. It stays where all chances together are small
// enough: one wrong pair keeps all that is around it apart, and is hard to find
// later.
#include "compiler/memory/Reassembly.h"

#include <algorithm>
#include <cmath>

using namespace smex::memory;

/// How sure one must be. The first ones are, and leave less for the others to
/// confuse.
struct Reassembly::Care {
  double freely; // a chance that needs nothing else
  double sure;   // one of what follows, that is not asked whether it stays
  double weight; // of all that stays: the sum of -log10 of its chances
  int depth;     // of the tries for one
};

namespace {

/// What is tried after one try, and of all for one.
constexpr size_t kWidth = 8;
constexpr int kTries = 300;
/// Chances that are no evidence at all are not tried.
constexpr double kHopeless = 1.5;
/// Of what was cut from one, fewer are left by what is surest.
constexpr double kMostApart = 0.9;
/// Of one more try, for there are several.
constexpr double kTryWeight = -0.1;

} // namespace

/// Proposes all that fits what became outer.
void Reassembly::lookAround() {
  std::vector<Parts> wheels;
  while (!dirty.empty()) {
    const int x = dirty.back();
    dirty.pop_back();
    if (!boxes[x].exists || boxes[x].parent >= 0)
      continue;
    wheels.clear();
    findWheels(x, false, wheels);
    for (const Parts &parts : wheels)
      propose({Wheel, parts});
    proposeFor(x);
  }
}

void Reassembly::lookEverywhere() {
  fits = {};
  dirty = outers;
  lookAround();
}

/// What is proposed and still there, the least likely by chance first.
std::vector<Reassembly::Fit> Reassembly::takeFits() {
  std::vector<Fit> list;
  for (; !fits.empty(); fits.pop())
    if (isThere(fits.top()))
      list.push_back(fits.top());
  return list;
}

/// Puts together what is at least so sure, and what then is. Gives the weight
/// of that.
double Reassembly::applySure(double chance) {
  double weight = 0;
  while (true) {
    lookAround();
    if (fits.empty() || fits.top().chance > chance)
      return weight;
    const Fit next = fits.top();
    fits.pop();
    if (!isThere(next))
      continue;
    apply(next);
    weight -= std::log10(next.chance);
  }
}

/// Whether enough follows from what was put together just now. If so, that is
/// put together, too. `known` may follow besides what fits now.
bool Reassembly::isConfirmed(const Care &care, double weight, int depth,
                             const std::vector<Fit> &known, int &tries) {
  weight += applySure(care.sure);
  if (weight >= care.weight)
    return true;
  if (depth == 0 || --tries < 0)
    return false;
  std::vector<Fit> next = takeFits();
  std::copy_if(known.begin(), known.end(), std::back_inserter(next),
               [&](const Fit &fit) { return isThere(fit); });
  std::stable_sort(next.begin(), next.end(), [](const Fit &a, const Fit &b) {
    return a.chance < b.chance;
  });
  next.resize(std::min(next.size(), kWidth));
  for (size_t k = 0; k < next.size() && next[k].chance < kHopeless; ++k) {
    const size_t before = changeCount();
    apply(next[k]);
    if (isConfirmed(care, weight - std::log10(next[k].chance) + kTryWeight,
                    depth - 1, {next.begin() + int64_t(k) + 1, next.end()},
                    tries))
      return true;
    undo(before);
    dirty.clear();
    fits = {};
  }
  return false;
}

/// Tries all that fits. Gives how many stay.
size_t Reassembly::confirm(const Care &care) {
  lookEverywhere();
  applySure(care.freely);
  keep();
  lookEverywhere();
  size_t confirmed = 0;
  for (const Fit &fit : takeFits()) {
    if (!isThere(fit))
      continue;
    int tries = kTries;
    apply(fit);
    if (isConfirmed(care, -std::log10(fit.chance), care.depth, {}, tries)) {
      keep();
      ++confirmed;
    } else {
      undo();
    }
    dirty.clear();
    fits = {};
  }
  return confirmed;
}

/// Begins with what is surest, for about so many steps.
void Reassembly::putTogetherCarefully(int64_t steps) {
  constexpr Care kCares[] = {{1e-4, 1e-3, 4, 1}, {1e-4, 1e-3, 3, 3},
                             {1e-4, 1e-2, 3, 3}, {1e-3, 1e-2, 2, 4},
                             {1e-3, 0.03, 1, 4}, {1e-2, 0.03, 0.5, 4}};
  const int64_t until = taken + steps;
  const size_t count = outerCount();
  for (const Care &care : kCares) {
    while (taken < until && confirm(care) > 0) {
    }
    if (outerCount() > kMostApart * double(count))
      break; // nobody cut these
  }
  dirty = outers;
}
