// Kernels of kind Convolution and of its gradients: a matrix product where the
// window is a single point, the library's kernels for other windows, plain
// loops for what it lacks.
#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/backends/cpu/Gemm.h"
#include "runtime/backends/cpu/HalfProduct.h"
#include "runtime/backends/cpu/LibraryConvolution.h"
#include "runtime/backends/cpu/LibraryFilterGradient.h"
#include "runtime/backends/cpu/PlainParts.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
/// Result, data and filter of a window of one point: a contraction.
class PointConvolution : public BoundKernel {
public:
  PointConvolution(const ConvolutionPart &part, const ConvolutionSite &site,
                   Workspace workspace, const ThreadGroup &threads)
      : part(part), wanted(site.wanted),
        gemm(site.type, indicesOf(part.problem, wanted), workspace, threads) {}

  static bool fits(const ConvolutionPart &part) {
    const auto &spatial = part.problem.spatial;
    return !part.isZero && part.clear.size() == 0 &&
           std::all_of(spatial.begin(), spatial.end(), [](const auto &s) {
             return s.kernel == 1 && (s.stride == 1 || s.out == 1) &&
                    s.padLow == 0 && s.padHigh() == 0;
           });
  }

  bool usesLibrary() const { return gemm.usesLibrary(); }

  Status run() override {
    switch (wanted) {
    case Wanted::Result:
      gemm.run(part.result, part.data, part.filter);
      break;
    case Wanted::Data:
      gemm.run(part.data, part.result, part.filter);
      break;
    case Wanted::Filter:
      gemm.run(part.filter, part.result, part.data);
      break;
    }
    return {};
  }

private:
  static std::vector<cpu::ContractionIndex>
  indicesOf(const cpu::ConvolutionProblem &p, Wanted wanted) {
    std::vector<cpu::ContractionIndex> indices;
    // What is moved by an index that does not move the wanted tensor is summed.
    const auto add = [&](int64_t extent, int64_t result, int64_t data,
                         int64_t filter, bool summed) {
      if (wanted == Wanted::Result)
        indices.push_back({extent, summed, result, data, filter});
      else if (wanted == Wanted::Data)
        indices.push_back({extent, summed, data, result, filter});
      else
        indices.push_back({extent, summed, filter, result, data});
    };
    const bool byFilter = wanted == Wanted::Filter;
    add(p.batch, p.result.batch, p.data.batch, 0, byFilter);
    add(p.groups, p.result.group, p.data.group, p.filter.group, false);
    add(p.m, p.result.m, 0, p.filter.m, wanted == Wanted::Data);
    add(p.c, 0, p.data.c, p.filter.c, wanted == Wanted::Result);
    for (const auto &s : p.spatial)
      add(s.out, s.resultStride, s.dataStride, 0, byFilter);
    return indices;
  }

  ConvolutionPart part;
  Wanted wanted;
  Gemm gemm;
};

class PlainConvolution : public BoundKernel {
public:
  PlainConvolution(const ConvolutionSite &site,
                   std::vector<ConvolutionPart> parts,
                   const ThreadGroup &threads)
      : site(site), parts(std::move(parts)), threads(threads) {}

  Status run() override {
    threads.forEach(int64_t(parts.size()),
                    [this](int64_t i, int) { compute(parts[size_t(i)]); });
    return {};
  }

private:
  void compute(const ConvolutionPart &part) const {
    if (part.clear.size() > 0)
      clearBox(site.wanted == Wanted::Data ? site.data : site.filter,
               part.clear);
    if (site.wanted == Wanted::Result)
      cpu::convolve(site.type, part.problem, part.result, part.data,
                    part.filter);
    else if (part.isZero)
      return;
    else if (site.wanted == Wanted::Data)
      cpu::convolveData(site.type, part.problem, part.result, part.data,
                        part.filter);
    else
      cpu::convolveFilter(site.type, part.problem, part.result, part.data,
                          part.filter);
  }

  ConvolutionSite site;
  std::vector<ConvolutionPart> parts;
  const ThreadGroup &threads;
};

/// One kernel per piece, or null if some window has more than one point, or
/// there are better kernels than the product's.
Result<BoundKernelPtr> bindPoints(const ConvolutionSite &site,
                                  const std::vector<Box> &pieces,
                                  const Binding &binding) {
  std::vector<BoundKernelPtr> kernels;
  for (const Box &piece : pieces) {
    auto part = partOf(site, piece);
    if (!part)
      return part.takeError();
    if (!PointConvolution::fits(*part))
      return BoundKernelPtr();
    auto kernel = std::make_unique<PointConvolution>(
        *part, site, binding.workspace, binding.threads);
    if (tdl::is16Bit(site.type) && !kernel->usesLibrary())
      return BoundKernelPtr();
    kernels.push_back(std::move(kernel));
  }
  return BoundKernelPtr(new KernelSequence(std::move(kernels)));
}

/// The first that can: points, library, 16 bits by way of f32, plain loops.
Result<BoundKernelPtr> bindSite(const ConvolutionSite &site, const Box &indices,
                                const Binding &binding) {
  const std::vector<Box> pieces = cutGroups(site, indices);
  if (site.type != site.wantedType())
    return bindHalfConvolution(site, pieces, binding.threads);
  auto points = bindPoints(site, pieces, binding);
  if (!points || *points)
    return points;
  auto library = site.wanted == Wanted::Filter
                     ? bindLibraryFilterGradient(
                           site, pieces, binding.workspace, binding.threads)
                     : bindLibraryConvolution(site, pieces, binding.workspace,
                                              binding.threads);
  if (!library || *library)
    return library;
  if (tdl::is16Bit(site.type))
    return bindHalfConvolution(site, pieces, binding.threads);
  auto parts = plainParts(site, pieces, binding.threads.size());
  if (!parts)
    return parts.takeError();
  return BoundKernelPtr(
      new PlainConvolution(site, std::move(*parts), binding.threads));
}

} // namespace

// The interpreter goes by the lambda alone; so it does without spatial
// dimensions, where a contraction would have been better.
Result<BoundKernelPtr> runtime::bindConvolution(const Binding &binding) {
  const auto type = factorType(binding.lambda);
  const auto sited =
      type ? siteOf(binding.kernel, binding.lambda, *type, binding.result,
                    binding.operands, binding.indices)
           : std::nullopt;
  if (!sited)
    return bindReference(binding);
  return bindSite(sited->site, sited->indices, binding);
}
