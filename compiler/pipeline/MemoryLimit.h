// --memory-per-gpu: a limit that a plan keeps, or is refused with what it would
// take.
#ifndef SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H
#define SMEX_COMPILER_PIPELINE_MEMORYLIMIT_H

#include "runtime/plan/Plan.h"

namespace smex::pipeline {

/// "12GiB", "500MB", "4096": bytes. An error for what is no size.
Result<int64_t> parseSize(const std::string &text);

/// An error where a GPU's peak exceeds the limit: the smallest limit that the
/// plan keeps, and the largest of what is in memory at the worst moment.
Status checkMemoryLimit(const plan::Plan &plan, int64_t limit);

} // namespace smex::pipeline

#endif
