// One product by cuBLASLt, the emulated one or NVIDIA's, as a program that has
// nothing but the public entry points makes it, and whether its result is what
// the formula says.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_TRIAL_H
#define SMEX_TEST_EMULATED_CUBLASLT_TRIAL_H

#include "test/emulated/cublaslt/Status.h"

#include <cstdint>
#include <string>

namespace smex::emulated::cublaslt {

struct MatrixSpec {
  int type = R_32F;
  int64_t rows = 0, columns = 0, leading = 0;
  int32_t batch = 1;
  int64_t batchStride = 0;
  int32_t order = ORDER_COL;
};

/// D = op(A) op(B) + beta C, each setting one that a case changes. C is D.
struct Spec {
  int computeType = COMPUTE_32F, scaleType = R_32F;
  int32_t transA = OP_N, transB = OP_N, transC = OP_N;
  MatrixSpec a{R_32F, 16, 24, 16}, b{R_32F, 24, 8, 24}, d{R_32F, 16, 8, 16};
  double beta = 0;
  bool broadcastsC = false;          // C is one column, or row, for all of D
  uint64_t offsetA = 0, offsetD = 0; // bytes from an aligned address
  uint64_t workspaceBytes = 0, workspaceOffset = 0;
  uint32_t alignment = 16, reductions = REDUCTION_SCHEME_MASK;
  int wanted = 1;
  bool asks = true; // else no algorithm is given
  bool zeroAlgorithm = false;
  /// Its bias has random small integers.
  uint32_t epilogue = EPILOGUE_DEFAULT;
  int32_t biasType = -1;
  int64_t biasStride = 0;
  uint64_t offsetBias = 0; // bytes from an aligned address
  bool nullBias = false;
  bool nullHandle = false, nullLayout = false, nullA = false, nullAlpha = false;
  /// A workspace smaller than what the heuristic was told.
  bool takesWorkspaceAway = false;
  /// No product: NULL is destroyed as a layout, an operation, a preference, and
  /// a handle.
  bool destroysNothing = false;
};

/// Whether the libraries are the emulated ones.
bool isEmulated();

/// Finds both libraries as smex-run does, and takes a GPU; says why not.
bool openMachine();
/// "cuBLASLt 130100 on .."
std::string machineName();

/// Runs to the first call that is refused: "heuristic 7"; "0" if none is, and
/// the results are right.
std::string run(const Spec &spec);

} // namespace smex::emulated::cublaslt

#endif
