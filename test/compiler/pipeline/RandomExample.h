// Plans of small random graphs, divided over workers in every way that there
// is, mixed over tensors and operators as the search would never cut them.
#ifndef SMEX_TEST_COMPILER_PIPELINE_RANDOMEXAMPLE_H
#define SMEX_TEST_COMPILER_PIPELINE_RANDOMEXAMPLE_H

#include "compiler/emit/Kernels.h"
#include "dialects/support/Tensor.h"
#include "runtime/executor/Executor.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/MLIRContext.h"

namespace smex::test {

/// Six operators on three inputs; all that they compute is an output.
struct RandomExample {
  plan::Plan plan; // the partitioned program, and the whole one
  std::vector<runtime::Feed> feeds;
  std::vector<Tensor> outputs; // what the lambdas make of whole tensors
  /// As the definition has them (compiler/partition/CommunicationBytes.h).
  int64_t communicationBytes = 0;
  std::string decided; // the module that was lowered, for messages
};

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

/// The generated kernels of a table, compiled.
plan::Code codeOf(const emit::KernelTable &kernels);

/// The examples have no parameters.
class NoParameters : public runtime::ParameterSource {
  Status fill(int, int, std::byte *) const override {
    return fail("there are none");
  }
};

} // namespace smex::test

#endif
