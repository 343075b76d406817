// Sums of what all ranks have.
#ifndef SMEX_TEST_EMULATED_NCCL_REDUCTION_H
#define SMEX_TEST_EMULATED_NCCL_REDUCTION_H

#include "test/emulated/nccl/Communicator.h"

namespace smex::emulated {

bool isReduction(Kind kind);

/// Whether sums of numbers of this ncclDataType_t are emulated.
bool isAdded(int type);

/// NVIDIA's library may add terms in any order. Here it is a ring's: whoever is
/// to have a share adds its own term last, after those of the ranks behind it.
/// Of an all-reduce, elements are dealt to the ranks in turn.
void reduce(const Operation &what, const std::vector<std::string> &terms,
            char *result);

} // namespace smex::emulated

#endif
