// What an instruction waits for, said once for all workers.
#ifndef SMEX_DIALECTS_SUPPORT_WAIT_H
#define SMEX_DIALECTS_SUPPORT_WAIT_H

#include "dialects/support/Shares.h"

namespace smex {

/// An earlier instruction of the list must have completed on all workers that
/// do it and differ from this one in no other steps than these: without any
/// steps, on this worker itself.
struct Wait {
  int instruction = 0;
  StepSet steps = 0;

  bool operator==(const Wait &other) const {
    return instruction == other.instruction && steps == other.steps;
  }
};

} // namespace smex

#endif
