#include "compiler/codegen/gpu/Matrices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

Matrices::Matrices(GpuKernel &kernel) : kernel(kernel), b(kernel.b) {
  const auto rest = [&](Value value, int64_t divisor) -> Value {
    return arith::RemUIOp::create(b, value, kernel.constant(divisor));
  };
  lane = rest(kernel.thread, 32);
  row = kernel.divide(lane, kernel.constant(4));
  column = kernel.mul(rest(lane, 4), kernel.constant(2));
  ofEight = rest(lane, 8);
  number = kernel.divide(lane, kernel.constant(8));
}

Fragment Matrices::load(const SharedMatrix &from, Value row, Value column,
                        bool downFirst, bool turned) {
  constexpr unsigned sharedSpace = 3;
  Value two = kernel.constant(2), eight = kernel.constant(8);
  Value odd = arith::RemUIOp::create(b, number, two),
        half = kernel.divide(number, two);
  Value down = downFirst ? odd : half, beside = downFirst ? half : odd;
  row = kernel.add(row, kernel.add(kernel.mul(down, eight), ofEight));
  column = kernel.add(column, kernel.mul(beside, eight));
  Value element =
      kernel.add(kernel.mul(row, kernel.constant(from.pitch)), column);
  Value address =
      kernel.add(memref::ExtractAlignedPointerAsIndexOp::create(b, from.memory),
                 kernel.mul(element, two));
  Value word = arith::IndexCastOp::create(b, b.getI64Type(), address);
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), sharedSpace), word);
  const SmallVector<Type> pairs(4, b.getI32Type());
  Value all = NVVM::LdMatrixOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), pairs), pointer,
      /*num=*/4, turned ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  Fragment fragment;
  for (int64_t k = 0; k < 4; ++k)
    fragment[size_t(k)] =
        LLVM::ExtractValueOp::create(b, all, ArrayRef<int64_t>(k));
  return fragment;
}

Fragment Matrices::left(const SharedMatrix &from, Value row, Value column) {
  return load(from, row, column, /*downFirst=*/true, /*turned=*/false);
}

Fragment Matrices::right(const SharedMatrix &from, Value row, Value column) {
  return load(from, row, column, /*downFirst=*/false, /*turned=*/false);
}

Fragment Matrices::rightTurned(const SharedMatrix &from, Value row,
                               Value column) {
  return load(from, row, column, /*downFirst=*/true, /*turned=*/true);
}

Value Matrices::asOperand(DType type, Value pair) {
  if (type == DType::BF16)
    return pair;
  return LLVM::BitcastOp::create(b, VectorType::get({2}, b.getF16Type()), pair);
}

Sums Matrices::multiplied(DType type, const Fragment &a, const Fragment &other,
                          bool second, const Sums &sums) {
  SmallVector<Value> left, right, before(sums.begin(), sums.end());
  for (Value pair : a)
    left.push_back(asOperand(type, pair));
  for (size_t k : {0, 1})
    right.push_back(asOperand(type, other[2 * size_t(second) + k]));
  const NVVM::MMATypes element =
      type == DType::BF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  const SmallVector<Type> four(4, b.getF32Type());
  Value made = NVVM::MmaOp::create(
      b, LLVM::LLVMStructType::getLiteral(b.getContext(), four), left, right,
      before, ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{element, element},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  Sums result;
  for (int64_t k = 0; k < 4; ++k)
    result[size_t(k)] =
        LLVM::ExtractValueOp::create(b, made, ArrayRef<int64_t>(k));
  return result;
}

Fragment Matrices::packed(DType type, const Sums &first, const Sums &second) {
  const auto pair = [&](Value low, Value high) -> Value {
    Value two = vector::FromElementsOp::create(
        b, VectorType::get({2}, memoryType(b.getContext(), type)),
        ValueRange{toMemory(b, type, low), toMemory(b, type, high)});
    return LLVM::BitcastOp::create(b, b.getI32Type(), two);
  };
  return {pair(first[0], first[1]), pair(first[2], first[3]),
          pair(second[0], second[1]), pair(second[2], second[3])};
}
