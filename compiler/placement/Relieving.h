// One round of Overflow.h: on one schedule, and with memory over time as it is
// while tasks move.
#ifndef SMEX_COMPILER_PLACEMENT_RELIEVING_H
#define SMEX_COMPILER_PLACEMENT_RELIEVING_H

#include "compiler/placement/Knapsack.h"
#include "compiler/placement/Members.h"
#include "compiler/placement/MemoryModel.h"

namespace smex::placement {

class Relieving {
public:
  /// `fixed`: tasks that have moved and stay. Moves change it, and the
  /// placement.
  Relieving(const Problem &problem, const Members &members,
            const Schedule &schedule, Placement &placement,
            std::vector<char> &fixed);

  /// Moves tasks until no device uses more than `limit` bytes, as far as is
  /// possible. Returns how many.
  int64_t run(int64_t limit);

  /// M_pot(n; t) of all tasks that leave together, if any of them does: what
  /// they hold on their device at that moment. Those are outputs that one of
  /// them is the last to read there, their own while they run, and residual
  /// ones.
  int64_t potential(int task, int moment);
  /// Equation 4.5, of all of them: what they take, and what their transfers
  /// to and from other tasks on their device will.
  double moveCost(int task);
  /// The task's union; and if it has residual tasks, those of their readers on
  /// their device, if these are few.
  const std::vector<int> &leavingWith(int task);

private:
  void relieve(int device, int64_t limit);
  /// While too much is used at moments `from` .. `to` - 1.
  void relieveWithin(int device, int64_t limit, int from, int to);
  bool takeAway(int task, int device, int64_t limit, int moment);
  void offer(int task, int moment);

  const Problem &problem;
  const Members &members;
  const Schedule &schedule;
  Placement &placement;
  std::vector<char> &fixed;
  MemoryModel model;
  Knapsack knapsack;        // of unions, by their first tasks
  std::vector<char> denied; // by task: what nothing could take, this round
  std::vector<double> work; // of each device, seconds
  int64_t moved = 0;
  // What leavingWith and potential returned and saw.
  std::vector<int> leaving;
  std::vector<int> stamps;  // by task: the last call that had it
  std::vector<int> counted; // by task: the last call that counted its output
  int stamp = 0;
  std::vector<int> changed;
};

} // namespace smex::placement

#endif
