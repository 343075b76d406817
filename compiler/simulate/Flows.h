// Flows that share links: each is a fluid that runs at a rate, and rates are
// max-min fair. No flow can get more without taking from one that has no more
// than it; they change only when a flow starts or ends.
#ifndef SMEX_COMPILER_SIMULATE_FLOWS_H
#define SMEX_COMPILER_SIMULATE_FLOWS_H

#include <vector>

namespace smex::simulate {

class Flows {
public:
  /// Bytes per second of each resource.
  explicit Flows(std::vector<double> capacities);

  /// From now on. `resources`, which must not be empty, stays alive until the
  /// flow has ended.
  void start(int id, const std::vector<int> &resources, double bytes);

  /// When the next flow ends; infinity if there is none.
  double nextEnd();
  /// Moves on to `time`, not after nextEnd(), and appends the flows that have
  /// ended, in the order in which they started.
  void advance(double time, std::vector<int> &ended);

private:
  struct Flow {
    int id;
    const std::vector<int> *resources;
    double left, rate = 0;
  };
  void shareOut();

  std::vector<Flow> flows;
  std::vector<double> capacities;
  double now = 0, end = 0;
  bool changed = true;
  // Scratch of shareOut, by resource.
  std::vector<double> free;
  std::vector<int> users;
};

} // namespace smex::simulate

#endif
