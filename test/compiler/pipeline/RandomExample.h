// Plans of small random graphs, divided over workers in every way that there
// is, mixed over tensors and operators as the search would never cut them.
#ifndef SMEX_TEST_COMPILER_PIPELINE_RANDOMEXAMPLE_H
#define SMEX_TEST_COMPILER_PIPELINE_RANDOMEXAMPLE_H

#include "test/conformance/Divided.h"

namespace smex::test {

/// Six operators on three inputs of f32; all that they compute is an output.
struct RandomExample : conformance::Divided {};

/// Without kernels, only the interpreter can run it. Sums of the plan's numbers
/// are exact, in any order.
enum class Kernels {
  None,
  Generated, // for the CPU
  Cuda,      // for GPUs
};
RandomExample randomExample(mlir::MLIRContext &context, uint64_t seed,
                            Kernels kernels);

/// The run succeeded, its outputs are those of the example, to the bit, and it
/// has counted the bytes of the definition.
void requireRight(const RandomExample &example,
                  const Result<runtime::RunResult> &result);

/// The examples have no parameters.
using conformance::NoParameters;

} // namespace smex::test

#endif
