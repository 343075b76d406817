#include "runtime/backends/cpu/PlainParts.h"

#include "kernels/cpu/Nest.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

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
