#include "runtime/backends/convolution/ConvolutionPart.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

std::vector<Box> runtime::cutGroups(const ConvolutionSite &site,
                                    const Box &indices) {
  const int64_t size = std::max<int64_t>(site.channelsPerGroup(), 1);
  const Interval m = indices[1];
  const bool allChannels =
      indices[site.indexOfC()] == Interval{0, site.othersPerGroup()};
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

bool ConvolutionSite::sound() const {
  const size_t rank = result.type.shape.size();
  return spatialRank() > 0 && rank == 2 + spatialRank() &&
         data.type.shape.size() == rank && filter.type.shape.size() == rank &&
         result.type.shape[1] % info.groups == 0 &&
         data.type.shape[1] % info.groups == 0 &&
         filter.type.shape[1] == cPerGroup() &&
         filter.type.shape[0] == result.type.shape[1] &&
         result.type.dtype == type && data.type.dtype == type &&
         filter.type.dtype == type;
}

namespace {
int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// Where views start and how they step, channels and groups first.
void setChannels(const ConvolutionSite &site, cpu::ConvolutionProblem &p) {
  const std::vector<int64_t> result = site.result.strides(),
                             data = site.data.strides(),
                             filter = site.filter.strides();
  p.result = {result[0], result[1] * site.mPerGroup(), result[1], 0};
  p.data = {data[0], data[1] * site.cPerGroup(), 0, data[1]};
  p.filter = {0, filter[0] * site.mPerGroup(), filter[0], filter[1]};
  for (size_t d = 0; d < site.spatialRank(); ++d) {
    cpu::ConvolutionProblem::Spatial s;
    s.stride = site.info.strides[d];
    s.dilation = site.info.dilations[d];
    s.resultStride = result[2 + d];
    s.dataStride = data[2 + d];
    s.filterStride = filter[2 + d];
    p.spatial.push_back(s);
  }
}

/// Checks that the buffers hold these boxes, and finds where they start. What
/// is only read need not be there if nothing is summed.
Result<ConvolutionPart> place(const ConvolutionSite &site, ConvolutionPart part,
                              const Box &result, const Box &data,
                              const Box &filter) {
  const auto start = [&](Wanted which, const BufferView &view, const Box &box,
                         const char *name) -> Result<std::byte *> {
    const bool wanted = site.wanted == which;
    if (part.isZero && !wanted)
      return static_cast<std::byte *>(nullptr);
    if (!contains(view.box, box))
      return fail("the ", name, "'s buffer does not hold ", toString(box));
    const std::vector<int64_t> strides = view.strides();
    int64_t offset = 0;
    for (size_t d = 0; d < box.size(); ++d)
      offset += (box[d].lo - view.box[d].lo) * strides[d];
    return view.data + offset * byteSize(view.type.dtype);
  };
  const auto inResult = start(Wanted::Result, site.result, result, "result");
  const auto inData = start(Wanted::Data, site.data, data, "data");
  const auto inFilter = start(Wanted::Filter, site.filter, filter, "filter");
  for (const auto *each : {&inResult, &inData, &inFilter})
    if (!*each)
      return each->error();
  part.result = *inResult;
  part.data = *inData;
  part.dataBox = data;
  part.filter = *inFilter;
  return part;
}

/// The o and k of these ranges with o*stride + k*dilation - pad in x: the
/// smallest ranges that hold them all, both empty or neither.
std::pair<Interval, Interval> meeting(const cpu::ConvolutionProblem::Spatial &s,
                                      Interval x, int64_t pad, Interval o,
                                      Interval k) {
  Interval someO, someK;
  for (int64_t at = k.lo; at < k.hi; ++at) {
    const int64_t shift = pad - at * s.dilation;
    const Interval range =
        intersect(o, {-floorDiv(-(x.lo + shift), s.stride),
                      floorDiv(x.hi - 1 + shift, s.stride) + 1});
    if (range.empty())
      continue;
    const bool first = someK.empty();
    someO = first ? range
                  : Interval{std::min(someO.lo, range.lo),
                             std::max(someO.hi, range.hi)};
    someK = {first ? at : someK.lo, at + 1};
  }
  return {someO, someK};
}

Result<ConvolutionPart> dataPartOf(const ConvolutionSite &site,
                                   const Box &indices) {
  const size_t rank = site.spatialRank();
  const Interval n = indices[0], c = indices[1], m = indices[2 + rank];
  const int64_t perGroup = site.cPerGroup(), firstGroup = c.lo / perGroup;
  ConvolutionPart part;
  cpu::ConvolutionProblem &p = part.problem;
  p.batch = n.size();
  p.groups = std::max<int64_t>(c.size() / perGroup, 1);
  p.c = c.size() / p.groups;
  p.m = m.size();
  setChannels(site, p);
  const int64_t channel = firstGroup * site.mPerGroup() + m.lo;
  Box result{n, {channel, channel + (p.groups - 1) * site.mPerGroup() + p.m}};
  Box filter{result[1], {c.lo % perGroup, c.lo % perGroup + p.c}};
  Box data{n, c};
  bool reached = true; // every element of the data, by some term
  for (size_t d = 0; d < rank; ++d) {
    auto &s = p.spatial[d];
    // What of o and k meets in the wanted x, and where all of that leads: no
    // further than the wanted x.
    const auto [o, k] =
        meeting(s, indices[2 + d], site.info.pads[d], indices[3 + 2 * rank + d],
                indices[3 + rank + d]);
    const int64_t first =
        o.lo * s.stride + k.lo * s.dilation - site.info.pads[d];
    const int64_t last =
        first + (o.size() - 1) * s.stride + (k.size() - 1) * s.dilation;
    const Interval x = intersect(indices[2 + d], {first, last + 1});
    if (k.empty() || x.empty()) {
      part.isZero = true;
      break;
    }
    s.out = o.size();
    s.kernel = k.size();
    s.in = x.size();
    s.padLow = x.lo - first;
    reached &= x == indices[2 + d] && (s.kernel > 1 || s.stride == 1);
    result.push_back(o);
    filter.push_back(k);
    data.push_back(x);
  }
  part.isZero |= m.empty();
  const Box whole(indices.begin(), indices.begin() + std::ptrdiff_t(2 + rank));
  if (part.isZero)
    data = whole;
  if (part.isZero || !reached)
    part.clear = whole;
  if (!contains(site.data.box, whole))
    return fail("the data's buffer does not hold ", toString(whole));
  return place(site, std::move(part), result, data, filter);
}
} // namespace

Result<ConvolutionPart> runtime::partOf(const ConvolutionSite &site,
                                        const Box &indices) {
  if (site.wanted == Wanted::Data)
    return dataPartOf(site, indices);
  const size_t rank = site.spatialRank(), atC = site.indexOfC();
  const Interval n = indices[0], m = indices[1], c = indices[atC];
  const int64_t perGroup = site.mPerGroup();
  const int64_t firstGroup = m.lo / perGroup;
  ConvolutionPart part;
  cpu::ConvolutionProblem &p = part.problem;
  p.batch = n.size();
  p.groups = std::max<int64_t>(m.size() / perGroup, 1);
  p.m = m.size() / p.groups;
  p.c = c.size();
  setChannels(site, p);

  const int64_t channel = firstGroup * site.cPerGroup() + c.lo;
  Box result{n, m}, filter{m, c};
  Box data{n, {channel, channel + (p.groups - 1) * site.cPerGroup() + p.c}};
  for (size_t d = 0; d < rank; ++d) {
    const Interval o = indices[2 + d], k = indices[atC + 1 + d];
    auto &s = p.spatial[d];
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
    result.push_back(o);
    filter.push_back(k);
    data.push_back(x);
    part.isZero |= x.empty();
  }
  part.isZero |= isEmpty(result) || isEmpty(data) || isEmpty(filter);
  if (part.isZero)
    p.c = 0; // what plain loops make zeros of
  if (part.isZero && site.wanted == Wanted::Filter)
    part.clear = filter;
  return place(site, std::move(part), result, data, filter);
}

namespace {
/// From the order of the lambda's index variables to that of the site. Indices
/// that the lambda does without are whole.
Box orderedIndices(const ConvolutionSite &site,
                   const std::vector<plan::ConvolutionRole> &roles,
                   const Box &indices) {
  const size_t rank = site.spatialRank();
  const bool byData = site.wanted == Wanted::Data;
  const std::string order = byData ? "ncxmko" : "nmock";
  Box box;
  for (const char kind : order) {
    const bool isSpatial = kind == 'x' || kind == 'o' || kind == 'k';
    for (size_t d = 0; d < (isSpatial ? rank : 1); ++d) {
      box.push_back({0, kind == 'm'   ? site.mPerGroup()
                        : kind == 'k' ? site.filter.type.shape[2 + d]
                                      : site.result.type.shape[2 + d]});
      for (size_t i = 0; i < roles.size(); ++i)
        if (roles[i] == plan::ConvolutionRole{kind, int(d)})
          box.back() = indices[i];
    }
  }
  return box;
}
} // namespace

std::optional<SitedPart>
runtime::siteOf(const plan::Kernel &kernel, const tdl::Lambda &lambda,
                DType type, const BufferView &result,
                const std::vector<BufferView> &operands, const Box &indices) {
  if (!plan::isGradient(kernel.kind)) {
    SitedPart sited{
        {kernel.convolution, type, result, operands[0], operands[1]}, indices};
    if (!sited.site.sound())
      return std::nullopt;
    return sited;
  }
  const bool byData = kernel.kind == plan::KernelKind::ConvolutionData;
  const size_t gradient = size_t(kernel.convolution.gradient);
  const BufferView &other = operands[1 - gradient];
  SitedPart sited{{kernel.convolution, type, operands[gradient],
                   byData ? result : other, byData ? other : result,
                   byData ? Wanted::Data : Wanted::Filter},
                  {}};
  const auto roles = plan::convolutionRoles(kernel, lambda);
  if (!roles || !sited.site.sound())
    return std::nullopt;
  sited.indices = orderedIndices(sited.site, *roles, indices);
  return sited;
}
