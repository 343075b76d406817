#ifndef SMEX_COMPILER_TRAINING_MERGEEQUAL_H
#define SMEX_COMPILER_TRAINING_MERGEEQUAL_H

#include "compiler/frontend/Model.h"

namespace smex::training {

/// Applications from number `first` on that repeat an earlier one, the same
/// lambda of the same values, become that one.
void mergeEqual(frontend::Model &model, size_t first);

} // namespace smex::training

#endif
