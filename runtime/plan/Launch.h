// What starting a kernel of a GPU takes besides its arguments, as data: whoever
// launches it need not look into its code.
#ifndef SMEX_RUNTIME_PLAN_LAUNCH_H
#define SMEX_RUNTIME_PLAN_LAUNCH_H

#include "dialects/support/Box.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smex::plan {

struct Launch {
  /// Threads of a block, in one dimension. The PTX demands this number.
  int64_t threads = 256;
  /// An item of work is a tile of the result: so many tuples of values of
  /// these index variables, times the next ones.
  struct Tile {
    std::vector<int> along;
    int64_t size = 1;

    bool operator==(const Tile &other) const {
      return along == other.along && size == other.size;
    }
  };
  std::vector<Tile> item;
  /// Items that a block takes at a time.
  int64_t perBlock = 256;
  /// Where the ranges of `terms` have `many` tuples or more, a block takes one
  /// item at a time. 0: never.
  std::vector<int> terms;
  int64_t many = 0;
  /// A block's first item costs it more than those after it: rather as many
  /// blocks as the GPU runs at once, a few times over, than all of blocksOf.
  bool persistent = false;
  /// The kernel has one parameter, the address in the GPU's memory of all
  /// pointers and then all numbers, because they are more than fit the space
  /// for parameters.
  bool inMemory = false;
  /// Memory that each block has to itself, for what it can keep nowhere else:
  /// so many bytes, times these extents of operands. None: 0 bytes, and the
  /// kernel has no pointer to it.
  struct Scratch {
    struct Extent {
      int operand = 0, dimension = 0;

      bool operator==(const Extent &other) const {
        return operand == other.operand && dimension == other.dimension;
      }
    };
    int64_t bytes = 0;
    std::vector<Extent> extents;

    bool operator==(const Scratch &other) const {
      return bytes == other.bytes && extents == other.extents;
    }
  } scratch;

  bool operator==(const Launch &other) const {
    return threads == other.threads && item == other.item &&
           perBlock == other.perBlock && terms == other.terms &&
           many == other.many && persistent == other.persistent &&
           inMemory == other.inMemory && scratch == other.scratch;
  }
};

/// Parameters of a kernel are 8 bytes each, and 4 KiB in all at most.
constexpr int64_t mostParameters = 512;

/// Blocks of a kernel with scratch memory: all of them have theirs at once.
constexpr int64_t mostBlocksWithScratch = 128;

/// Blocks that do all work at once, at least 1. Fewer, or more, compute the
/// same: blocks go on with what is left, so that a caller may cap the number.
/// `numbers` are the kernel's: lo and hi of every index variable come first.
inline int64_t blocksOf(const Launch &launch, const int64_t *numbers) {
  constexpr int64_t most = int64_t(1) << 40;
  const auto tuples = [&](const std::vector<int> &variables) {
    int64_t count = 1;
    for (int v : variables) {
      const int64_t size =
          std::max<int64_t>(0, numbers[2 * v + 1] - numbers[2 * v]);
      count = size > 0 && count > most / size ? most : count * size;
    }
    return count;
  };
  const bool isLong = launch.many > 0 && tuples(launch.terms) >= launch.many;
  const int64_t perBlock = isLong ? 1 : launch.perBlock;
  int64_t items = 1;
  for (const Launch::Tile &tile : launch.item) {
    const int64_t count = (tuples(tile.along) + tile.size - 1) / tile.size;
    items = count > 0 && items > most / count ? most : items * count;
  }
  const int64_t blocks = (items + perBlock - 1) / perBlock;
  return std::clamp<int64_t>(
      blocks, 1, launch.scratch.bytes > 0 ? mostBlocksWithScratch : INT32_MAX);
}

/// Bytes of scratch memory that so many blocks take, one after the other, where
/// operands have these shapes; 2^60 stands for that and more.
inline int64_t scratchBytes(const Launch &launch, int64_t blocks,
                            const std::vector<std::vector<int64_t>> &shapes) {
  constexpr int64_t most = int64_t(1) << 60;
  int64_t bytes = launch.scratch.bytes;
  const auto times = [&](int64_t count) {
    bytes = count > 0 && bytes > most / count ? most : bytes * count;
  };
  for (const Launch::Scratch::Extent &extent : launch.scratch.extents)
    times(shapes[size_t(extent.operand)][size_t(extent.dimension)]);
  times(blocks);
  return bytes;
}

/// The same, of the blocks that do an operator's work at these indices.
inline int64_t scratchBytes(const Launch &launch, const Box &indices,
                            const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<int64_t> numbers;
  for (Interval side : indices)
    numbers.insert(numbers.end(), {side.lo, side.hi});
  return scratchBytes(launch, blocksOf(launch, numbers.data()), shapes);
}

} // namespace smex::plan

#endif
