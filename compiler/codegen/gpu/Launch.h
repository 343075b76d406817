// What starting a kernel takes besides its arguments, as data: whoever launches
// it need not look into the PTX.
#ifndef SMEX_COMPILER_CODEGEN_GPU_LAUNCH_H
#define SMEX_COMPILER_CODEGEN_GPU_LAUNCH_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smex::codegen {

struct Launch {
  /// Threads of a block, in one dimension. The PTX demands this number.
  int64_t threads = 256;
  /// An item of work is a tile of the result: so many tuples of values of
  /// these index variables, times the next ones.
  struct Tile {
    std::vector<int> along;
    int64_t size = 1;
  };
  std::vector<Tile> item;
  /// Items that a block takes at a time.
  int64_t perBlock = 256;
  /// Where the ranges of `terms` have `many` tuples or more, a block takes
  /// `perBlockOfMany` items at a time instead. 0: never.
  std::vector<int> terms;
  int64_t many = 0, perBlockOfMany = 1;
  /// The kernel has one parameter, the address in the GPU's memory of all
  /// pointers and then all numbers, because they are more than fit the space
  /// for parameters.
  bool inMemory = false;
};

/// Parameters of a kernel are 8 bytes each, and 4 KiB in all at most.
constexpr int64_t mostParameters = 512;

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
  const int64_t perBlock = isLong ? launch.perBlockOfMany : launch.perBlock;
  int64_t items = 1;
  for (const Launch::Tile &tile : launch.item) {
    const int64_t count = (tuples(tile.along) + tile.size - 1) / tile.size;
    items = count > 0 && items > most / count ? most : items * count;
  }
  const int64_t blocks = (items + perBlock - 1) / perBlock;
  return std::clamp<int64_t>(blocks, 1, INT32_MAX);
}

} // namespace smex::codegen

#endif
