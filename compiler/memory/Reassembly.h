// Buffers put together into few boxes, and taken apart again where that was
// wrong.
//
// A full rectangle of memory and time that was cut into buffers is one box
// again if each was put together with the right ones. Where sizes are alike,
// several fit, and one wrong choice keeps all that is around it apart: then
// boxes are left that fit nowhere. So what is put together first is what much
// else follows from (Evidence.cpp). And then each box that is left asks for
// what it lacks: something of its size before or after it, of its life beside
// it, perhaps deep in another box. That is taken out, with all around it, and
// what is outer then is put together anew, the least likely coincidences first.
// What lost its place so asks next, and so on. If more boxes are left in the
// end, all of that is undone, but for a few times (simulated annealing). So
// each try costs what a box is deep, not what there is.
//
// The same every time: it counts steps, not time.
#ifndef SMEX_COMPILER_MEMORY_REASSEMBLY_H
#define SMEX_COMPILER_MEMORY_REASSEMBLY_H

#include "compiler/memory/BoxForest.h"

#include <queue>
#include <random>

namespace smex::memory {

class Reassembly : private BoxForest {
public:
  Reassembly(const std::vector<Allocation> &buffers, int64_t alignment,
             const std::vector<Allocation> &gaps = {});

  /// Puts together what fits: with care in so many steps, and the rest however
  /// many that takes.
  void build(int64_t steps);

  /// Mends what was put together, until one box is left or after so many steps.
  void mend(int64_t steps);

  /// Another seed mends in another way.
  void reseed(unsigned seed) { random.seed(seed); }

  using BoxForest::offsets;
  using BoxForest::outer;
  using BoxForest::outerCount;
  using BoxForest::steps;

private:
  /// Two or five outer boxes that fit.
  struct Fit {
    Kind kind;
    Parts parts{};
    /// Of two that fit if there is a filler: between them in time, or else
    /// above the smaller, or before or after the shorter one. Of a wheel: in
    /// the place of the part that is -1.
    bool hasFiller = false;
    double chance = 0; // how many such there are that do not belong together
    std::array<unsigned, 5> made{}; // of the parts

    bool operator<(const Fit &other) const { return chance > other.chance; }
  };
  struct Gap {
    int lower, upper; // numbers of times
    int64_t size;
  };

  // Fits.cpp: what fits, and how likely that is by chance.
  bool isOneEdge(int time);
  double alikeByChance(int lower, int upper);
  bool hasLife(int lower, int upper, int butA, int butB);
  double chanceOf(const Fit &fit);
  Gap gapOf(const Fit &fit) const;
  void propose(Fit fit);
  void proposeIfRoom(const Fit &fit);
  void proposeFor(int box);
  void proposeFilled(int box);

  // Wheels.cpp: five around each other, or four around free space.
  template <typename Visit>
  void forNear(int box, List starts, List ends, size_t most, Visit visit) const;
  void findWheelsAround(int centre, bool amongAll, std::vector<Parts> &found);
  /// Those with the box, among outer boxes or all.
  void findWheels(int box, bool amongAll, std::vector<Parts> &found);
  void findTornWheelsAround(int centre);
  void findTornWheelsWithout(int left);
  void findTornWheels(int box);

  // Evidence.cpp: what is put together since much else follows from it.
  struct Care;
  void lookAround();
  void lookEverywhere();
  std::vector<Fit> takeFits();
  double applySure(double chance);
  bool isConfirmed(const Care &care, double weight, int depth,
                   const std::vector<Fit> &known, int &tries);
  size_t confirm(const Care &care);
  void putTogetherCarefully(int64_t steps);

  // Reassembly.cpp: what is put together, and what is taken apart.
  bool isThere(const Fit &fit) const;
  void apply(const Fit &fit);
  void putTogether();
  bool askForWheel(int box);
  bool ask(int box);
  void disturb(int box);
  void clear(int box);
  void shake(int box);
  /// Shakes, at a temperature that falls to the lowest.
  void anneal(double temperature, int64_t steps);
  int64_t below(int64_t end) { return int64_t(random() % uint64_t(end)); }

  std::vector<int64_t> sizes; // of buffers, sorted
  std::priority_queue<Fit> fits;
  std::mt19937_64 random{1};
  double noise = 0; // of chances
};

} // namespace smex::memory

#endif
