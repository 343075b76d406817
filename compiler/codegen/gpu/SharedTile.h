// Tiles of operands in a block's shared memory, for its matrix units.
#ifndef SMEX_COMPILER_CODEGEN_GPU_SHAREDTILE_H
#define SMEX_COMPILER_CODEGEN_GPU_SHAREDTILE_H

#include "compiler/codegen/gpu/Matrices.h"

namespace smex::codegen {

/// An index variable of a read along one side of a tile: the value that its
/// range begins with, and of the range the place where the tile begins, and the
/// size.
struct TileSide {
  size_t variable;
  mlir::Value low, first, size;
};

/// Puts rows x width elements of a read there, zeros where a side is beyond its
/// size. Where elements lie side by side, and aligned, 16 bytes are read and
/// written at once; `width` is a multiple of 8. All threads of the block take
/// part; a barrier is the caller's.
void fillTile(GpuKernel &kernel, const SharedMatrix &to, int64_t rows,
              const tdl::ExprRef &read, const TileSide &down,
              const TileSide &across, int64_t width);

} // namespace smex::codegen

#endif
