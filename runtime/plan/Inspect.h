// What is in a plan, for a person to read.
#ifndef SMEX_RUNTIME_PLAN_INSPECT_H
#define SMEX_RUNTIME_PLAN_INSPECT_H

#include "runtime/plan/Json.h"
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

/// How far from the least what moves to the host and back is, with what is
/// computed again: ", the least there is", or ", at most 3.1 % above the least;
/// lower bound 1.20 MiB". Empty where the plan does not say.
std::string hostGap(const Plan &plan);
/// "12 of 310 instructions, 0.31 ms per run", and the gap where nothing moves;
/// empty where nothing is computed again.
std::string recomputed(const Plan &plan);

/// The program of one worker, one line per instruction.
std::string listing(const Partitioned &partitioned, int worker);

/// The same for programs, with all that follows from divisions worked out:
/// `arena_bytes`, `staging_bytes`, `workspace`, `buffers` (each a `box`, or
/// null, and an `offset`), and `instructions` as in program.json; what the
/// worker does of one is its `indices`, or its `pieces`, each a `box` and a
/// `worker`, and its `waits`, pairs of a worker and an instruction. {}:
/// nothing. A buffer on the host has a `space`, "host".
Json expanded(const Partitioned &partitioned, int worker);

} // namespace smex::plan

#endif
