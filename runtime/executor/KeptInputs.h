// Inputs that need not be written anew in each step.
#ifndef SMEX_RUNTIME_EXECUTOR_KEPTINPUTS_H
#define SMEX_RUNTIME_EXECUTOR_KEPTINPUTS_H

#include "runtime/plan/Plan.h"

#include <vector>

namespace smex::runtime {

/// Of each input, whether nothing else that a worker has lies where it does, so
/// that a step leaves it as it was. Where the values stay the same, they are
/// then written once: the features of a large graph are what a step would
/// otherwise copy most of.
std::vector<bool> keptInputs(const plan::Partitioned &partitioned, int worker);

} // namespace smex::runtime

#endif
