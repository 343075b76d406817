// Plans made by hand, whose times can be worked out on paper. All tensors are
// f32 and one row; the device below has round numbers.
#ifndef SMEX_TEST_COMPILER_SIMULATE_PLANS_H
#define SMEX_TEST_COMPILER_SIMULATE_PLANS_H

#include "compiler/simulate/Simulate.h"

namespace smex::simulate {

/// 1e9 flops/s, 1e9 bytes/s of memory, no launch, no latency.
machines::Device roundDevice();

/// `gpus` GPUs, each linked to one switch at 1000 bytes/s.
Machine star(int gpus, bool duplex = true);

/// Builds a plan instruction by instruction. Every instruction has a buffer of
/// its own, shared by all workers.
class PlanMaker {
public:
  explicit PlanMaker(int workers);

  /// A map over the elements of the worker's row; 0: the worker does nothing.
  /// Reads and writes 4 bytes per element, one flop each.
  int compute(const std::vector<int64_t> &elements);
  /// Worker `to` fetches from each (worker, elements) of the last instruction's
  /// buffer.
  int fetch(const std::map<int, std::vector<std::pair<int, int64_t>>> &pieces);
  /// The instruction waits for an earlier one.
  void wait(int instruction, Wait forWhom);

  plan::Partitioned partitioned;

private:
  int add(plan::Opcode op, const std::vector<int64_t> &elements);
};

/// When the worker's instruction starts and ends; -1 if it does nothing.
std::pair<double, double> timeOf(const Simulation &simulation, int worker,
                                 int instruction);

} // namespace smex::simulate

#endif
