// A map that reads at digits of its last variable, x[j // 64, j % 64]: a
// reshape. As q * 64 + r, with a loop over r inside of the one over q, the
// digits are variables, and what lies together in memory is read together.
#ifndef SMEX_COMPILER_CODEGEN_CPU_DIGITS_H
#define SMEX_COMPILER_CODEGEN_CPU_DIGITS_H

#include "compiler/codegen/cpu/CpuKernel.h"

#include <optional>

namespace smex::codegen {

struct Digits {
  int64_t base; // r < base
  /// The term with index variables `indexCount` (q) and `indexCount + 1` (r) in
  /// the place of the last output.
  tdl::ExprRef term;
};

/// Nothing where that brings no order into the reads.
std::optional<Digits> findDigits(const tdl::Lambda &lambda,
                                 const tdl::ExprRef &term);

void buildDigits(CpuKernel &kernel, const Digits &digits);

} // namespace smex::codegen

#endif
