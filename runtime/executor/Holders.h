// Who brings what: a buffer's tensor, put together from the workers' shares.
#ifndef SMEX_RUNTIME_EXECUTOR_HOLDERS_H
#define SMEX_RUNTIME_EXECUTOR_HOLDERS_H

#include "runtime/plan/Plan.h"

namespace smex::runtime {

/// Per worker the boxes that it brings: each element comes from the first
/// worker that holds it.
struct Holders {
  std::vector<std::vector<Box>> boxes;
  std::vector<Box> missing; // what nobody holds
};

Holders holdersOf(const plan::Partitioned &partitioned, int buffer);

} // namespace smex::runtime

#endif
