#include "runtime/backends/cpu/ConvolutionPart.h"

#include "kernels/cpu/Nest.h"

#include <algorithm>
#include <cstring>

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

void runtime::clearBox(const BufferView &view, const Box &box) {
  const int64_t size = byteSize(view.type.dtype);
  const std::vector<int64_t> strides = view.strides();
  cpu::Nest<1> rows;
  int64_t offset = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    offset += (box[d].lo - view.box[d].lo) * strides[d];
    rows.push_back({box[d].size(), {strides[d]}});
  }
  cpu::simplify(rows);
  int64_t run = 1;
  if (!rows.empty() && rows.back().strides[0] == 1) {
    run = rows.back().extent;
    rows.pop_back();
  }
  cpu::forEach(rows, cpu::Offsets<1>{offset}, [&](const cpu::Offsets<1> &at) {
    std::memset(view.data + at[0] * size, 0, size_t(run * size));
  });
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

Result<std::vector<ConvolutionPart>>
runtime::plainParts(const ConvolutionSite &site, const std::vector<Box> &pieces,
                    int threads) {
  // An image at a time (the filter's gradient has none), and a few channels (or
  // a group) where that is needed to keep all threads busy.
  const bool byImage = site.wanted != Wanted::Filter;
  std::vector<ConvolutionPart> parts;
  for (const Box &piece : pieces) {
    const int64_t images = byImage ? piece[0].size() : 1;
    const int64_t size = piece[1].size();
    const bool grouped = size > site.channelsPerGroup();
    const int64_t unit = grouped ? site.channelsPerGroup() : 1;
    const int64_t ways =
        std::min<int64_t>(size / unit, (4 * threads + images - 1) / images);
    for (int64_t n = 0; n < images; ++n)
      for (int64_t i = 0; i < ways; ++i) {
        Box box = piece;
        const Interval range = cut({0, size / unit}, ways, i);
        if (byImage)
          box[0] = {piece[0].lo + n, piece[0].lo + n + 1};
        box[1] = {piece[1].lo + range.lo * unit, piece[1].lo + range.hi * unit};
        auto part = partOf(site, box);
        if (!part)
          return part.takeError();
        parts.push_back(std::move(*part));
      }
  }
  return parts;
}
