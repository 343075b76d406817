// What is in a plan, for a person to read.
#ifndef SMEX_RUNTIME_PLAN_INSPECT_H
#define SMEX_RUNTIME_PLAN_INSPECT_H

#include "runtime/plan/Plan.h"
#include "runtime/plan/Totals.h"

namespace smex::plan {

struct InspectOptions {
  int tensors = 10; // the largest so many
  int nodes = 10;   // those that move most bytes
};

/// Model, totals, search, GPUs, largest tensors and how they are cut, and the
/// nodes that communicate most.
std::string inspect(const Plan &plan, const InspectOptions &options = {});

/// The program of one worker, one line per instruction.
std::string listing(const Partitioned &partitioned, int worker);

} // namespace smex::plan

#endif
