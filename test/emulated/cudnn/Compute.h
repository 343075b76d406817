// Convolutions by plain loops.
#ifndef SMEX_TEST_EMULATED_CUDNN_COMPUTE_H
#define SMEX_TEST_EMULATED_CUDNN_COMPUTE_H

#include "test/emulated/cudnn/Problem.h"

namespace smex::emulated::cudnn {

/// Device addresses of the three tensors.
struct Places {
  uint64_t data, filter, result;
};

/// written = alpha * sum + beta * written; written is not read where beta is 0.
void compute(const Problem &problem, const Places &places, float alpha,
             float beta, DeviceView &view);

} // namespace smex::emulated::cudnn

#endif
