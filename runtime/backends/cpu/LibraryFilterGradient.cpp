#include "runtime/backends/cpu/LibraryFilterGradient.h"

#include "runtime/backends/cpu/ConvolutionTiles.h"
#include "runtime/backends/cpu/LibraryShape.h"
#include "runtime/backends/cpu/PlainParts.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace smex;
using namespace smex::runtime;
using Desc = dnnl::memory::desc;
using Problem = cpu::ConvolutionProblem;

namespace {
/// The library's code for one size of chunk.
struct Shape {
  dnnl::convolution_backward_weights::primitive_desc desc;
  dnnl::convolution_backward_weights primitive;
  Desc data, result; // the buffers' layouts
  dnnl::reorder bringData, bringResult;
  bool bringsData = false, bringsResult = false;
  int64_t resultAt = 0, scratchAt = 0, bytes = 0; // in a thread's stretch

  Shape(const Problem &p, DType type, const Desc &filter)
      : data(dataDesc(p, type)), result(resultDesc(p, type)) {
    const LibraryGeometry g(p);
    desc = {{dnnl::algorithm::convolution_direct, anyLayout(data), filter,
             anyLayout(result), g.strides, g.dilations, g.low, g.high},
            onednnAttributes(),
            onednnEngine(),
            forwardHint(p, type, anyLayout(filter))};
    primitive = dnnl::convolution_backward_weights(desc);
    bringsData = desc.src_desc() != data;
    bringsResult = desc.diff_dst_desc() != result;
    if (bringsData) {
      bringData = reorderOf(data, desc.src_desc());
      bytes += aligned(desc.src_desc().get_size());
    }
    resultAt = bytes;
    if (bringsResult) {
      bringResult = reorderOf(result, desc.diff_dst_desc());
      bytes += aligned(desc.diff_dst_desc().get_size());
    }
    scratchAt = bytes;
    bytes += aligned(desc.scratchpad_desc().get_size());
  }

  Desc layout() const { return desc.diff_weights_desc(); }

  void run(const ConvolutionPart &part, std::byte *filter,
           std::byte *workspace) const {
    dnnl::stream &stream = onednnStream();
    dnnl::memory x = onednnMemory(data, part.data);
    dnnl::memory dy = onednnMemory(result, part.result);
    const auto bring = [&](dnnl::memory &from, const Desc &layout,
                           const dnnl::reorder &reorder, std::byte *at) {
      const dnnl::memory to = onednnMemory(layout, at);
      reorder.execute(stream, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
      from = to;
    };
    if (bringsData)
      bring(x, desc.src_desc(), bringData, workspace);
    if (bringsResult)
      bring(dy, desc.diff_dst_desc(), bringResult, workspace + resultAt);
    primitive.execute(
        stream, {{DNNL_ARG_SRC, x},
                 {DNNL_ARG_DIFF_DST, dy},
                 {DNNL_ARG_DIFF_WEIGHTS, onednnMemory(layout(), filter)},
                 {DNNL_ARG_SCRATCHPAD, onednnMemory(desc.scratchpad_desc(),
                                                    workspace + scratchAt)}});
  }
};

void addTo(std::byte *sum, const std::byte *term, int64_t bytes) {
  float *to = reinterpret_cast<float *>(sum);
  const float *from = reinterpret_cast<const float *>(term);
  for (int64_t i = 0; i < bytes / 4; ++i)
    to[i] += from[i];
}

/// How much of the sum a chunk takes, and how many groups there are.
struct Cuts {
  int64_t filterBytes, chunkBytes;
};

class LibraryFilterGradient : public BoundKernel {
public:
  LibraryFilterGradient(const ConvolutionSite &site, const ThreadGroup &threads)
      : site(site), threads(threads) {}

  /// False if the library has no fast kernel.
  Result<bool> prepare(const std::vector<Box> &pieces, Cuts cuts,
                       int64_t workspace) {
    std::vector<Box> boxes;
    for (const Box &piece : pieces)
      for (Box &tile : filterTiles(piece, cuts.filterBytes))
        boxes.push_back(std::move(tile));
    int64_t tileBytes = 1;
    for (const Box &box : boxes)
      tileBytes = std::max(tileBytes, filterBytes(box));
    // Groups give threads work and cost memory.
    constexpr int64_t tasks = 8;
    groups = std::clamp<int64_t>(tasks / int64_t(boxes.size()), 1, tasks);
    groups = std::min(groups, workspace / 4 / tileBytes);
    groups = std::max<int64_t>(groups, 1);
    for (const Box &box : boxes) {
      const auto prepared = prepareTile(box, cuts.chunkBytes);
      if (!prepared || !*prepared)
        return prepared;
    }
    for (Tile &tile : tiles) {
      tile.at = sums;
      sums += tile.bytes * int64_t(tile.groups.size());
    }
    if (groups == 1) // each thread has its own
      sums = 0;
    return true;
  }

  int64_t wanted(int number) const {
    return sums + number * (stretch + (groups == 1 ? 2 : 1) * largest);
  }

  bool settle(Workspace given) {
    if (wanted(1) > given.bytes)
      return false;
    team = 1;
    while (team < threads.size() && wanted(team + 1) <= given.bytes)
      ++team;
    workspace = given.data;
    return true;
  }

  Status run() override {
    if (groups == 1) {
      threads.forEach(
          int64_t(tiles.size()),
          [this](int64_t i, int thread) {
            const Tile &tile = tiles[size_t(i)];
            std::byte *own = ownOf(thread);
            sumUp(tile, tile.groups[0], own + largest, own, own + 2 * largest);
            finish(tile, own + largest);
          },
          team);
      return {};
    }
    threads.forEach(
        int64_t(tasks.size()),
        [this](int64_t i, int thread) {
          const auto [number, group] = tasks[size_t(i)];
          const Tile &tile = tiles[number];
          std::byte *own = ownOf(thread);
          sumUp(tile, tile.groups[group], sumOf(tile, group), own,
                own + largest);
        },
        team);
    threads.forEach(int64_t(tiles.size()), [this](int64_t i, int) {
      const Tile &tile = tiles[size_t(i)];
      for (size_t group = 1; group < tile.groups.size(); ++group)
        addTo(sumOf(tile, 0), sumOf(tile, group), tile.bytes);
      finish(tile, sumOf(tile, 0));
    });
    return {};
  }

private:
  struct Chunk {
    ConvolutionPart part;
    const Shape *shape;
  };
  struct Tile {
    std::byte *filter;
    Desc plain, packed;
    dnnl::reorder unpack;
    std::vector<std::vector<Chunk>> groups;
    Box box;           // of the filter
    int64_t bytes = 0; // packed; 0: the gradient is zero
    int64_t at = 0;    // where the sums of the groups start
  };

  int64_t filterBytes(const Box &box) const {
    int64_t bytes = box[1].size() * byteSize(site.type);
    for (size_t i = site.indexOfC(); i < box.size(); ++i)
      bytes *= box[i].size();
    return bytes;
  }

  /// Cuts the channels of the result, then those of the data.
  std::vector<Box> filterTiles(const Box &piece, int64_t most) const {
    constexpr int64_t block = 16; // what library kernels compute together
    const size_t atC = site.indexOfC();
    const int64_t perGroup = site.mPerGroup();
    const bool grouped = piece[1].size() > perGroup;
    const int64_t unitM =
        grouped ? perGroup * std::max<int64_t>(1, block / perGroup) : block;
    const int64_t unitsM = (piece[1].size() + unitM - 1) / unitM;
    const int64_t unitsC =
        grouped ? 1 : (piece[atC].size() + block - 1) / block;
    const int64_t ways = (filterBytes(piece) + most - 1) / most;
    const int64_t waysM = std::min(ways, (unitsM + 1) / 2);
    const int64_t waysC =
        std::min((ways + waysM - 1) / waysM, (unitsC + 1) / 2);
    return cutSide(cutSide({piece}, 1, waysM, unitM), atC, waysC, block);
  }

  /// A tile's images and rows, cut for the groups and then into chunks.
  Result<bool> prepareTile(const Box &box, int64_t chunkBytes) {
    const Interval n = box[0], rows = box[2];
    // Each group has some images, or a part of the rows of all.
    const bool byImage = n.size() >= groups;
    const int64_t number = std::min(
        groups, byImage ? n.size() : std::max<int64_t>(rows.size() / 4, 1));
    Tile tile;
    for (int64_t group = 0; group < number; ++group) {
      Box part = box;
      part[byImage ? 0 : 2] = cut(byImage ? n : rows, number, group);
      std::vector<Chunk> chunks;
      for (const Box &chunk : chunksOf(part, chunkBytes)) {
        const auto prepared = prepareChunk(chunk, tile, chunks);
        if (!prepared || !*prepared)
          return prepared;
      }
      tile.groups.push_back(std::move(chunks));
    }
    const auto whole = partOf(site, box);
    if (!whole)
      return whole.error();
    tile.filter = whole->filter;
    tile.box = {box[1]};
    tile.box.append(box.begin() + site.indexOfC(), box.end());
    if (tile.bytes > 0) {
      tile.plain = filterDesc(whole->problem, site.type);
      tile.unpack = reorderOf(tile.packed, tile.plain);
    }
    largest = std::max(largest, tile.bytes);
    for (size_t group = 0; group < tile.groups.size(); ++group)
      tasks.emplace_back(tiles.size(), group);
    tiles.push_back(std::move(tile));
    return true;
  }

  std::vector<Box> chunksOf(const Box &box, int64_t most) const {
    const auto [data, result] = bytesPerImage(box);
    const int64_t together = std::clamp<int64_t>(
        most / (data + result), 1, std::max<int64_t>(box[0].size(), 1));
    std::vector<Box> chunks =
        cutSide({box}, 0, (box[0].size() + together - 1) / together, 1);
    if (together > 1)
      return chunks;
    const int64_t ways =
        std::clamp<int64_t>((data + result + most - 1) / most, 1,
                            std::max<int64_t>(box[2].size(), 1));
    return cutSide(chunks, 2, ways, 1);
  }

  std::pair<int64_t, int64_t> bytesPerImage(const Box &box) const {
    const int64_t element = byteSize(site.type);
    const size_t atC = site.indexOfC();
    const int64_t groupsHere =
        std::max<int64_t>(box[1].size() / site.mPerGroup(), 1);
    int64_t data = groupsHere * box[atC].size() * element;
    int64_t result = box[1].size() * element;
    for (size_t d = 0; d < site.spatialRank(); ++d) {
      result *= box[2 + d].size();
      data *= (box[2 + d].size() - 1) * site.info.strides[d] +
              (box[atC + 1 + d].size() - 1) * site.info.dilations[d] + 1;
    }
    return {std::max<int64_t>(data, 1), std::max<int64_t>(result, 1)};
  }

  /// All chunks of a tile have one layout of the filter, or sums would mix.
  Result<bool> prepareChunk(const Box &box, Tile &tile,
                            std::vector<Chunk> &chunks) {
    auto part = partOf(site, box);
    if (!part)
      return part.takeError();
    if (part->isZero)
      return true;
    skipUnread(part->problem);
    const bool isFirst = tile.bytes == 0;
    auto &known = shapes[sizesOf(part->problem, false)];
    const Shape *found = nullptr;
    for (const auto &shape : known)
      if (isFirst || shape->layout() == tile.packed)
        found = shape.get();
    if (!found) {
      const Desc layout = isFirst
                              ? anyLayout(filterDesc(part->problem, site.type))
                              : tile.packed;
      try {
        known.push_back(
            std::make_unique<Shape>(part->problem, site.type, layout));
      } catch (const dnnl::error &) {
        return false; // the library has no code for it
      }
      found = known.back().get();
      if (isReference(found->desc.impl_info_str()))
        return false;
      stretch = std::max(stretch, found->bytes);
    }
    if (isFirst) {
      tile.packed = found->layout();
      tile.bytes = aligned(tile.packed.get_size());
    }
    chunks.push_back({std::move(*part), found});
    return true;
  }

  std::byte *ownOf(int thread) const {
    return workspace + sums + (wanted(1) - sums) * thread;
  }
  std::byte *sumOf(const Tile &tile, size_t group) const {
    return workspace + tile.at + int64_t(group) * tile.bytes;
  }

  void sumUp(const Tile &tile, const std::vector<Chunk> &chunks, std::byte *sum,
             std::byte *term, std::byte *scratch) const {
    const int64_t bytes = int64_t(tile.bytes ? tile.packed.get_size() : 0);
    if (chunks.empty())
      std::memset(sum, 0, size_t(bytes));
    for (size_t i = 0; i < chunks.size(); ++i) {
      chunks[i].shape->run(chunks[i].part, i ? term : sum, scratch);
      if (i > 0)
        addTo(sum, term, bytes);
    }
  }

  void finish(const Tile &tile, const std::byte *sum) const {
    if (tile.bytes == 0)
      return clearBox(site.filter, tile.box);
    tile.unpack.execute(onednnStream(),
                        {{DNNL_ARG_FROM, onednnMemory(tile.packed, sum)},
                         {DNNL_ARG_TO, onednnMemory(tile.plain, tile.filter)}});
  }

  ConvolutionSite site;
  const ThreadGroup &threads;
  std::map<std::vector<int64_t>, std::vector<std::unique_ptr<Shape>>> shapes;
  std::vector<Tile> tiles;
  std::vector<std::pair<size_t, size_t>> tasks; // tile, group
  int64_t groups = 1;  // that sums are cut into, at most
  int64_t sums = 0;    // bytes of the groups' sums
  int64_t largest = 0; // bytes of a tile of the filter
  int64_t stretch = 0; // bytes per thread, beside those
  int team = 1;        // threads that the workspace suffices for
  std::byte *workspace = nullptr;
};
} // namespace

Result<BoundKernelPtr> runtime::bindLibraryFilterGradient(
    const ConvolutionSite &site, const std::vector<Box> &pieces,
    Workspace workspace, const ThreadGroup &threads) {
  if (site.type != DType::F32 || site.spatialRank() > 3 ||
      workspace.bytes == 0 || pieces.empty())
    return BoundKernelPtr();
  // Smaller tiles and chunks until the workspace is enough for the threads.
  const int goodNumber = std::min(8, threads.size());
  std::unique_ptr<LibraryFilterGradient> last;
  for (Cuts cuts = {1 << 20, 2 << 20}; cuts.chunkBytes >= 1 << 13;
       cuts.filterBytes /= 2, cuts.chunkBytes /= 4) {
    try {
      auto kernel = std::make_unique<LibraryFilterGradient>(site, threads);
      const auto prepared = kernel->prepare(pieces, cuts, workspace.bytes);
      if (!prepared)
        return prepared.error();
      if (!*prepared)
        break;
      last = std::move(kernel);
    } catch (const dnnl::error &) {
      break; // the library has no code for it
    }
    if (last->wanted(goodNumber) <= workspace.bytes)
      break;
  }
  if (!last || !last->settle(workspace))
    return BoundKernelPtr();
  return BoundKernelPtr(std::move(last));
}
