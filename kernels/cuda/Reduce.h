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

/// Terms of a result that a thread loads before it uses one.
constexpr int inFlight = 4;

/// Neighbours of one type, which one instruction loads or stores.
template <typename T, int count> struct alignas(count * sizeof(T)) Pack {
  T values[count];
};

template <int bytes> struct Bits;
template <> struct Bits<1> {
  using Type = unsigned char;
};
template <> struct Bits<2> {
  using Type = unsigned short;
};
template <> struct Bits<4> {
  using Type = unsigned;
};
template <> struct Bits<8> {
  using Type = unsigned long long;
};
template <> struct Bits<16> {
  using Type = Unit16;
};

template <typename T, int count>
SMEX_INLINE Pack<T, count> loadPack(const void *from, long long i) {
  using Loaded = typename Bits<count * sizeof(T)>::Type;
  return __builtin_bit_cast(Pack<T, count>,
                            ((const SMEX_GLOBAL Loaded *)from)[i]);
}
template <typename T, int count>
SMEX_INLINE void storePack(void *to, long long i, const Pack<T, count> &pack) {
  using Stored = typename Bits<count * sizeof(T)>::Type;
  ((SMEX_GLOBAL Stored *)to)[i] = __builtin_bit_cast(Stored, pack);
}

/// Sums of terms that are one run each, as long as the result: `count`
/// neighbours at a time, all of them `groups` times. There is a term.
template <typename From, typename To, bool roundEach, int count>
SMEX_INLINE void sumRuns(const ReducePiece *pieces, int terms, To *to,
                         long long groups) {
  using Term = Arithmetic<From>;
  for (long long i = thread(); i < groups; i += threads()) {
    const Pack<From, count> first = loadPack<From, count>(pieces[0].from, i);
    typename Term::Wide sums[count];
#pragma unroll
    for (int k = 0; k < count; ++k)
      sums[k] = Term::load(first.values[k]);
#pragma unroll 1
    for (int p = 1; p < terms; p += inFlight) {
      // The last one again, rather than a condition: all are on their way
      // before the first is used.
      Pack<From, count> packs[inFlight];
#pragma unroll
      for (int k = 0; k < inFlight; ++k)
        packs[k] = loadPack<From, count>(
            pieces[p + k < terms ? p + k : terms - 1].from, i);
      asm volatile("" ::: "memory"); // a compiler would load when it uses
#pragma unroll
      for (int k = 0; k < inFlight; ++k)
#pragma unroll
        for (int j = 0; p + k < terms && j < count; ++j) {
          sums[j] = combine<typename Term::Wide>(
              Sum, sums[j], Term::load(packs[k].values[j]));
          if (roundEach)
            sums[j] = Term::load(Term::store(sums[j]));
        }
    }
    Pack<To, count> result;
#pragma unroll
    for (int k = 0; k < count; ++k)
      result.values[k] = Arithmetic<To>::store(sums[k]);
    storePack<To, count>(to, i, result);
  }
}

/// Where every term is one run as long as the result: the bits that addresses
/// have. 0: some are not.
SMEX_INLINE unsigned long long bitsOfRuns(const ReducePiece *pieces, int count,
                                          long long elements) {
  unsigned long long bits = 16;
  for (int p = 0; p < count; ++p) {
    const ReducePiece &piece = pieces[p];
    const int d = mostDimensions - 1;
    if (piece.begin[d] != 0 || piece.end[d] != elements ||
        piece.fromStrides[d] != 1)
      return 0;
    bits |= (unsigned long long)piece.from;
  }
  return bits;
}

/// Terms of any boxes, element by element, from the one of number `begin` on.
template <typename From, typename To, bool roundEach>
SMEX_INLINE void reduceBoxes(const ReducePiece *pieces, int count,
                             int reduction, To *to, const long long *sizes,
                             long long begin, long long elements) {
  int first = 0; // sizes in front of it are 1
  while (first < mostDimensions - 1 && sizes[first] == 1)
    ++first;
  for (long long i = begin + thread(); i < elements; i += threads()) {
    long long coordinates[mostDimensions], rest = i;
#pragma unroll
    for (int d = mostDimensions - 1; d >= 0; --d) {
      coordinates[d] = 0;
      if (d < first)
        continue;
      coordinates[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    using Term = Arithmetic<From>;
    typename Term::Wide value{};
    bool isFirst = true;
    for (int p = 0; p < count; ++p) {
      const ReducePiece &piece = pieces[p];
      long long from = 0;
      bool isInside = true;
#pragma unroll
      for (int d = 0; d < mostDimensions; ++d) {
        if (d < first)
          continue;
        isInside &=
            coordinates[d] >= piece.begin[d] && coordinates[d] < piece.end[d];
        from += (coordinates[d] - piece.begin[d]) * piece.fromStrides[d];
      }
      if (!isInside)
        continue;
      const auto term =
          Term::load(((const SMEX_GLOBAL From *)piece.from)[from]);
      value = isFirst ? term : combine(reduction, value, term);
      if (roundEach)
        value = Term::load(Term::store(value));
      isFirst = false;
    }
    ((SMEX_GLOBAL To *)to)[i] = Arithmetic<To>::store(value);
  }
}

/// Terms of type From, summed up in `Sum`, become To.
template <typename From, typename To, bool roundEach>
SMEX_INLINE void reduce(const ReducePiece *pieces, int count, int reduction,
                        To *to, const long long *sizes) {
  const long long last = sizes[mostDimensions - 1];
  long long elements = last;
#pragma unroll
  for (int d = 0; d < mostDimensions - 1; ++d)
    elements *= sizes[d];
  const unsigned long long bits =
      elements == last && count > 0 && reduction == Sum
          ? bitsOfRuns(pieces, count, elements)
          : 0;
  // As many neighbours as 16 bytes have, and no more than 4.
  constexpr int wide = sizeof(From) > 4 ? 2 : 4;
  long long done = 0;
  if (bits != 0 && bits % (wide * sizeof(From)) == 0 &&
      (unsigned long long)to % (wide * sizeof(To)) == 0) {
    done = elements / wide * wide;
    sumRuns<From, To, roundEach, wide>(pieces, count, to, elements / wide);
  }
  reduceBoxes<From, To, roundEach>(pieces, count, reduction, to, sizes, done,
                                   elements);
}

} // namespace smex::cuda

#endif
