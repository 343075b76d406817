#include "compiler/emit/Kernels.h"

#include "dialects/support/Sha256.h"
#include "dialects/tdl/analysis/ConvolutionGradient.h"
#include "runtime/plan/KernelCode.h"
#include "runtime/plan/Target.h"

#include <algorithm>

using namespace smex;
using namespace smex::emit;

namespace {

plan::ConvolutionInfo infoOf(const analysis::Convolution &convolution) {
  return {convolution.strides, convolution.dilations, convolution.pads,
          convolution.groups};
}

void addTargets(Function &function, const std::vector<std::string> &targets) {
  for (const std::string &target : targets)
    if (std::find(function.targets.begin(), function.targets.end(), target) ==
        function.targets.end())
      function.targets.push_back(target);
}

} // namespace

plan::Kernel smex::emit::bind(const tdl::Lambda &lambda,
                              const std::vector<int64_t> &extents,
                              const analysis::Shapes &shapes,
                              const std::vector<std::string> &targets,
                              bool library) {
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
  } else if (convolution) {
    kernel.kind = plan::KernelKind::Convolution;
    kernel.convolution = infoOf(*convolution);
  } else if (contraction) {
    kernel.kind = plan::KernelKind::Contraction;
    kernel.roles = contraction->roles;
  } else if (gradient) {
    kernel.kind = gradient->of == analysis::ConvolutionGradient::Of::Data
                      ? plan::KernelKind::ConvolutionData
                      : plan::KernelKind::ConvolutionFilter;
    kernel.convolution = infoOf(gradient->convolution);
    kernel.convolution.gradient = gradient->gradient;
    kernel.roles = gradient->roles;
  }
  if (kernel.kind != plan::KernelKind::Generated)
    kernel.generatedFor =
        plan::generatedFor(kernel, lambda, {extents, shapes}, targets);
  return kernel;
}

const plan::Kernel &KernelTable::kernelOf(const std::string &text,
                                          const std::vector<int64_t> &extents,
                                          const analysis::Shapes &shapes) {
  const tdl::Lambda lambda = *tdl::parseLambda(text);
  plan::Kernel kernel = bind(lambda, extents, shapes, targets, library);
  // The same text may be a convolution at one size and none at another, or have
  // other groups or strides: those are told by extents. So is what libraries of
  // GPUs do.
  const plan::ConvolutionInfo &info = kernel.convolution;
  std::vector<int64_t> sizes = {info.groups};
  for (const auto *list : {&info.strides, &info.dilations, &info.pads})
    sizes.insert(sizes.end(), list->begin(), list->end());
  const Binding binding = {text, kernel.kind, std::move(sizes),
                           kernel.generatedFor};
  const auto [entry, isNew] = kernels.try_emplace(binding, std::move(kernel));
  if (isNew)
    addFunction(entry->second, lambda);
  return entry->second;
}

/// Kernels of the same code share a function.
void KernelTable::addFunction(plan::Kernel &kernel, const tdl::Lambda &lambda) {
  const bool isGenerated = kernel.kind == plan::KernelKind::Generated;
  const std::vector<std::string> &wanted =
      isGenerated ? targets : kernel.generatedFor;
  if (!isGenerated && wanted.empty())
    return;
  tdl::Lambda code = plan::codeOf(lambda);
  const std::string text = tdl::toString(code);
  const auto [number, isNew] = numbers.try_emplace(text, made.size());
  // Named after its code, so that plans of one model for other numbers of GPUs
  // call it by the same name, and what is made of it can be kept.
  if (isNew)
    made.push_back(
        {"kernel_" + sha256(text).substr(0, 24), std::move(code), {}});
  Function &function = made[number->second];
  kernel.symbol = function.symbol;
  addTargets(function, wanted);
}

std::vector<Function> smex::emit::functionsOf(const plan::Plan &plan) {
  std::vector<std::string> targets;
  for (const plan::Artifact &artifact : plan.code)
    targets.push_back(artifact.target);
  std::vector<Function> functions;
  std::map<std::string, size_t> numbers;
  for (const plan::Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
    for (const plan::Kernel &kernel : part->program.kernels) {
      if (!plan::isGenerated(kernel))
        continue;
      const auto [number, isNew] =
          numbers.try_emplace(kernel.symbol, functions.size());
      if (isNew)
        functions.push_back({kernel.symbol,
                             plan::codeOf(*tdl::parseLambda(kernel.lambda)),
                             {}});
      addTargets(functions[number->second],
                 kernel.kind == plan::KernelKind::Generated
                     ? targets
                     : kernel.generatedFor);
    }
  return functions;
}
