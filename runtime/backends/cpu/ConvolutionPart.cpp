#include "runtime/backends/cpu/ConvolutionPart.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

std::vector<Box> runtime::cutGroups(const ConvolutionSite &site,
                                    const Box &indices) {
  const int64_t size = std::max<int64_t>(site.mPerGroup(), 1);
  const Interval m = indices[1];
  const bool allChannels =
      indices[site.indexOfC()] == Interval{0, site.cPerGroup()};
  std::vector<Box> boxes;
  const auto add = [&](int64_t lo, int64_t hi) {
    boxes.push_back(indices);
    boxes.back()[1] = {lo, hi};
  };
  for (int64_t lo = m.lo; lo < m.hi;) {
    const int64_t groupEnd = (lo / size + 1) * size;
    // From the start of a group, all the groups that follow are one piece.
    const bool whole = lo % size == 0 && m.hi >= groupEnd;
    const int64_t hi =
        whole && allChannels ? m.hi / size * size : std::min(m.hi, groupEnd);
    add(lo, hi);
    lo = hi;
  }
  return boxes;
}

Result<ConvolutionPart> runtime::partOf(const ConvolutionSite &site,
                                        const Box &indices) {
  const size_t rank = site.spatialRank(), atC = site.indexOfC();
  const Interval n = indices[0], m = indices[1], c = indices[atC];
  const int64_t perGroup = site.mPerGroup();
  const int64_t firstGroup = m.lo / perGroup;
  const std::vector<int64_t> resultStrides = site.result.strides();
  const std::vector<int64_t> dataStrides = site.data.strides();
  const std::vector<int64_t> filterStrides = site.filter.strides();

  ConvolutionPart part;
  cpu::ConvolutionProblem &p = part.problem;
  p.batch = n.size();
  p.groups = std::max<int64_t>(m.size() / perGroup, 1);
  p.m = m.size() / p.groups;
  p.c = c.size();
  p.result = {resultStrides[0], resultStrides[1] * p.m, resultStrides[1], 0};
  p.data = {dataStrides[0], dataStrides[1] * site.cPerGroup(), 0,
            dataStrides[1]};
  p.filter = {0, filterStrides[0] * perGroup, filterStrides[0],
              filterStrides[1]};

  const int64_t channel = firstGroup * site.cPerGroup() + c.lo;
  Box result{n, m}, filter{m, c};
  Box data{n, {channel, channel + (p.groups - 1) * site.cPerGroup() + p.c}};
  for (size_t d = 0; d < rank; ++d) {
    const Interval o = indices[2 + d], k = indices[atC + 1 + d];
    cpu::ConvolutionProblem::Spatial s;
    s.stride = site.info.strides[d];
    s.dilation = site.info.dilations[d];
    s.out = o.size();
    s.kernel = k.size();
    // What is read is contiguous but for strides; outside the tensor is zero.
    const int64_t first =
        o.lo * s.stride + k.lo * s.dilation - site.info.pads[d];
    const int64_t last =
        first + (s.out - 1) * s.stride + (s.kernel - 1) * s.dilation;
    const Interval x = intersect(Interval{first, last + 1},
                                 Interval{0, site.data.type.shape[2 + d]});
    s.in = x.size();
    s.padLow = x.lo - first;
    s.resultStride = resultStrides[2 + d];
    s.dataStride = dataStrides[2 + d];
    s.filterStride = filterStrides[2 + d];
    p.spatial.push_back(s);
    result.push_back(o);
    filter.push_back(k);
    data.push_back(x);
    if (x.empty())
      p.c = 0;
  }
  if (isEmpty(data) || isEmpty(filter))
    p.c = 0;

  if (!contains(site.result.box, result))
    return fail("the result's buffer does not hold ", toString(result));
  if (p.c > 0 && !contains(site.data.box, data))
    return fail("the data's buffer does not hold ", toString(data));
  if (p.c > 0 && !contains(site.filter.box, filter))
    return fail("the filter's buffer does not hold ", toString(filter));

  const int64_t size = byteSize(site.type);
  const auto start = [&](const BufferView &view, const Box &box,
                         const std::vector<int64_t> &strides) {
    int64_t offset = 0;
    for (size_t d = 0; d < box.size(); ++d)
      offset += (box[d].lo - view.box[d].lo) * strides[d];
    return view.data + offset * size;
  };
  part.result = start(site.result, result, resultStrides);
  part.data = p.c > 0 ? start(site.data, data, dataStrides) : nullptr;
  part.filter = p.c > 0 ? start(site.filter, filter, filterStrides) : nullptr;
  return part;
}
