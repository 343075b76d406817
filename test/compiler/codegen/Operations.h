// Every operation of the language as a kernel, and values to try it on.
#ifndef SMEX_TEST_COMPILER_CODEGEN_OPERATIONS_H
#define SMEX_TEST_COMPILER_CODEGEN_OPERATIONS_H

#include "test/compiler/codegen/Harness.h"

#include "dialects/tdl/lambda/Arithmetic.h"

namespace smex::codegen {

constexpr DType allTypes[] = {DType::Bool, DType::I8,  DType::I16,  DType::I32,
                              DType::I64,  DType::U8,  DType::U16,  DType::U32,
                              DType::U64,  DType::F16, DType::BF16, DType::F32,
                              DType::F64};

/// Special values of the type, and random ones.
std::vector<tdl::Scalar> valuesOf(DType type, Random &random);
Tensor tensorOf(DType type, const std::vector<tdl::Scalar> &values);

/// op(x[i]), x[i] op y[j], and x[i] converted.
tdl::Lambda unaryLambda(tdl::UnaryOp op, DType type);
tdl::Lambda binaryLambda(tdl::BinaryOp op, DType type);
tdl::Lambda castLambda(DType from, DType to);

} // namespace smex::codegen

#endif
