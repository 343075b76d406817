// Element types as C++ types, so that a loop is written once for all of them.
#ifndef SMEX_KERNELS_CPU_ELEMENT_H
#define SMEX_KERNELS_CPU_ELEMENT_H

#include "dialects/support/DType.h"

#include <type_traits>

namespace smex::cpu {

struct Bool {
  uint8_t byte;
};
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

/// What sums and products of a type are computed in: 16-bit floats in f32,
/// integers modulo 2^64 (which truncates to wrapping), bool as a count.
template <typename T> struct AccumulatorOf {
  using type = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
};
template <> struct AccumulatorOf<Half> {
  using type = float;
};
template <> struct AccumulatorOf<BFloat> {
  using type = float;
};
template <typename T> using Accumulator = typename AccumulatorOf<T>::type;

template <typename T> Accumulator<T> load(T value) {
  if constexpr (std::is_same_v<T, Bool>)
    return value.byte;
  else if constexpr (std::is_same_v<T, Half>)
    return halfToFloat(value.bits);
  else if constexpr (std::is_same_v<T, BFloat>)
    return bfloatToFloat(value.bits);
  else
    return Accumulator<T>(value);
}

template <typename T> T store(Accumulator<T> value) {
  if constexpr (std::is_same_v<T, Bool>)
    return {uint8_t(value != 0)};
  else if constexpr (std::is_same_v<T, Half>)
    return {floatToHalf(value)};
  else if constexpr (std::is_same_v<T, BFloat>)
    return {floatToBfloat(value)};
  else
    return T(value);
}

/// Calls `f(T{})` with the C++ type of `type`.
template <typename F> void withElement(DType type, F &&f) {
  switch (type) {
  case DType::Bool:
    return f(Bool{});
  case DType::I8:
    return f(int8_t{});
  case DType::I16:
    return f(int16_t{});
  case DType::I32:
    return f(int32_t{});
  case DType::I64:
    return f(int64_t{});
  case DType::U8:
    return f(uint8_t{});
  case DType::U16:
    return f(uint16_t{});
  case DType::U32:
    return f(uint32_t{});
  case DType::U64:
    return f(uint64_t{});
  case DType::F16:
    return f(Half{});
  case DType::BF16:
    return f(BFloat{});
  case DType::F32:
    return f(float{});
  case DType::F64:
    return f(double{});
  }
}

} // namespace smex::cpu

#endif
