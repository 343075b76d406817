#include "compiler/emit/Kernels.h"

#include "compiler/analysis/Contraction.h"

using namespace smex;
using namespace smex::emit;

plan::Kernel smex::emit::bind(const tdl::Lambda &lambda,
                              const std::vector<int64_t> &extents) {
  plan::Kernel kernel;
  kernel.lambda = tdl::toString(lambda);
  const auto convolution = analysis::matchConvolution(lambda, extents);
  const auto contraction = analysis::matchContraction(lambda);
  if (lambda.body->kind == tdl::ExprKind::Opaque) {
    kernel.kind = plan::KernelKind::Reference;
  } else if (convolution && convolution->type == DType::F32) {
    kernel.kind = plan::KernelKind::Convolution;
    kernel.convolution = {convolution->strides, convolution->dilations,
                          convolution->pads, convolution->groups};
  } else if (contraction && contraction->type == DType::F32) {
    kernel.kind = plan::KernelKind::Contraction;
    kernel.roles = contraction->roles;
  } else {
    kernel.kind = plan::KernelKind::Generated;
  }
  return kernel;
}

const plan::Kernel &KernelTable::kernelOf(const std::string &text,
                                          const std::vector<int64_t> &extents) {
  tdl::Lambda lambda = *tdl::parseLambda(text);
  plan::Kernel kernel = bind(lambda, extents);
  // The same text may be a convolution at one size and none at another, or have
  // other groups: those are told by extents.
  const Binding binding = {text, kernel.kind, kernel.convolution.groups};
  const auto [entry, isNew] = kernels.try_emplace(binding, std::move(kernel));
  if (isNew && entry->second.kind == plan::KernelKind::Generated) {
    entry->second.symbol = "kernel_" + std::to_string(requests.size());
    requests.push_back({entry->second.symbol, std::move(lambda)});
  }
  return entry->second;
}
