// Gradients of random convolutions, as the compiler derives and binds them.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_GRADIENTCASE_H
#define SMEX_TEST_RUNTIME_BACKENDS_GRADIENTCASE_H

#include "compiler/emit/Kernels.h"
#include "compiler/training/Adjoint.h"
#include "dialects/tdl/analysis/Access.h"
#include "runtime/plan/ConvolutionRoles.h"
#include "test/runtime/backends/ConvolutionCase.h"

namespace smex::runtime {

using Shape = std::vector<int64_t>;

struct Gradient {
  tdl::Lambda lambda;
  Shape extents;
  std::vector<Shape> shapes;
  plan::Kernel kernel;
};

inline Gradient gradientOf(const ConvolutionCase &p, DType type, int operand) {
  const auto parsed = tdl::parseLambda(p.lambda(DType::F32));
  REQUIRE(parsed);
  const tdl::Lambda forward = tdl::canonicalize(*parsed);
  Shape extents = p.result;
  extents.insert(extents.end(), p.filter.begin() + 1, p.filter.end());
  const auto derived =
      training::adjoint(forward, extents, {p.data, p.filter}, operand);
  REQUIRE(derived);
  REQUIRE(derived->applications.size() == 1);
  const auto &made = derived->applications[0];
  Gradient gradient{made.lambda, made.extents, {}, {}};
  const std::vector<Shape> all = {p.data, p.filter, p.result, p.result};
  for (int source : made.operands)
    gradient.shapes.push_back(all[size_t(source)]);
  gradient.kernel =
      emit::bind(made.lambda, made.extents, gradient.shapes, {"x86-64-v3"});
  if (type != DType::F32) { // the same in another type
    std::string text = tdl::toString(made.lambda);
    for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos;)
      text.replace(at, 3, name(type));
    gradient.lambda = *tdl::parseLambda(text);
  }
  return gradient;
}

/// Binds it by `bind` on buffers that hold what this part of the indices reads.
inline void checkGradient(KernelCase &test,
                          Result<BoundKernelPtr> (*bind)(const Binding &),
                          const Gradient &g, DType type, const Box &indices,
                          int64_t workspace, int threads) {
  std::vector<BufferView> operands;
  const auto accesses = analysis::accesses(g.lambda, g.shapes);
  for (size_t k = 0; k < g.shapes.size(); ++k) {
    const Box needed = accesses[k].region(indices, g.shapes[k]);
    operands.push_back(test.buffer(
        type, g.shapes[k],
        isEmpty(needed) ? needed : test.holding(needed, g.shapes[k])));
  }
  const auto rank = std::ptrdiff_t(g.lambda.rank());
  const Box part(indices.begin(), indices.begin() + rank);
  const Shape shape(g.extents.begin(), g.extents.begin() + rank);
  const BufferView result = test.buffer(type, shape, test.holding(part, shape));
  plan::Kernel kernel = g.kernel;
  kernel.lambda = tdl::toString(g.lambda);
  test.check(bind, kernel, g.lambda, indices, result, operands, workspace,
             threads);
}

} // namespace smex::runtime

#endif
