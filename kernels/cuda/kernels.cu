// The entries of the kernels here, for every unit of a fetch and every type of
// a reduction. Compiled to PTX when smex is built, and part of smex-run.
#include "kernels/cuda/Fetch.h"
#include "kernels/cuda/Pad.h"
#include "kernels/cuda/Reduce.h"

#define SMEX_FETCH(bytes, Unit, inFlight)                                      \
  extern "C" __global__ void smex_fetch_##bytes(                               \
      const smex::cuda::FetchPiece *pieces) {                                  \
    smex::cuda::fetch<Unit, inFlight>(pieces);                                 \
  }

SMEX_FETCH(1, unsigned char, 8)
SMEX_FETCH(2, unsigned short, 8)
SMEX_FETCH(4, unsigned, 8)
SMEX_FETCH(8, unsigned long long, 8)
SMEX_FETCH(16, smex::cuda::Unit16, 4)

#define SMEX_PAD(bytes, Unit)                                                  \
  extern "C" __global__ void smex_pad_##bytes(smex::cuda::PadPiece piece) {    \
    smex::cuda::pad<Unit>(piece);                                              \
  }

SMEX_PAD(2, unsigned short)
SMEX_PAD(4, unsigned)

#define SMEX_REDUCE(name, From, To, roundEach)                                 \
  extern "C" __global__ void smex_reduce_##name(                               \
      const smex::cuda::ReducePiece *pieces, int count, int reduction,         \
      void *to, const long long *sizes) {                                      \
    smex::cuda::reduce<From, To, roundEach>(pieces, count, reduction,          \
                                            static_cast<To *>(to), sizes);     \
  }

SMEX_REDUCE(bool, smex::cuda::Bool, smex::cuda::Bool, true)
SMEX_REDUCE(i8, signed char, signed char, false)
SMEX_REDUCE(i16, short, short, false)
SMEX_REDUCE(i32, int, int, false)
SMEX_REDUCE(i64, long long, long long, false)
SMEX_REDUCE(u8, unsigned char, unsigned char, false)
SMEX_REDUCE(u16, unsigned short, unsigned short, false)
SMEX_REDUCE(u32, unsigned, unsigned, false)
SMEX_REDUCE(u64, unsigned long long, unsigned long long, false)
SMEX_REDUCE(f16, smex::cuda::Half, smex::cuda::Half, true)
SMEX_REDUCE(bf16, smex::cuda::Bfloat, smex::cuda::Bfloat, true)
SMEX_REDUCE(f32, float, float, false)
SMEX_REDUCE(f64, double, double, false)
// Partial sums of 16-bit floats.
SMEX_REDUCE(f32_f16, float, smex::cuda::Half, false)
SMEX_REDUCE(f32_bf16, float, smex::cuda::Bfloat, false)
