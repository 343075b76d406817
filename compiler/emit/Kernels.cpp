#include "compiler/emit/Kernels.h"

#include "dialects/tdl/analysis/ConvolutionGradient.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/plan/KernelCode.h"

using namespace smex;
using namespace smex::emit;

namespace {
/// f32; f16 and bf16 by way of f32.
bool libraryHas(DType type) { return type == DType::F32 || tdl::is16Bit(type); }

plan::ConvolutionInfo infoOf(const analysis::Convolution &convolution) {
  return {convolution.strides, convolution.dilations, convolution.pads,
          convolution.groups};
}
} // namespace

plan::Kernel smex::emit::bind(const tdl::Lambda &lambda,
                              const std::vector<int64_t> &extents,
                              const analysis::Shapes &shapes, bool library) {
  plan::Kernel kernel;
  kernel.lambda = tdl::toString(lambda);
  const auto convolution = analysis::matchConvolution(lambda, extents);
  const auto contraction = analysis::matchContraction(lambda);
  const auto gradient =
      analysis::matchConvolutionGradient(lambda, extents, shapes);
  if (lambda.body->kind == tdl::ExprKind::Opaque) {
    kernel.kind = plan::KernelKind::Reference;
  } else if (!library) {
    kernel.kind = plan::KernelKind::Generated;
  } else if (convolution && libraryHas(convolution->type)) {
    kernel.kind = plan::KernelKind::Convolution;
    kernel.convolution = infoOf(*convolution);
  } else if (contraction && libraryHas(contraction->type)) {
    kernel.kind = plan::KernelKind::Contraction;
    kernel.roles = contraction->roles;
  } else if (gradient && libraryHas(gradient->convolution.type)) {
    kernel.kind = gradient->of == analysis::ConvolutionGradient::Of::Data
                      ? plan::KernelKind::ConvolutionData
                      : plan::KernelKind::ConvolutionFilter;
    kernel.convolution = infoOf(gradient->convolution);
    kernel.convolution.gradient = gradient->gradient;
    kernel.roles = gradient->roles;
  } else {
    kernel.kind = plan::KernelKind::Generated;
  }
  return kernel;
}

const plan::Kernel &KernelTable::kernelOf(const std::string &text,
                                          const std::vector<int64_t> &extents,
                                          const analysis::Shapes &shapes) {
  const tdl::Lambda lambda = *tdl::parseLambda(text);
  plan::Kernel kernel = bind(lambda, extents, shapes, library);
  // The same text may be a convolution at one size and none at another, or have
  // other groups or strides: those are told by extents.
  const plan::ConvolutionInfo &info = kernel.convolution;
  std::vector<int64_t> numbers = {info.groups};
  for (const auto *list : {&info.strides, &info.dilations, &info.pads})
    numbers.insert(numbers.end(), list->begin(), list->end());
  const Binding binding = {text, kernel.kind, std::move(numbers)};
  const auto [entry, isNew] = kernels.try_emplace(binding, std::move(kernel));
  if (isNew && entry->second.kind == plan::KernelKind::Generated) {
    tdl::Lambda code = plan::codeOf(lambda);
    const auto [symbol, isCode] =
        symbols.try_emplace(tdl::toString(code), std::string());
    if (isCode) {
      symbol->second = "kernel_" + std::to_string(requests.size());
      requests.push_back({symbol->second, std::move(code)});
    }
    entry->second.symbol = symbol->second;
  }
  return entry->second;
}
