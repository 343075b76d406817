// Output reduction (thesis section 3.4.2) in a fixed order: each element of the
// result combines its terms in the order of the pieces, whatever the number of
// threads, so that its bits depend on nothing else. The same meaning as
// kernels/cpu/Boxes.h: integers wrap, Max and Min give NaN where a term is one,
// 16-bit floats are rounded once per step, or, where terms are f32, at the end.
#ifndef SMEX_KERNELS_CUDA_REDUCE_H
#define SMEX_KERNELS_CUDA_REDUCE_H

#include "kernels/cuda/Device.h"
#include "kernels/cuda/Pieces.h"

namespace smex::cuda {

/// In the order in which a launch numbers them.
enum Reduction { Sum, Max, Min, Prod };

/// 16-bit floats by their bits. No C++ type of them is one of nvcc's and
/// clang's alike.
struct Half {
  unsigned short bits;
};
struct Bfloat {
  unsigned short bits;
};
/// One byte, 0 or 1: a sum says whether any is, a product whether all are.
struct Bool {
  unsigned char value;
};

template <typename T> struct Arithmetic {
  using Wide = T;
  __device__ static Wide load(T value) { return value; }
  __device__ static T store(Wide value) { return value; }
};

template <> struct Arithmetic<Half> {
  using Wide = float;
  __device__ static Wide load(Half value) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
    return wide;
  }
  __device__ static Half store(Wide value) {
    Half half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
    return half;
  }
};

template <> struct Arithmetic<Bfloat> {
  using Wide = float;
  __device__ static Wide load(Bfloat value) {
    return __builtin_bit_cast(float, (unsigned)value.bits << 16);
  }
  /// To nearest, ties to even; a NaN stays one.
  __device__ static Bfloat store(Wide value) {
    const unsigned bits = __builtin_bit_cast(unsigned, value);
    if (value != value)
      return {(unsigned short)(bits >> 16 | 0x40)};
    return {(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  }
};

template <> struct Arithmetic<Bool> {
  using Wide = int;
  __device__ static Wide load(Bool value) { return value.value; }
  __device__ static Bool store(Wide value) {
    return {(unsigned char)(value != 0)};
  }
};

/// Where sums and products wrap without the surprises of signed and small
/// integers.
template <typename T> struct Wrapping {
  using Type = T; // floats
};
template <> struct Wrapping<signed char> {
  using Type = unsigned;
};
template <> struct Wrapping<unsigned char> {
  using Type = unsigned;
};
template <> struct Wrapping<short> {
  using Type = unsigned;
};
template <> struct Wrapping<unsigned short> {
  using Type = unsigned;
};
template <> struct Wrapping<int> {
  using Type = unsigned;
};
template <> struct Wrapping<long long> {
  using Type = unsigned long long;
};

template <typename T> __device__ inline T combine(int reduction, T a, T b) {
  using Unsigned = typename Wrapping<T>::Type;
  switch (reduction) {
  case Sum:
    return T(Unsigned(a) + Unsigned(b));
  case Prod:
    return T(Unsigned(a) * Unsigned(b));
  case Max:
    return a > b || a != a ? a : b;
  default:
    return a < b || a != a ? a : b;
  }
}

/// Terms of type From, summed up in `Sum`, become To.
template <typename From, typename To, bool roundEach>
__device__ inline void reduce(const ReducePiece *pieces, int count,
                              int reduction, To *to, const long long *sizes) {
  long long elements = 1;
  for (int d = 0; d < mostDimensions; ++d)
    elements *= sizes[d];
  for (long long i = thread(); i < elements; i += threads()) {
    long long coordinates[mostDimensions], rest = i;
    for (int d = mostDimensions - 1; d >= 0; --d) {
      coordinates[d] = sizes[d] == 1 ? 0 : rest % sizes[d];
      rest = sizes[d] == 1 ? rest : rest / sizes[d];
    }
    using Term = Arithmetic<From>;
    typename Term::Wide value{};
    bool isFirst = true;
    for (int p = 0; p < count; ++p) {
      const ReducePiece &piece = pieces[p];
      long long from = 0;
      bool isInside = true;
      for (int d = 0; d < mostDimensions; ++d) {
        isInside &=
            coordinates[d] >= piece.begin[d] && coordinates[d] < piece.end[d];
        from += (coordinates[d] - piece.begin[d]) * piece.fromStrides[d];
      }
      if (!isInside)
        continue;
      const auto term =
          Term::load(reinterpret_cast<const From *>(piece.from)[from]);
      value = isFirst ? term : combine(reduction, value, term);
      if (roundEach)
        value = Term::load(Term::store(value));
      isFirst = false;
    }
    to[i] = Arithmetic<To>::store(value);
  }
}

} // namespace smex::cuda

#endif
