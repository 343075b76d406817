#include "runtime/backends/cpu/LibraryConvolution.h"

#include "runtime/backends/cpu/ConvolutionTiles.h"
#include "runtime/backends/cpu/LibraryShape.h"
#include "runtime/backends/cpu/PlainParts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

using namespace smex;
using namespace smex::runtime;
using Desc = dnnl::memory::desc;
using Problem = cpu::ConvolutionProblem;

namespace {
/// A part of the filter that some tiles share, in the library's layout.
struct Slice {
  const std::byte *from; // in the filter's buffer
  Desc plain, packed;
  dnnl::reorder pack;
  int64_t at = 0; // among the packed slices
};

class LibraryConvolution : public BoundKernel {
public:
  LibraryConvolution(const ConvolutionSite &site, const ThreadGroup &threads)
      : site(site), threads(threads) {}

  /// False if the library has no fast kernel.
  bool prepare(const std::vector<ConvolutionPart> &parts) {
    for (ConvolutionPart part : parts) {
      if (part.isZero) {
        tiles.push_back({std::move(part), nullptr, 0});
        continue;
      }
      skipUnread(part.problem);
      auto [shape, isNew] =
          shapes.try_emplace(sizesOf(part.problem, false), nullptr);
      if (isNew && !(shape->second = makeShape(part.problem)))
        return false;
      const size_t slice = sliceOf(part, shape->second->layout());
      tiles.push_back({std::move(part), shape->second.get(), slice});
    }
    return true;
  }

  /// What the workspace must hold for this many threads; after prepare().
  int64_t wanted(int number) const { return sharedBytes() + number * stretch; }

  /// Gives every thread its stretch of the workspace, behind the packed filter
  /// unless that replaces the filter in its buffer. False if not even one
  /// stretch fits.
  bool settle(Workspace workspace) {
    if (wanted(1) > workspace.bytes)
      return false;
    const int64_t shared = sharedBytes();
    packedAt = workspace.data;
    stretches = workspace.data + shared;
    team = stretch ? int(std::min<int64_t>((workspace.bytes - shared) / stretch,
                                           threads.size()))
                   : threads.size();
    if (fitsInPlace())
      packInPlace();
    return true;
  }

  Status run() override {
    if (!inPlace)
      threads.forEach(int64_t(slices.size()), [this](int64_t i, int) {
        packSlice(slices[size_t(i)], packedAt + slices[size_t(i)].at);
      });
    threads.forEach(
        int64_t(tiles.size()),
        [this](int64_t i, int thread) {
          const Tile &tile = tiles[size_t(i)];
          if (tile.part.clear.size() > 0)
            clearBox(site.data, tile.part.clear);
          if (!tile.part.isZero)
            tile.shape->run(tile.part, packedAt + slices[tile.slice].at,
                            stretches + thread * stretch);
        },
        team);
    return {};
  }

private:
  struct Tile {
    ConvolutionPart part;
    const LibraryShape *shape; // null: zero
    size_t slice;
  };

  /// The packed filter may replace the filter if it is no larger and has every
  /// element once: none may be lost.
  bool fitsInPlace() const {
    int64_t elements = 0;
    for (const Slice &slice : slices) {
      int64_t volume = 1;
      for (int64_t extent : slice.plain.dims())
        volume *= extent;
      elements += volume;
    }
    const int64_t filter = volume(site.filter.box);
    return site.filter.exclusive && elements == filter &&
           packed <= filter * byteSize(site.type);
  }
  int64_t sharedBytes() const { return fitsInPlace() ? 0 : packed; }

  /// Tiles share the packed filter, if there is code for its layout; else they
  /// have another layout of their own.
  std::unique_ptr<LibraryShape> makeShape(const Problem &p) {
    std::vector<Desc> &known = layouts[sizesOf(p, true)];
    std::vector<Desc> tries = known;
    tries.push_back(anyLayout(filterDesc(p, site.type)));
    for (const Desc &layout : tries)
      try {
        auto shape =
            std::make_unique<LibraryShape>(p, site.type, site.wanted, layout);
        if (shape->isSlow())
          continue;
        if (&layout == &tries.back())
          known.push_back(shape->layout());
        stretch = std::max(stretch, shape->workspaceBytes());
        return shape;
      } catch (const dnnl::error &) {
        // The library has no code for it.
      }
    return nullptr;
  }

  size_t sliceOf(const ConvolutionPart &part, const Desc &layout) {
    const auto [begin, end] = sliceNumbers.equal_range(part.filter);
    for (auto known = begin; known != end; ++known)
      if (slices[known->second].packed == layout)
        return known->second;
    sliceNumbers.emplace(part.filter, slices.size());
    const Desc plain = filterDesc(part.problem, site.type);
    slices.push_back(
        {part.filter, plain, layout, reorderOf(plain, layout), packed});
    packed += aligned(layout.get_size());
    return slices.size() - 1;
  }

  static void packSlice(const Slice &slice, std::byte *to) {
    slice.pack.execute(onednnStream(),
                       {{DNNL_ARG_FROM, onednnMemory(slice.plain, slice.from)},
                        {DNNL_ARG_TO, onednnMemory(slice.packed, to)}});
  }

  void packInPlace() {
    std::vector<std::byte> copy(size_t(packed) + 64);
    std::byte *start = copy.data() + (64 - uintptr_t(copy.data()) % 64) % 64;
    for (const Slice &slice : slices)
      packSlice(slice, start + slice.at);
    std::memcpy(site.filter.data, start, size_t(packed));
    packedAt = site.filter.data;
    inPlace = true;
  }

  ConvolutionSite site;
  const ThreadGroup &threads;
  std::map<std::vector<int64_t>, std::unique_ptr<LibraryShape>> shapes;
  // Of packed filters of one size; most often there is one.
  std::map<std::vector<int64_t>, std::vector<Desc>> layouts;
  std::vector<Slice> slices;
  std::multimap<const std::byte *, size_t> sliceNumbers;
  std::vector<Tile> tiles;
  int64_t packed = 0;  // bytes of all slices
  int64_t stretch = 0; // bytes per thread
  int team = 0;        // threads that the workspace suffices for
  bool inPlace = false;
  std::byte *packedAt = nullptr, *stretches = nullptr;
};

/// Bytes of data and result below which a tile wastes time.
constexpr int64_t goodTile = 1 << 15, smallestTile = 1 << 11;

/// Null if there is no fast kernel, or, then with `tooLarge`, not enough
/// workspace.
Result<BoundKernelPtr> attempt(const ConvolutionSite &site,
                               const std::vector<Box> &pieces,
                               Workspace workspace, const ThreadGroup &threads,
                               int64_t last, bool &tooLarge) {
  // Smaller tiles until the workspace is enough for the threads.
  constexpr int64_t first = 2 << 20;
  const int goodNumber = std::min(8, threads.size());
  for (int64_t target = first; target >= last; target /= 4) {
    std::vector<ConvolutionPart> parts;
    for (const Box &piece : pieces)
      for (const Box &tile : cutTiles(site, piece, target)) {
        auto part = partOf(site, tile);
        if (!part)
          return part.takeError();
        if (part->isZero && site.wanted == Wanted::Result)
          return // only padding: not worth a kernel
              BoundKernelPtr();
        parts.push_back(std::move(*part));
      }
    try {
      auto kernel = std::make_unique<LibraryConvolution>(site, threads);
      if (!kernel->prepare(parts)) {
        if (target == first)
          return BoundKernelPtr();
        break; // tiles that small have no fast kernel
      }
      // Smaller tiles would not make the filter smaller, halves do.
      if (last == goodTile && kernel->wanted(0) > workspace.bytes / 2)
        break;
      const bool smallest = target / 4 < last;
      if (!smallest && kernel->wanted(goodNumber) > workspace.bytes)
        continue;
      if (kernel->settle(workspace))
        return BoundKernelPtr(std::move(kernel));
    } catch (const dnnl::error &) {
      return BoundKernelPtr(); // the library has no code for it
    }
  }
  tooLarge = true;
  return BoundKernelPtr();
}

/// Halves of the wanted channels, one after the other: each packs only its part
/// of the filter. Nothing if a piece cannot be cut.
std::optional<std::array<std::vector<Box>, 2>>
halve(const ConvolutionSite &site, const std::vector<Box> &pieces) {
  constexpr int64_t least = 16; // what library kernels compute together
  std::array<std::vector<Box>, 2> halves;
  for (const Box &piece : pieces) {
    const Interval m = piece[1];
    const bool grouped = m.size() > site.channelsPerGroup();
    const int64_t unit = grouped ? site.channelsPerGroup() : least;
    const int64_t middle = m.lo + m.size() / 2 / unit * unit;
    if (middle == m.lo)
      return std::nullopt;
    for (auto &half : halves)
      half.push_back(piece);
    halves[0].back()[1].hi = halves[1].back()[1].lo = middle;
  }
  return halves;
}
} // namespace

Result<BoundKernelPtr> runtime::bindLibraryConvolution(
    const ConvolutionSite &site, const std::vector<Box> &pieces,
    Workspace workspace, const ThreadGroup &threads) {
  const bool supported =
      (site.type == DType::F32 || site.type == DType::BF16) &&
      site.spatialRank() >= 1 && site.spatialRank() <= 3;
  if (!supported || workspace.bytes == 0)
    return BoundKernelPtr();
  bool tooLarge = false;
  auto whole = attempt(site, pieces, workspace, threads, goodTile, tooLarge);
  if (!whole || *whole || !tooLarge)
    return whole;
  const auto halves = halve(site, pieces);
  if (!halves)
    return attempt(site, pieces, workspace, threads, smallestTile, tooLarge);
  std::vector<BoundKernelPtr> both;
  for (const std::vector<Box> &half : *halves) {
    auto kernel = bindLibraryConvolution(site, half, workspace, threads);
    if (!kernel || !*kernel)
      return kernel;
    both.push_back(std::move(*kernel));
  }
  return BoundKernelPtr(new KernelSequence(std::move(both)));
}
