// Compute instructions made ready to run: everything that depends only on the
// plan is worked out once, when a kernel is bound to a worker's buffers.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_BOUNDKERNEL_H
#define SMEX_RUNTIME_BACKENDS_CPU_BOUNDKERNEL_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/backends/convolution/BufferView.h"
#include "runtime/backends/cpu/KernelObject.h"
#include "runtime/backends/cpu/ThreadGroup.h"
#include "runtime/plan/Plan.h"

#include <memory>
#include <optional>
#include <vector>

namespace smex::runtime {

class BoundKernel {
public:
  virtual ~BoundKernel() = default;
  virtual Status run() = 0;
};

using BoundKernelPtr = std::unique_ptr<BoundKernel>;

/// Several, one after the other.
class KernelSequence : public BoundKernel {
public:
  explicit KernelSequence(std::vector<BoundKernelPtr> kernels)
      : kernels(std::move(kernels)) {}
  Status run() override {
    for (const BoundKernelPtr &kernel : kernels)
      if (Status done = kernel->run(); !done)
        return done;
    return {};
  }

private:
  std::vector<BoundKernelPtr> kernels;
};

struct Workspace {
  std::byte *data = nullptr;
  int64_t bytes = 0;
};

/// A compute instruction of one worker.
struct Binding {
  const plan::Kernel &kernel;
  const tdl::Lambda &lambda;
  Box indices; // this worker's part; the output part is not empty
  BufferView result;
  std::vector<BufferView> operands;
  Workspace workspace;
  const ThreadGroup &threads;
  const std::string &target; // of the code
  const KernelObject &object;

  size_t rank() const { return result.box.size(); }
};

/// The element type of both operands of a product, if a library's kernels can
/// take them: the result's, or 16-bit floats that are summed in f32.
std::optional<DType> factorType(const tdl::Lambda &lambda);

/// By the kernel's kind, and by what the target's libraries have.
Result<BoundKernelPtr> bindKernel(const Binding &binding);

// One per kind, or, for a convolution and its gradients, one for all three.
Result<BoundKernelPtr> bindGenerated(const Binding &binding);
Result<BoundKernelPtr> bindContraction(const Binding &binding);
Result<BoundKernelPtr> bindConvolution(const Binding &binding);
Result<BoundKernelPtr> bindReference(const Binding &binding);

/// Of generated code: with a slice of wide rows after the other, null where
/// that is not worth it; and with all at once.
Result<BoundKernelPtr> bindRowSlices(const Binding &binding);
Result<BoundKernelPtr> bindWhole(const Binding &binding);

} // namespace smex::runtime

#endif
