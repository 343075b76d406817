// A warp's products of small matrices on a GPU's matrix units: PTX's `mma` and
// `ldmatrix` of 16-bit floats, summed in f32.
#ifndef SMEX_COMPILER_CODEGEN_GPU_MATRICES_H
#define SMEX_COMPILER_CODEGEN_GPU_MATRICES_H

#include "compiler/codegen/gpu/GpuKernel.h"

#include <array>

namespace smex::codegen {

/// What a lane has of a 16 x 16 matrix of 16-bit floats, in pairs: rows lane /
/// 4 and 8 more, columns 2 * (lane % 4) and 8 more (PTX ISA, "Matrix fragments
/// for mma.m16n8k16"). Of two 8 x 16 ones beside each other, two pairs each.
using Fragment = std::array<mlir::Value, 4>;
/// What a lane has of a 16 x 8 sum: of rows lane / 4 and 8 more, columns 2 *
/// (lane % 4) and the next.
using Sums = std::array<mlir::Value, 4>;

/// 16-bit floats in a block's shared memory, `pitch` elements from row to row:
/// a multiple of 8 that is none of 16 * 8, so that rows are in different banks.
struct SharedMatrix {
  mlir::Value memory; // a memref of one dimension, aligned for 16 bytes
  int64_t pitch = 0;
};

class Matrices {
public:
  explicit Matrices(GpuKernel &kernel);

  /// Lane of the warp.
  mlir::Value lane;
  /// Row and, of the first pair, column of what this lane has of sums.
  mlir::Value row, column;

  /// The 16 x 16 elements from there on, as the left factor.
  Fragment left(const SharedMatrix &from, mlir::Value row, mlir::Value column);
  /// The same as two right factors: rows 0 to 7 are the columns of the first,
  /// along which its terms are (pairs 0 and 1).
  Fragment right(const SharedMatrix &from, mlir::Value row, mlir::Value column);
  /// The same, where terms go from row to row: columns 0 to 7 are those of the
  /// first.
  Fragment rightTurned(const SharedMatrix &from, mlir::Value row,
                       mlir::Value column);
  /// sums + a * b, where b is the first right factor, or the second.
  Sums multiplied(DType type, const Fragment &a, const Fragment &b, bool second,
                  const Sums &sums);
  /// Values that a lane has of two sums beside each other, as a left factor.
  Fragment packed(DType type, const Sums &first, const Sums &second);

private:
  /// The four 8 x 8 matrices from there on: the second below the first and the
  /// others beside these, or the other way. Lane l says where row l % 8 of
  /// matrix l / 8 begins.
  Fragment load(const SharedMatrix &from, mlir::Value row, mlir::Value column,
                bool downFirst, bool turned);
  mlir::Value asOperand(DType type, mlir::Value pair);

  GpuKernel &kernel;
  LocBuilder &b;
  mlir::Value ofEight, number; // lane % 8 and lane / 8
};

} // namespace smex::codegen

#endif
