// Proves a plan sound without running it: whatever the timing of its workers,
// they compute what their lambdas say. Every finding is returned, not only the
// first. That all workers come to the end, load() has checked: instructions
// wait for earlier ones only.
//
// What is proven, on every worker and over consecutive steps (the executor has
// a barrier between steps, scatters inputs anew and keeps parameters):
//
// - data: each element read was written, in this step, by an instruction that
//   happens before the read, or is an input's or a parameter's. "Happens
//   before" is what the order of each queue and waits imply, nothing else;
// - memory: from its first write to its last read, on whatever worker the
// reader
//   is, a buffer's bytes belong to it alone. The one exception: a map may write
//   its result over an operand that it reads at the result's own index only;
//   and what GPUs exchange has room in their staging, if need be in rounds;
// - meaning: operands hold the region that the lambda reads; partial results
// are
//   combined from parts that make up the whole range, each once; library
//   kernels do what their lambdas say; outputs are complete; the totals are
//   right;
// - all of this whether a map is done as the epilogue of its product, at the
//   product's place in the list, or after it.
//
// That pieces of a fetch are disjoint and complete, load() has checked.
#ifndef SMEX_RUNTIME_PLAN_CHECK_H
#define SMEX_RUNTIME_PLAN_CHECK_H

#include "runtime/plan/Plan.h"
#include "runtime/plan/Totals.h"

#include <functional>

namespace smex::plan {

enum class FindingKind {
  NotReady, // something is read that was not, or may not have been, written
  Reused,   // a buffer's memory is reused while another worker or queue may use
            // it
  Overlap,  // two live buffers, or a buffer and the workspace, share memory
  Staging,  // too little memory for what GPUs exchange
  Rewritten, // an input, a parameter or an element is written (again)
  Region,    // an operand lacks elements that the lambda reads
  Kept,      // a worker keeps another value than others fill the buffer with
  Reduction, // parts of a reduction that do not make it up, wrong reducer
  Coverage,  // an output or a parameter is not held completely
  Kernel,    // a kernel is not what its lambda says
  Epilogue,  // an instruction that cannot be done with the product it names
  Interface, // the unpartitioned program has other inputs, outputs, parameters
  Totals,    // bytes in plan.json are not those of the program
};

/// "deadlock", "not ready", ...
const char *name(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string message; // names worker, instruction, node and buffer
};

struct CheckOptions {
  /// A broken plan can have millions of findings; of each kind, the first so
  /// many are kept, and a last one says how many there were.
  int limitPerKind = 100;
  /// The compiler's side: generates the code for a target again from the plan's
  /// lambdas. Without it native code is taken on trust.
  std::function<Result<Artifact>(const Plan &, const std::string &target)>
      regenerateKernels;
};

/// The plan passed validate() (load() has done it). Empty: the plan is sound.
std::vector<Finding> check(const Plan &plan, const CheckOptions &options = {});

} // namespace smex::plan

#endif
