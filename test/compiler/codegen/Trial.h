// One trial of a case of KernelCases.h: random extents, a random part of the
// result, operands in buffers, and what the interpreter computes of them.
#ifndef SMEX_TEST_COMPILER_CODEGEN_TRIAL_H
#define SMEX_TEST_COMPILER_CODEGEN_TRIAL_H

#include "test/compiler/codegen/Harness.h"
#include "test/compiler/codegen/KernelCases.h"

#include <functional>

namespace smex::codegen {

struct Trial {
  std::vector<int64_t> shape; // of the whole result
  Box part;                   // of all index variables
  Box outputs;                // the result's part of it
  std::vector<Buffer> operands;
  Tensor want; // the part of the result
};

/// Small integers, so that equal means equal to the bit. With `isSmall`, the
/// operands' buffers hold no more than the part needs.
Trial drawTrial(const Case &c, const tdl::Lambda &lambda, Random &random,
                bool isSmall);

/// Runs a kernel for a part of the index space; `number`: 0 for all of it, then
/// 1 and 2 for random parts.
using RunKernel =
    std::function<void(int number, const Box &indices, Buffer &result)>;
/// Checks that elements are as the interpreter has them, within `relative` of
/// the largest finite one, and that parts have the bits of the whole.
void checkWholeAndParts(const tdl::Lambda &lambda,
                        const std::vector<int64_t> &extents,
                        const std::vector<Buffer> &operands, double relative,
                        Random &random, const RunKernel &run);

/// All of KernelCases.h and RowCases.h, and their lambdas as k0, k1 ..
std::vector<Case> allCases();
std::vector<KernelRequest> requestsOf(const std::vector<Case> &cases);

/// Equal elements; says which is the first that differs.
bool same(const Tensor &got, const Tensor &want);

} // namespace smex::codegen

#endif
