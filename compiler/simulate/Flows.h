// Flows that share links and memories: each is a fluid that runs at a rate, and
// rates are max-min fair. No flow can get more without taking from one that has
// no more than it, but for one that wants no more. They change only when a flow
// starts or ends that shares something with others.
#ifndef SMEX_COMPILER_SIMULATE_FLOWS_H
#define SMEX_COMPILER_SIMULATE_FLOWS_H

#include <limits>
#include <vector>

namespace smex::simulate {

class Flows {
public:
  /// Bytes per second of each resource.
  explicit Flows(std::vector<double> capacities);

  /// From now on, at no more than `most` bytes per second. `resources`, which
  /// must not be empty, stays alive until the flow has ended.
  void start(int id, const std::vector<int> &resources, double bytes,
             double most = std::numeric_limits<double>::infinity());

  /// When the next flow ends; infinity if there is none.
  double nextEnd();
  /// Moves on to `time`, not after nextEnd(), and appends the flows that have
  /// ended, in the order in which they started.
  void advance(double time, std::vector<int> &ended);

private:
  struct Flow {
    int id;
    const std::vector<int> *resources;
    double left, most, rate = 0;
  };
  void shareOut();
  /// A flow that nothing is shared with.
  double rateAlone(const Flow &flow) const;

  std::vector<Flow> flows;
  std::vector<double> capacities;
  std::vector<int> users; // of each resource: flows
  double now = 0, end = std::numeric_limits<double>::infinity();
  bool areRatesKnown = true; // of all flows
  bool isEndKnown = true;
  // Scratch of shareOut, by resource.
  std::vector<double> free;
  std::vector<int> open;
};

} // namespace smex::simulate

#endif
