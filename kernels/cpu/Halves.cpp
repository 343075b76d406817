#include "kernels/cpu/Halves.h"

#include <immintrin.h>

using namespace smex;

namespace {

bool hasF16C() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}

/// Eight at a time; gives how many of them it did.
__attribute__((target("avx2,f16c"))) int64_t convertEights(const uint16_t *from,
                                                           float *to,
                                                           int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                 reinterpret_cast<const __m128i *>(from + i))));
  return i;
}
__attribute__((target("avx2,f16c"))) int64_t convertEights(const float *from,
                                                           uint16_t *to,
                                                           int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

} // namespace

void cpu::toFloats(DType type, const uint16_t *from, float *to, int64_t count) {
  if (type == DType::BF16) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = bfloatToFloat(from[i]);
    return;
  }
  for (int64_t i = hasF16C() ? convertEights(from, to, count) : 0; i < count;
       ++i)
    to[i] = halfToFloat(from[i]);
}

void cpu::toHalves(DType type, const float *from, uint16_t *to, int64_t count) {
  if (type == DType::BF16) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = floatToBfloat(from[i]);
    return;
  }
  for (int64_t i = hasF16C() ? convertEights(from, to, count) : 0; i < count;
       ++i)
    to[i] = floatToHalf(from[i]);
}
