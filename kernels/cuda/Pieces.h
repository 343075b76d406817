// What the kernels here are told: shared by the kernels and by whoever launches
// them, so plain C++ without any header of CUDA's.
#ifndef SMEX_KERNELS_CUDA_PIECES_H
#define SMEX_KERNELS_CUDA_PIECES_H

namespace smex::cuda {

/// Dimensions of a piece, once neighbours that lie together are one. A box that
/// needs more is several pieces.
constexpr int mostDimensions = 6;

/// A part of a buffer, on this GPU or on another whose memory it can reach.
/// Strides and sizes are in elements, or, of a fetch, in units of 1 to 16
/// bytes. The last dimension is the innermost; sizes in front are 1 where there
/// are fewer dimensions. Of a fetch, there are fewer than 2^31 units, and those
/// of the last dimension lie together.
struct FetchPiece {
  const char *from;
  char *to;
  long long sizes[mostDimensions];
  long long fromStrides[mostDimensions], toStrides[mostDimensions];
};

/// Terms of a reduction: the elements `begin` to `end` of the result's box, in
/// its coordinates from 0. The element at c is at
/// from + sum((c - begin) * fromStrides).
struct ReducePiece {
  const char *from;
  long long begin[mostDimensions], end[mostDimensions];
  long long fromStrides[mostDimensions];
};

/// A box of a buffer as a part of another one: what is copied, and zeros around
/// it. The kernel takes it by value. Elements are of 2 or 4 bytes. The element
/// at c of `sizes` is zero, or, where begin <= c < end, the one at
/// from + sum((c - begin) * fromStrides).
struct PadPiece {
  const char *from;
  char *to;
  long long sizes[mostDimensions];
  long long begin[mostDimensions], end[mostDimensions];
  long long fromStrides[mostDimensions], toStrides[mostDimensions];
};

} // namespace smex::cuda

#endif
