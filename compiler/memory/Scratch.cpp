#include "compiler/memory/Scratch.h"

#include "compiler/codegen/gpu/Schedule.h"
#include "dialects/tdl/analysis/Contraction.h"
#include "dialects/tdl/analysis/ConvolutionGradient.h"
#include "runtime/plan/Plan.h"
#include "runtime/plan/RowSlices.h"
#include "runtime/plan/Target.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace smex;
using memory::Scratch;

void Scratch::include(const Scratch &other) {
  least = std::max(least, other.least);
  most = std::max(most, other.most);
}

/// On processors, convolutions and their gradients want it for data in the
/// library's layout: tiles no larger than a cache holds. On GPUs so do matrix
/// products, whose sums may be split: NVIDIA recommends 4 MiB, and 32 MiB since
/// Hopper (cublasSetWorkspace); they can do without. Convolutions there want
/// room for all of their tensors, which cuDNN's tensor cores take in another
/// order: where it was short of that, a gradient took a hundred times as long.
Scratch
memory::libraryScratch(const tdl::Lambda &lambda,
                       const std::vector<int64_t> &extents,
                       const std::vector<std::vector<int64_t>> &operandShapes,
                       llvm::function_ref<int64_t()> bytesAt, bool onGpus) {
  if (analysis::matchConvolution(lambda, extents) ||
      analysis::matchConvolutionGradient(lambda, extents, operandShapes)) {
    int64_t most = int64_t(onGpus ? 32 : 16) << 20;
    if (onGpus)
      most = std::max(most, bytesAt());
    return {int64_t(64) << 10, most};
  }
  if (onGpus && analysis::matchContraction(lambda))
    return {0, int64_t(32) << 20};
  return {};
}

Scratch
memory::rowScratch(const tdl::Lambda &lambda,
                   const std::vector<int64_t> &extents,
                   const std::vector<std::vector<int64_t>> &operandShapes) {
  const auto slices = plan::rowSlices(lambda);
  if (!slices)
    return {};
  return {0, plan::sliceScratch(*slices, lambda, extents,
                                operandShapes[size_t(slices->operand)])};
}

int64_t memory::workspaceFor(const Scratch &wanted, int64_t mostAlive) {
  return std::clamp(mostAlive / 16 / 256 * 256, wanted.least, wanted.most);
}

bool memory::mayTakeScratch(const tdl::Lambda &lambda) {
  return lambda.body->kind == tdl::ExprKind::Opaque ||
         (lambda.reducer != tdl::Reducer::None && lambda.guard);
}

int64_t
memory::kernelScratch(const tdl::Lambda &lambda, const Box &indices,
                      const std::vector<std::vector<int64_t>> &operandShapes) {
  if (!mayTakeScratch(lambda) || indices.isAbsent() || isEmpty(indices) ||
      !plan::hasCode(plan::TargetKind::Cuda, lambda))
    return 0;
  const plan::Launch launch =
      codegen::launchOf(codegen::chooseGpuSchedule(lambda), lambda);
  return plan::hasScratch(launch)
             ? plan::scratchBytes(launch, indices, operandShapes)
             : 0;
}

/// What begins in an arena is aligned to.
static constexpr int64_t line = 64;

int64_t memory::stagingFor(int64_t arenaBytes, int64_t workers) {
  /// More lets no exchange go faster: there are enough bytes in each round to
  /// hide what a round takes by itself.
  constexpr int64_t most = int64_t(64) << 20;
  if (arenaBytes == 0)
    return 0;
  const int64_t least = plan::stagingAlignment * (workers - 1);
  return llvm::alignTo(std::max(std::min(arenaBytes / 32, most), least), line);
}

int64_t memory::withStaging(int64_t arenaBytes, int64_t workers) {
  return llvm::alignTo(arenaBytes, line) + stagingFor(arenaBytes, workers);
}
