#include "kernels/cpu/Contract.h"
#include "kernels/cpu/Element.h"
#include "kernels/cpu/Nest.h"

using namespace smex;
using namespace smex::cpu;

namespace {
/// All places in the window, and where each is in the filter.
template <typename F>
void forEachPlace(const ConvolutionProblem &p, F &&visit) {
  std::vector<int64_t> k(p.spatial.size(), 0);
  for (;;) {
    int64_t inFilter = 0;
    for (size_t d = 0; d < k.size(); ++d)
      inFilter += k[d] * p.spatial[d].filterStride;
    visit(k, inFilter);
    size_t d = k.size();
    while (d > 0 && ++k[d - 1] == p.spatial[d - 1].kernel)
      k[--d] = 0;
    if (d == 0)
      return;
  }
}

/// Where result and data meet at one place in the window, in runs along the
/// last dimension.
template <typename F>
void forEachMeeting(const ConvolutionProblem &p, const std::vector<int64_t> &k,
                    int64_t inResult, int64_t inData, F &&visit) {
  Nest<2> nest;
  for (size_t d = 0; d < p.spatial.size(); ++d) {
    const auto &s = p.spatial[d];
    const Interval o = s.inside(k[d]);
    if (o.empty())
      return;
    nest.push_back({o.size(), {s.resultStride, s.stride * s.dataStride}});
    inResult += o.lo * s.resultStride;
    inData += (o.lo * s.stride + k[d] * s.dilation - s.padLow) * s.dataStride;
  }
  const Loop<2> run = nest.back();
  nest.pop_back();
  forEach(nest, Offsets<2>{inResult, inData},
          [&](const Offsets<2> &at) { visit(at[0], at[1], run); });
}
} // namespace

void cpu::convolveData(DType type, const ConvolutionProblem &p,
                       const std::byte *result, std::byte *data,
                       const std::byte *filter) {
  // One channel of one image is summed up, then stored.
  Nest<2> view; // of the sums, dense, and of the data
  int64_t elements = 1;
  for (size_t d = p.spatial.size(); d-- > 0;) {
    const auto &s = p.spatial[d];
    view.insert(view.begin(), {s.in, {elements, s.dataStride}});
    elements *= s.in;
  }
  ConvolutionProblem dense = p;
  for (size_t d = 0; d < view.size(); ++d)
    dense.spatial[d].dataStride = view[d].strides[0];
  withElement(type, [&](auto element) {
    using T = decltype(element);
    const T *dy = reinterpret_cast<const T *>(result);
    const T *w = reinterpret_cast<const T *>(filter);
    std::vector<Accumulator<T>> sums(static_cast<size_t>(elements));
    const Nest<3> channels = {
        {p.batch, {p.result.batch, p.data.batch, 0}},
        {p.groups, {p.result.group, p.data.group, p.filter.group}},
        {p.c, {0, p.data.c, p.filter.c}}};
    forEach(channels, Offsets<3>{}, [&](const Offsets<3> &at) {
      std::fill(sums.begin(), sums.end(), Accumulator<T>(0));
      for (int64_t m = 0; m < p.m; ++m)
        forEachPlace(p, [&](const std::vector<int64_t> &k, int64_t inFilter) {
          const auto weight = load(w[at[2] + m * p.filter.m + inFilter]);
          forEachMeeting(dense, k, at[0] + m * p.result.m, 0,
                         [&](int64_t from, int64_t to, const Loop<2> &run) {
                           for (int64_t i = 0; i < run.extent; ++i)
                             sums[size_t(to + i * run.strides[1])] +=
                                 weight * load(dy[from + i * run.strides[0]]);
                         });
        });
      forEach(view, Offsets<2>{0, at[1]}, [&](const Offsets<2> &to) {
        reinterpret_cast<T *>(data)[to[1]] = store<T>(sums[size_t(to[0])]);
      });
    });
  });
}

void cpu::convolveFilter(DType type, const ConvolutionProblem &p,
                         const std::byte *result, const std::byte *data,
                         std::byte *filter) {
  withElement(type, [&](auto element) {
    using T = decltype(element);
    const T *dy = reinterpret_cast<const T *>(result);
    const T *x = reinterpret_cast<const T *>(data);
    const Nest<3> channels = {
        {p.groups, {p.result.group, p.data.group, p.filter.group}},
        {p.m, {p.result.m, 0, p.filter.m}},
        {p.c, {0, p.data.c, p.filter.c}}};
    forEach(channels, Offsets<3>{}, [&](const Offsets<3> &at) {
      forEachPlace(p, [&](const std::vector<int64_t> &k, int64_t inFilter) {
        Accumulator<T> sum = 0;
        for (int64_t n = 0; n < p.batch; ++n)
          forEachMeeting(p, k, at[0] + n * p.result.batch,
                         at[1] + n * p.data.batch,
                         [&](int64_t a, int64_t b, const Loop<2> &run) {
                           for (int64_t i = 0; i < run.extent; ++i)
                             sum += load(dy[a + i * run.strides[0]]) *
                                    load(x[b + i * run.strides[1]]);
                         });
        reinterpret_cast<T *>(filter)[at[2] + inFilter] = store<T>(sum);
      });
    });
  });
}
