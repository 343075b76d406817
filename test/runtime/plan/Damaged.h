// Saved plans with one thing changed, and what the loader says of them.
#ifndef SMEX_TEST_RUNTIME_PLAN_DAMAGED_H
#define SMEX_TEST_RUNTIME_PLAN_DAMAGED_H

#include "runtime/plan/Json.h"
#include "test/runtime/plan/Examples.h"

namespace smex::plan {

/// What loading says, or "loaded".
std::string errorOf(const std::string &directory);

/// The plan's folder, in `folder`. If it cannot be saved, the test fails.
std::string saved(const TemporaryFolder &folder,
                  const Plan &plan = twoWorkers());

/// Another value in one of the plan's files.
struct Change {
  const char *file, *pointer; // of JSON, as RFC 6901 has it
  Json value;
  const char *says; // a part of the error
};

/// Checks that each change alone is refused, as it says, by an error that
/// begins with the plan's folder.
void checkRefused(const Plan &plan, const std::vector<Change> &changes);

} // namespace smex::plan

#endif
