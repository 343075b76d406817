// What a plan has code for, and which of its kernels a library computes there.
// A kernel says what a lambda is by its structure, such as a matrix product,
// whatever the type of its elements; each target's libraries have it or not,
// and where they do not, the target's code has a function for it.
#ifndef SMEX_RUNTIME_PLAN_TARGET_H
#define SMEX_RUNTIME_PLAN_TARGET_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/MatrixProduct.h"
#include "runtime/plan/Plan.h"

namespace smex::plan {

enum class TargetKind {
  Cpu,  // a processor as LLVM names it: "x86-64-v3"
  Cuda, // a GPU's compute capability as CUDA names it: "sm_80", "sm_90a"
};
TargetKind kindOf(const std::string &target);

/// 80 for "sm_80", whose code runs on GPUs of this and of every later compute
/// capability. Nothing for processors, and for code of one capability alone
/// ("sm_90a").
std::optional<int> capabilityOf(const std::string &target);

/// Whether code is generated for the lambda on such targets where no library
/// has it: for all but opaque functions, and on GPUs for these, too, as there
/// is no interpreter on a GPU, unless data says of which slices, or which of
/// the results.
bool hasCode(TargetKind target, const tdl::Lambda &lambda);

/// What a lambda is bound to: of all its index variables, outputs first, and of
/// its operands.
struct Sizes {
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> shapes;
};

/// Whether a library that smex uses on such targets computes the kernel, whose
/// kind is one of a library's, at these sizes of whole tensors; so it does for
/// every worker's part.
bool libraryHas(const std::string &target, const Kernel &kernel,
                const tdl::Lambda &lambda, const Sizes &sizes);

/// Whether the code for this target has a function that computes the kernel.
bool isGenerated(const Kernel &kernel, const std::string &target);
/// Whether the code for any target has.
inline bool isGenerated(const Kernel &kernel) { return !kernel.symbol.empty(); }

/// The targets among these whose libraries do not have the kernel, and that
/// there is code for.
std::vector<std::string> generatedFor(const Kernel &kernel,
                                      const tdl::Lambda &lambda,
                                      const Sizes &sizes,
                                      const std::vector<std::string> &targets);

/// A contraction's index variables on buffers with these sizes along each
/// dimension; `extents` of its index variables may be a part. Nothing for
/// lambdas that are none.
std::optional<std::vector<ProductIndex>>
productIndices(const Kernel &kernel, const tdl::Lambda &lambda,
               const std::vector<int64_t> &extents,
               const std::vector<int64_t> &result,
               const std::vector<std::vector<int64_t>> &operands);

/// Whether calls of a library can add to the results of a contraction: those of
/// 16 bits would be rounded each time.
bool addsUp(const tdl::Lambda &lambda);

} // namespace smex::plan

#endif
