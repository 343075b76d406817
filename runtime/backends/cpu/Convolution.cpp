// Kernels of kind Convolution: a matrix product where the window is a single
// point, the library's kernels for other windows, plain loops for what it
// lacks.
#include "runtime/backends/cpu/Gemm.h"
#include "runtime/backends/cpu/LibraryConvolution.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
/// Result, data and filter of a window of one point: a contraction.
class PointConvolution : public BoundKernel {
public:
  PointConvolution(const ConvolutionPart &part, DType type, Workspace workspace,
                   const ThreadGroup &threads)
      : part(part), gemm(type, indicesOf(part.problem), workspace, threads) {}

  static bool fits(const ConvolutionPart &part) {
    const auto &spatial = part.problem.spatial;
    return part.problem.c > 0 &&
           std::all_of(spatial.begin(), spatial.end(), [](const auto &s) {
             return s.kernel == 1 && (s.stride == 1 || s.out == 1) &&
                    s.padLow == 0 && s.padHigh() == 0;
           });
  }

  Status run() override {
    gemm.run(part.result, part.data, part.filter);
    return {};
  }

private:
  static std::vector<cpu::ContractionIndex>
  indicesOf(const cpu::ConvolutionProblem &p) {
    std::vector<cpu::ContractionIndex> indices = {
        {p.batch, false, p.result.batch, p.data.batch, 0},
        {p.groups, false, p.result.group, p.data.group, p.filter.group},
        {p.m, false, p.result.m, 0, p.filter.m},
        {p.c, true, 0, p.data.c, p.filter.c}};
    for (const auto &s : p.spatial)
      indices.push_back({s.out, false, s.resultStride, s.dataStride, 0});
    return indices;
  }

  ConvolutionPart part;
  Gemm gemm;
};

class PlainConvolution : public BoundKernel {
public:
  PlainConvolution(DType type, std::vector<ConvolutionPart> parts,
                   const ThreadGroup &threads)
      : type(type), parts(std::move(parts)), threads(threads) {}

  Status run() override {
    threads.forEach(int64_t(parts.size()), [this](int64_t i, int) {
      const ConvolutionPart &part = parts[size_t(i)];
      cpu::convolve(type, part.problem, part.result, part.data, part.filter);
    });
    return {};
  }

private:
  DType type;
  std::vector<ConvolutionPart> parts;
  const ThreadGroup &threads;
};

/// One kernel per piece, or null if some window has more than one point.
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
    kernels.push_back(std::make_unique<PointConvolution>(
        *part, site.type, binding.workspace, binding.threads));
  }
  return BoundKernelPtr(new KernelSequence(std::move(kernels)));
}

Result<BoundKernelPtr> bindPlain(const ConvolutionSite &site,
                                 const std::vector<Box> &pieces,
                                 const ThreadGroup &threads) {
  std::vector<ConvolutionPart> parts;
  for (const Box &piece : pieces)
    for (int64_t n = piece[0].lo; n < piece[0].hi; ++n) {
      // An image at a time, and a few channels (or a group) where that is
      // needed to keep all threads busy.
      const int64_t size = piece[1].size();
      const bool grouped = size > site.mPerGroup();
      const int64_t units = grouped ? size / site.mPerGroup() : size;
      const int64_t ways = std::min<int64_t>(
          units, (4 * threads.size() + piece[0].size() - 1) / piece[0].size());
      for (int64_t i = 0; i < ways; ++i) {
        Box box = piece;
        const Interval range = cut({0, units}, ways, i);
        const int64_t unit = grouped ? site.mPerGroup() : 1;
        box[0] = {n, n + 1};
        box[1] = {piece[1].lo + range.lo * unit, piece[1].lo + range.hi * unit};
        auto part = partOf(site, box);
        if (!part)
          return part.takeError();
        parts.push_back(std::move(*part));
      }
    }
  return BoundKernelPtr(
      new PlainConvolution(site.type, std::move(parts), threads));
}
} // namespace

Result<BoundKernelPtr> runtime::bindConvolution(const Binding &binding) {
  const ConvolutionSite site{binding.kernel.convolution, binding.lambda.result,
                             binding.result, binding.operands[0],
                             binding.operands[1]};
  const bool sound = site.result.type.shape[1] % site.info.groups == 0 &&
                     site.data.type.shape[1] % site.info.groups == 0 &&
                     site.filter.type.shape[1] == site.cPerGroup() &&
                     site.filter.type.shape[0] == site.result.type.shape[1] &&
                     binding.operands[0].type.dtype == site.type &&
                     binding.operands[1].type.dtype == site.type;
  // The interpreter goes by the lambda alone; so it does without spatial
  // dimensions, where a contraction would have been better.
  if (!sound || site.spatialRank() == 0)
    return bindReference(binding);
  const std::vector<Box> pieces = cutGroups(site, binding.indices);
  auto points = bindPoints(site, pieces, binding);
  if (!points || *points)
    return points;
  auto library =
      bindLibraryConvolution(site, pieces, binding.workspace, binding.threads);
  if (!library || *library)
    return library;
  return bindPlain(site, pieces, binding.threads);
}
