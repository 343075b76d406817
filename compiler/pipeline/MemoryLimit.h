// --memory-per-gpu: a limit that the plan keeps. Where the first one does not,
// other searches are tried; of the plans that keep it, the one that moves least
// is taken, and where none does, all are refused with what they would take.
#ifndef SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H
#define SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H

#include "compiler/emit/Kernels.h"
#include "compiler/partition/Alternatives.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/Totals.h"

#include <functional>

namespace smex::pipeline {

/// "12GiB", "500MB", "4096": bytes. An error for what is no size.
Result<int64_t> parseSize(const std::string &text);

/// What one search comes to.
struct Candidate {
  partition::Search by;
  plan::Partitioned partitioned;
  plan::SearchInfo search;
  plan::Totals totals;
  emit::KernelTable kernels;

  int64_t peak() const;
};

struct Chosen {
  Candidate candidate;
  int64_t tried = 1, fitting = 1; // plans
};

/// `first` if its peak keeps the limit; else the best of `others`. An error
/// says the smallest limit that one of them keeps, and the largest of what is
/// in its memory at the worst moment. A search that fails counts as none.
Result<Chosen> withinMemory(
    Candidate first, int64_t limit, const std::string &model,
    const std::vector<partition::Search> &others,
    const std::function<Result<Candidate>(const partition::Search &)> &attempt);

} // namespace smex::pipeline

#endif
