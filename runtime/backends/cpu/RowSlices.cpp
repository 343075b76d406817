// A generated kernel, called for one slice of the features after the other, on
// a dense copy of the slice (runtime/plan/RowSlices.h). Each element of the
// result is computed as ever, from the same terms in the same order.
#include "runtime/plan/RowSlices.h"
#include "kernels/cpu/Boxes.h"
#include "runtime/backends/cpu/BoundKernel.h"

using namespace smex;
using namespace smex::runtime;

namespace {
/// Elements that are copied by one thread at a time: some 50 microseconds.
constexpr int64_t elementsPerTask = 1 << 16;

class CopySlice : public BoundKernel {
public:
  CopySlice(const BufferView &from, const BufferView &to,
            const ThreadGroup &threads)
      : from(from), to(to), threads(threads),
        slabs(cpu::slabs(to.box, elementsPerTask)) {}

  Status run() override {
    threads.forEach(int64_t(slabs.size()), [this](int64_t i, int) {
      cpu::copyBox(to.data, to.box, from.data, from.box, slabs[size_t(i)],
                   byteSize(to.type.dtype));
    });
    return {};
  }

private:
  const BufferView from, to;
  const ThreadGroup &threads;
  const std::vector<Box> slabs;
};
} // namespace

Result<BoundKernelPtr> runtime::bindRowSlices(const Binding &binding) {
  const auto slices = plan::rowSlices(binding.lambda);
  if (!slices)
    return BoundKernelPtr();
  const BufferView &rows = binding.operands[size_t(slices->operand)];
  const Interval all = binding.indices[size_t(slices->variable)];
  const int64_t step =
      plan::sliceElements(*slices, binding.lambda, extents(binding.indices),
                          extents(rows.box), binding.workspace.bytes);
  if (step == 0)
    return BoundKernelPtr();
  std::vector<BoundKernelPtr> kernels;
  for (int64_t lo = all.lo; lo < all.hi; lo += step) {
    const Interval slice{lo, std::min(lo + step, all.hi)};
    Binding part = binding;
    part.indices[size_t(slices->variable)] = slice;
    BufferView &copy = part.operands[size_t(slices->operand)];
    copy.data = binding.workspace.data;
    copy.box.back() = slice;
    kernels.push_back(
        BoundKernelPtr(new CopySlice(rows, copy, binding.threads)));
    auto kernel = bindWhole(part);
    if (!kernel)
      return kernel.error();
    kernels.push_back(std::move(*kernel));
  }
  return BoundKernelPtr(new KernelSequence(std::move(kernels)));
}
