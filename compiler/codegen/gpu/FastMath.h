// What a GPU computes in an instruction or two, where 16 bits are left of the
// result: numbers between two products (Nested.cpp), of which each thread has
// so many that the others' instructions would take longer than the products.
#ifndef SMEX_COMPILER_CODEGEN_GPU_FASTMATH_H
#define SMEX_COMPILER_CODEGEN_GPU_FASTMATH_H

#include "compiler/codegen/expression/Scalars.h"

namespace smex::codegen {

/// The operation in f32, or null where it is computed as always:
/// - exp(x) as 2 to the power of x / log(2), within 2^-22 + |x| * 2^-24 of it,
///   and 0 below 2^-126;
/// - x / y as x * (1 / y), within 2 units of the last place where y is no
///   subnormal number: 1 / y is computed once for all x;
/// - conversions to bf16 by the GPU's instruction: the same bits, but for NaN.
mlir::Value fastMath(LocBuilder &b, const tdl::Expr &operation,
                     llvm::ArrayRef<mlir::Value> operands);

} // namespace smex::codegen

#endif
