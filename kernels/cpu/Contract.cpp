#include "kernels/cpu/Contract.h"

#include "kernels/cpu/Element.h"
#include "kernels/cpu/Nest.h"

#include <algorithm>

using namespace smex;
using namespace smex::cpu;

void cpu::contract(DType type, const std::vector<ContractionIndex> &indices,
                   std::byte *result, const std::byte *left,
                   const std::byte *right) {
  Nest<3> outer;
  Nest<2> summed;
  for (const ContractionIndex &index : indices)
    if (index.summed)
      summed.push_back({index.extent, {index.left, index.right}});
    else
      outer.push_back({index.extent, {index.result, index.left, index.right}});
  simplify(outer);
  simplify(summed);
  Loop<2> run;
  if (!summed.empty()) {
    run = summed.back();
    summed.pop_back();
  }
  withElement(type, [&](auto element) {
    using T = decltype(element);
    const T *a = reinterpret_cast<const T *>(left);
    const T *b = reinterpret_cast<const T *>(right);
    forEach(outer, Offsets<3>{}, [&](const Offsets<3> &at) {
      Accumulator<T> sum = 0;
      forEach(summed, Offsets<2>{at[1], at[2]}, [&](const Offsets<2> &from) {
        for (int64_t i = 0; i < run.extent; ++i)
          sum += load(a[from[0] + i * run.strides[0]]) *
                 load(b[from[1] + i * run.strides[1]]);
      });
      reinterpret_cast<T *>(result)[at[0]] = store<T>(sum);
    });
  });
}

using Spatial = ConvolutionProblem::Spatial;

Interval Spatial::inside(int64_t k) const {
  // 0 <= o*stride + shift < in
  const int64_t shift = k * dilation - padLow;
  const auto ceilDiv = [&](int64_t a) {
    return a > 0 ? (a + stride - 1) / stride : -(-a / stride);
  };
  return intersect(Interval{0, out},
                   Interval{ceilDiv(-shift), ceilDiv(in - shift)});
}

namespace {

/// One row of the result along the last spatial dimension, summed up in `row`.
template <typename T> class RowConvolution {
public:
  using A = Accumulator<T>;

  RowConvolution(const ConvolutionProblem &problem, const T *data,
                 const T *filter)
      : problem(problem), data(data), filter(filter),
        row(size_t(problem.spatial.back().out)) {}

  const std::vector<A> &compute(int64_t n, int64_t g, int64_t m,
                                const std::vector<int64_t> &outer) {
    std::fill(row.begin(), row.end(), A(0));
    const int64_t from = n * problem.data.batch + g * problem.data.group;
    const int64_t with = g * problem.filter.group + m * problem.filter.m;
    for (int64_t c = 0; c < problem.c; ++c)
      kernels(0, outer, from + c * problem.data.c, with + c * problem.filter.c);
    return row;
  }

private:
  void kernels(size_t d, const std::vector<int64_t> &outer, int64_t from,
               int64_t with) {
    const Spatial &s = problem.spatial[d];
    if (d + 1 == problem.spatial.size())
      return innermost(s, from, with);
    for (int64_t k = 0; k < s.kernel; ++k) {
      const int64_t x = outer[d] * s.stride + k * s.dilation - s.padLow;
      if (x >= 0 && x < s.in)
        kernels(d + 1, outer, from + x * s.dataStride,
                with + k * s.filterStride);
    }
  }

  void innermost(const Spatial &s, int64_t from, int64_t with) {
    for (int64_t k = 0; k < s.kernel; ++k) {
      const A weight = load(filter[with + k * s.filterStride]);
      const Interval range = s.inside(k);
      const int64_t step = s.stride * s.dataStride;
      const T *x = data + from + (k * s.dilation - s.padLow) * s.dataStride;
      if (step == 1)
        for (int64_t o = range.lo; o < range.hi; ++o)
          row[size_t(o)] += weight * load(x[o]);
      else
        for (int64_t o = range.lo; o < range.hi; ++o)
          row[size_t(o)] += weight * load(x[o * step]);
    }
  }

  const ConvolutionProblem &problem;
  const T *data, *filter;
  std::vector<A> row;
};
} // namespace

void cpu::convolve(DType type, const ConvolutionProblem &problem,
                   std::byte *result, const std::byte *data,
                   const std::byte *filter) {
  const size_t rank = problem.spatial.size();
  withElement(type, [&](auto element) {
    using T = decltype(element);
    RowConvolution<T> rows(problem, reinterpret_cast<const T *>(data),
                           reinterpret_cast<const T *>(filter));
    // Coordinates n, g, m and the outer spatial ones, as offsets of an odometer
    // whose first "array" is the result.
    std::vector<int64_t> extents = {problem.batch, problem.groups, problem.m};
    std::vector<int64_t> strides = {problem.result.batch, problem.result.group,
                                    problem.result.m};
    for (size_t d = 0; d + 1 < rank; ++d) {
      extents.push_back(problem.spatial[d].out);
      strides.push_back(problem.spatial[d].resultStride);
    }
    const Spatial &last = problem.spatial.back();
    std::vector<int64_t> at(extents.size(), 0), outer(rank - 1, 0);
    for (int64_t extent : extents)
      if (extent <= 0)
        return;
    for (bool more = true; more;) {
      std::copy(at.begin() + 3, at.end(), outer.begin());
      const auto &row = rows.compute(at[0], at[1], at[2], outer);
      T *to = reinterpret_cast<T *>(result);
      for (size_t d = 0; d < at.size(); ++d)
        to += at[d] * strides[d];
      for (int64_t o = 0; o < last.out; ++o)
        to[o * last.resultStride] = store<T>(row[size_t(o)]);
      more = false;
      for (size_t d = at.size(); d-- > 0 && !more;)
        if (++at[d] < extents[d])
          more = true;
        else
          at[d] = 0;
    }
  });
}
