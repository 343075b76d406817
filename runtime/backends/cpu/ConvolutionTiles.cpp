#include "runtime/backends/cpu/ConvolutionTiles.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
// Below, a tile is not worth its overhead; above, threads wait for each other.
constexpr double leastFlops = 8e6, mostFlops = 128e6;
/// Output channels that library kernels compute together.
constexpr int64_t channelBlock = 16;

/// A piece's sizes, per image. The data is what is read, the result what is
/// wanted.
struct Sizes {
  double flops, data, result, filter;
};

Sizes sizesOf(const ConvolutionSite &site, const Box &piece) {
  const size_t rank = site.spatialRank(), atC = site.indexOfC();
  const double element = double(byteSize(site.type));
  const bool backward = site.wanted == Wanted::Data;
  const double wanted = double(piece[1].size());
  const double others = double(piece[atC].size());
  const double groups =
      std::max(1.0, double(piece[1].size() / site.channelsPerGroup()));
  double to = 1, from = 1, kernel = 1, points = 1;
  for (size_t d = 0; d < rank; ++d) {
    const double k = double(piece[atC + 1 + d].size());
    const double stride = double(site.info.strides[d]);
    const double reach = (k - 1) * double(site.info.dilations[d]);
    const double size = double(piece[2 + d].size());
    kernel *= k;
    to *= size;
    points *= backward ? size / stride : size; // that have all the window
    from *=
        backward ? (size + reach) / stride : (size - 1) * stride + reach + 1;
  }
  return {2 * wanted * others * points * kernel,
          groups * others * from * element, wanted * to * element,
          wanted * others * kernel * element};
}
} // namespace

std::vector<Box> runtime::cutSide(const std::vector<Box> &boxes, size_t side,
                                  int64_t ways, int64_t unit) {
  std::vector<Box> pieces;
  for (const Box &box : boxes) {
    const int64_t units = (box[side].size() + unit - 1) / unit;
    for (int64_t part = 0; part < ways; ++part) {
      const Interval range = cut({0, units}, ways, part);
      Box piece = box;
      piece[side] = intersect(box[side], {box[side].lo + range.lo * unit,
                                          box[side].lo + range.hi * unit});
      if (!piece[side].empty())
        pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

std::vector<Box> runtime::cutTiles(const ConvolutionSite &site,
                                   const Box &piece, int64_t bytes) {
  const Sizes image = sizesOf(site, piece);
  const int64_t images = piece[0].size();
  const double limit = double(std::max<int64_t>(bytes, 1));
  const int64_t together = std::clamp<int64_t>(
      int64_t(std::min(leastFlops / image.flops,
                       limit / (image.data + image.result))),
      1, images);
  std::vector<Box> tiles =
      cutSide({piece}, 0, (images + together - 1) / together, 1);
  if (together > 1)
    return tiles;

  // One image per tile, and maybe less: rows of the result, which read the
  // whole filter each, or channels, which bring the same data each.
  const int64_t perGroup = site.channelsPerGroup();
  const bool grouped = piece[1].size() > perGroup;
  const int64_t unit =
      grouped ? perGroup * std::max<int64_t>(1, channelBlock / perGroup)
              : channelBlock;
  const int64_t channelUnits = (piece[1].size() + unit - 1) / unit;
  int64_t rows = 1, channels = 1;
  for (;;) {
    const double data =
        image.data / double(rows) / double(grouped ? channels : 1);
    const double result = image.result / double(rows * channels);
    const bool tooLarge = data + result > limit;
    const bool quick = image.flops / double(rows * channels) <= mostFlops;
    const bool canRows = 2 * rows <= piece[2].size();
    // Fewer channels of the result leave the data as large as it is.
    const bool hopeless = !canRows && !grouped && data > result;
    if (quick && (!tooLarge || hopeless))
      break;
    const bool canChannels = 2 * channels <= channelUnits;
    const bool channelsPay =
        grouped || (data < image.filter / double(channels) &&
                    !(tooLarge && data > result));
    if (canChannels && (channelsPay || !canRows))
      channels *= 2;
    else if (canRows)
      rows *= 2;
    else
      break;
  }
  // Rows of the data's gradient start where the stride does: tiles are alike.
  const int64_t rowUnit =
      site.wanted == Wanted::Data ? site.info.strides[0] : 1;
  return cutSide(cutSide(tiles, 1, channels, unit), 2, rows, rowUnit);
}
