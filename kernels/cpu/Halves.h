// Many 16-bit floats at once, from and to f32.
#ifndef SMEX_KERNELS_CPU_HALVES_H
#define SMEX_KERNELS_CPU_HALVES_H

#include "dialects/support/DType.h"

namespace smex::cpu {

/// `type` is f16 or bf16.
void toFloats(DType type, const uint16_t *from, float *to, int64_t count);
/// Rounds to nearest even.
void toHalves(DType type, const float *from, uint16_t *to, int64_t count);

} // namespace smex::cpu

#endif
