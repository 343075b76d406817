// How long one GPU takes for what it does alone, from the lambdas and regions
// of a plan.
#ifndef SMEX_COMPILER_SIMULATE_COST_H
#define SMEX_COMPILER_SIMULATE_COST_H

#include "compiler/simulate/KernelTime.h"
#include "dialects/tdl/analysis/CountedTerms.h"
#include "runtime/plan/Subject.h"

#include <map>

namespace smex::simulate {

using machines::Machine;

/// What a kernel asks of its GPU, after its launch: so many seconds where it
/// has the memory for itself, and in them so many bytes from memory and to it.
struct Demand {
  double seconds = 0, bytes = 0;
};

class Cost {
public:
  /// The program has passed plan::validate(). `lists`: what is known of each of
  /// its buffers, or nothing at all.
  Cost(const plan::Partitioned &partitioned, const Machine &machine,
       const analysis::KnownLists &lists = {});

  /// Whether the worker has anything to do.
  bool hasWork(int worker, int instruction) const;
  /// Whether a library does a compute with the product before it, in one call:
  /// it is not launched, and takes no time of its own.
  bool isDoneBefore(int worker, int map) const;
  /// Of a compute that is launched: the longer of arithmetic and memory.
  Demand compute(int worker, int instruction) const;
  /// Of a fetch or reduce, besides its flows: its own pieces, read and written.
  Demand local(int worker, int instruction) const;

private:
  /// Instructions that do the same of the same lists share what is found.
  void findTerms(const analysis::KnownLists &lists);
  int64_t elementBytes(int buffer) const;

  const plan::Program &program;
  const Machine &machine;
  plan::Findings findings;
  plan::Subject subject;
  std::vector<KernelTime> kernels;
  /// Per instruction; null where no list says which terms count.
  std::vector<std::shared_ptr<const analysis::CountedTerms>> terms;
  std::vector<int> epilogues; // per instruction, its own, or -1
  /// Per instruction that is one, and worker.
  std::map<int, std::vector<bool>> doneBefore;
};

} // namespace smex::simulate

#endif
