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

class Cost {
public:
  /// The program has passed plan::validate(). `lists`: what is known of each of
  /// its buffers, or nothing at all.
  Cost(const plan::Partitioned &partitioned, const Machine &machine,
       const analysis::KnownLists &lists = {});

  /// Whether the worker has anything to do.
  bool hasWork(int worker, int instruction) const;
  /// A compute: launch + the longer of arithmetic and memory. One that a
  /// library does with the product before it takes no time of its own.
  double computeSeconds(int worker, int instruction) const;
  /// What a fetch or reduce takes besides its flows: a launch, and its own
  /// pieces read and written.
  double localSeconds(int worker, int instruction) const;

private:
  /// Instructions that do the same of the same lists share what is found.
  void findTerms(const analysis::KnownLists &lists);
  int64_t elementBytes(int buffer) const;
  bool isDoneBefore(int worker, int map) const;

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
