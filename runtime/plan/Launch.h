// What starting a kernel of a GPU takes besides its arguments, as data: whoever
// launches it need not look into its code.
#ifndef SMEX_RUNTIME_PLAN_LAUNCH_H
#define SMEX_RUNTIME_PLAN_LAUNCH_H

#include "dialects/support/Box.h"

#include <algorithm>
#include <cstdint>
#include <string>
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

  /// Work that is too much for one block is divided before: where the range of
  /// `along`, a reduction's variable, has `least` values or more, the kernel's
  /// other entry (partsSymbol) is launched first, with the same arguments. It
  /// leaves in memory what parts of `size` values come to, for each tuple of
  /// `columns`; the kernel has a pointer to it as to scratch memory.
  struct Parts {
    int along = -1; // none
    int64_t size = 1, least = 1;
    std::vector<int> columns;

    bool operator==(const Parts &other) const {
      return along == other.along && size == other.size &&
             least == other.least && columns == other.columns;
    }
  } parts;

  bool operator==(const Launch &other) const {
    return threads == other.threads && item == other.item &&
           perBlock == other.perBlock && terms == other.terms &&
           many == other.many && persistent == other.persistent &&
           inMemory == other.inMemory && scratch == other.scratch &&
           parts == other.parts;
  }
};

/// Parameters of a kernel are 8 bytes each, and 4 KiB in all at most.
constexpr int64_t mostParameters = 512;

/// Blocks of a kernel with scratch memory: all of them have theirs at once.
constexpr int64_t mostBlocksWithScratch = 128;

/// Whether a kernel has a pointer to scratch memory behind the operands'.
inline bool hasScratch(const Launch &launch) {
  return launch.scratch.bytes > 0 || launch.parts.along >= 0;
}

/// Tuples of values of the variables; 2^40 stands for that and more. `numbers`
/// are a kernel's: lo and hi of every index variable come first.
inline int64_t tuplesOf(const std::vector<int> &variables,
                        const int64_t *numbers) {
  constexpr int64_t most = int64_t(1) << 40;
  int64_t count = 1;
  for (int v : variables) {
    const int64_t size =
        std::max<int64_t>(0, numbers[2 * v + 1] - numbers[2 * v]);
    count = size > 0 && count > most / size ? most : count * size;
  }
  return count;
}

/// Blocks that do all work at once, at least 1. Fewer, or more, compute the
/// same: blocks go on with what is left, so that a caller may cap the number.
/// `numbers` are the kernel's.
inline int64_t blocksOf(const Launch &launch, const int64_t *numbers) {
  constexpr int64_t most = int64_t(1) << 40;
  const auto tuples = [&](const std::vector<int> &variables) {
    return tuplesOf(variables, numbers);
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

/// The kernel's entry for parts.
inline std::string partsSymbol(const std::string &symbol) {
  return symbol + "_parts";
}

/// Stretches of `size` values that the range of `along` is cut into, from its
/// first value on; 0 where there are no parts, since it is too short.
inline int64_t stretchesOf(const Launch &launch, const int64_t *numbers) {
  if (launch.parts.along < 0)
    return 0;
  const int64_t extent = tuplesOf({launch.parts.along}, numbers);
  return extent < launch.parts.least || extent == 0
             ? 0
             : (extent - 1) / launch.parts.size + 1;
}

/// Columns of parts that a block takes, and blocks among which the parts of
/// these are dealt.
constexpr int64_t columnsOfParts = 32, blocksOfParts = 512;

/// Blocks of the entry for parts, as blocksOf; 0: it is not launched.
inline int64_t blocksForParts(const Launch &launch, const int64_t *numbers) {
  const int64_t stretches = stretchesOf(launch, numbers);
  if (stretches == 0)
    return 0;
  const int64_t columns = tuplesOf(launch.parts.columns, numbers);
  const int64_t groups = (columns + columnsOfParts - 1) / columnsOfParts;
  return std::clamp<int64_t>(groups * std::min(2 * stretches, blocksOfParts), 1,
                             INT32_MAX);
}

/// Bytes that parts take: in each stretch at most two of them begin, one that
/// is a range's first and one that is not. Of each, 8 bytes that say whose it
/// is, and 8 per column. 2^60 stands for that and more.
inline int64_t partsBytes(const Launch &launch, const int64_t *numbers) {
  constexpr int64_t most = int64_t(1) << 60;
  const int64_t perPart = 8 + 8 * tuplesOf(launch.parts.columns, numbers);
  const int64_t parts = 2 * stretchesOf(launch, numbers);
  return parts > most / perPart ? most : parts * perPart;
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

/// Of the blocks that do an operator's work at these indices, or of its parts.
inline int64_t scratchBytes(const Launch &launch, const Box &indices,
                            const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<int64_t> numbers;
  for (Interval side : indices)
    numbers.insert(numbers.end(), {side.lo, side.hi});
  if (launch.parts.along >= 0)
    return partsBytes(launch, numbers.data());
  return scratchBytes(launch, blocksOf(launch, numbers.data()), shapes);
}

} // namespace smex::plan

#endif
