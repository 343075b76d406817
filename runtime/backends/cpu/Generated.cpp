// Kernels that the compiler generated, and the interpreter for what neither it
// nor a library can do.
#include "dialects/tdl/lambda/Interpreter.h"
#include "kernels/cpu/Boxes.h"
#include "runtime/backends/cpu/BoundKernel.h"
#include "runtime/backends/cpu/Segments.h"
#include "runtime/plan/KernelCode.h"
#include "runtime/plan/Target.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
/// Points of the iteration space that are worth a thread: some 10 microseconds.
constexpr int64_t pointsPerTask = 1 << 15;

class GeneratedKernel : public BoundKernel {
public:
  GeneratedKernel(KernelFunction function, const Binding &binding)
      : function(function), threads(binding.threads) {
    pointers.push_back(reinterpret_cast<char *>(binding.result.data));
    for (const BufferView &operand : binding.operands)
      pointers.push_back(reinterpret_cast<char *>(operand.data));
    segments = segmentsOf(binding.lambda);
    if (segments) {
      offsets = binding.operands[segments->operand];
      results = binding.indices[segments->variable];
    }
    const plan::Shifts shifts = plan::shiftsOf(binding.lambda);
    for (const Box &part : parts(binding, segments))
      numbers.push_back(numbersFor(binding, part, shifts));
  }

  Status run() override {
    if (segments && numbers.size() > 1)
      balance();
    threads.forEach(int64_t(numbers.size()), [this](int64_t i, int) {
      function(pointers.data(), numbers[size_t(i)].data());
    });
    return {};
  }

private:
  /// Cuts the output range, along one index, for the threads. A kernel computes
  /// every element independently, so the cut does not show in the result.
  static std::vector<Box> parts(const Binding &binding,
                                const std::optional<Segments> &segments) {
    const Box &whole = binding.indices;
    const int threads = binding.threads.size();
    int64_t points = 1;
    for (size_t i = 0; i < whole.size(); ++i)
      if (!segments || i != segments->variable) // a term has one result
        points *= std::max<int64_t>(whole[i].size(), 1);
    const int64_t tasks =
        std::min<int64_t>(points / pointsPerTask, 4 * threads);
    if (threads == 1 || tasks < 2 || binding.rank() == 0)
      return {whole};
    // The outermost index keeps runs long; the longest one if that is short.
    size_t along = segments ? segments->variable : 0;
    for (size_t d = 0; d < binding.rank() && !segments; ++d)
      if (whole[d].size() >= 2 * threads) {
        along = d;
        break;
      } else if (whole[d].size() > whole[along].size()) {
        along = d;
      }
    const int64_t ways = std::min(tasks, whole[along].size());
    std::vector<Box> boxes(size_t(ways), whole);
    for (int64_t part = 0; part < ways; ++part)
      boxes[size_t(part)][along] = cut(whole[along], ways, part);
    return boxes;
  }

  /// The offsets are known when the kernel runs.
  void balance() {
    const size_t i = 2 * segments->variable;
    const std::vector<int64_t> starts =
        balancedParts(offsets, results, int64_t(numbers.size()));
    for (size_t part = 0; part < numbers.size(); ++part) {
      numbers[part][i] = starts[part];
      numbers[part][i + 1] = starts[part + 1];
    }
  }

  static std::vector<int64_t> numbersFor(const Binding &binding,
                                         const Box &part,
                                         const plan::Shifts &shifts) {
    std::vector<plan::CalledOperand> operands;
    for (const BufferView &operand : binding.operands)
      operands.push_back({&operand.box, &operand.type.shape});
    return plan::callNumbers(part, binding.result.box, operands, shifts);
  }

  KernelFunction function;
  const ThreadGroup &threads;
  std::vector<char *> pointers;
  std::vector<std::vector<int64_t>> numbers; // per part
  std::optional<Segments> segments;
  BufferView offsets; // with segments
  Interval results;
};

class ReferenceKernel : public BoundKernel {
public:
  explicit ReferenceKernel(const Binding &binding)
      : lambda(binding.lambda), indices(binding.indices),
        result(binding.result) {
    for (const BufferView &operand : binding.operands)
      operands.push_back({operand.type.shape, operand.box, operand.data});
  }

  Status run() override {
    const auto value = tdl::interpret(lambda, indices, operands);
    if (!value)
      return value.error();
    const Box part(indices.begin(), indices.begin() + lambda.rank());
    cpu::copyBox(result.data, result.box, value->bytes.data(), part, part,
                 byteSize(lambda.result));
    return {};
  }

private:
  const tdl::Lambda &lambda;
  Box indices;
  BufferView result;
  std::vector<tdl::OperandView> operands;
};
} // namespace

Result<BoundKernelPtr> runtime::bindGenerated(const Binding &binding) {
  auto slices = bindRowSlices(binding);
  return !slices || *slices ? std::move(slices) : bindWhole(binding);
}

Result<BoundKernelPtr> runtime::bindWhole(const Binding &binding) {
  const auto function = binding.object.find(binding.kernel.symbol);
  if (!function)
    return function.error();
  return BoundKernelPtr(new GeneratedKernel(*function, binding));
}

Result<BoundKernelPtr> runtime::bindReference(const Binding &binding) {
  return BoundKernelPtr(new ReferenceKernel(binding));
}

Result<BoundKernelPtr> runtime::bindKernel(const Binding &binding) {
  if (plan::isGenerated(binding.kernel, binding.target))
    return bindGenerated(binding);
  switch (binding.kernel.kind) {
  case plan::KernelKind::Generated:
    return bindGenerated(binding);
  case plan::KernelKind::Contraction:
    return bindContraction(binding);
  case plan::KernelKind::Convolution:
  case plan::KernelKind::ConvolutionData:
  case plan::KernelKind::ConvolutionFilter:
    return bindConvolution(binding);
  case plan::KernelKind::Reference:
    return bindReference(binding);
  }
  return fail("a kernel of an unknown kind");
}
