// What changed between two plans, and what it costs.
#ifndef SMEX_RUNTIME_PLAN_DIFF_H
#define SMEX_RUNTIME_PLAN_DIFF_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

struct Difference {
  bool same = true; // the very same plan, weights apart
  std::string text; // for a person; says so if the plans are the same
};

struct DiffOptions {
  int limit = 20; // of each list, the entries that change most
};

/// Bytes, peaks, tensors cut otherwise, instructions. A tool that compares
/// exits with 0 if `same`, else with 3 (Fault::Difference).
Difference diff(const Plan &before, const Plan &after,
                const DiffOptions &options = {});

} // namespace smex::plan

#endif
