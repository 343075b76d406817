#ifndef SMEX_TEST_EMULATED_CUBLASLT_MULTIPLY_H
#define SMEX_TEST_EMULATED_CUBLASLT_MULTIPLY_H

#include "test/emulated/cublaslt/Algorithms.h"
#include "test/emulated/cuda/LibraryWork.h"

namespace smex::emulated::cublaslt {

/// All of a call's arguments, as they were when it was made.
struct Call {
  Problem problem;
  Algorithm algorithm;
  double alpha = 1, beta = 0;
  uint64_t a = 0, b = 0, c = 0, d = 0, workspace = 0;
  uint64_t number = 0; // of the process' calls
};

/// By plain loops: sums in the type of computeType, along k; where the sum is
/// split, a part after the other, added up from the workspace. Errors of memory
/// are exceptions.
void multiply(const Call &call, DeviceView &view);

} // namespace smex::emulated::cublaslt

#endif
