#include "compiler/codegen/expression/Arguments.h"

#include "compiler/codegen/expression/Merge.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

/// Merges the variables from `first` to `last`, as far as rows follow each
/// other without gaps, into the last of them (Merge.h).
void merge(LocBuilder &b, const tdl::Lambda &lambda, int first, int last,
           Arguments &arguments) {
  const auto target = size_t(last);
  Value contiguous;
  const auto chosen = [&](Value merged, Value plain) -> Value {
    return arith::SelectOp::create(b, contiguous, merged, plain);
  };
  const auto sizeOf = [&](size_t i) -> Value {
    Value size = arith::SubIOp::create(b, arguments.hi[i], arguments.lo[i]);
    return arith::MaxSIOp::create(b, size, indexConstant(b, 0));
  };
  for (int variable = last - 1; variable >= first; --variable) {
    const std::optional<Pair> pair = mergeable(lambda, variable);
    if (!pair)
      return;
    const auto v = size_t(variable);
    Value size = sizeOf(target);
    // The tensors that have the two as dimensions, and which.
    SmallVector<std::pair<Dimension *, Dimension *>> places;
    const auto place = [&](size_t tensor, int dim) {
      Dimension *dims = arguments.dims[tensor].data();
      places.push_back({dims + dim, dims + dim + (last - variable)});
    };
    if (variable < lambda.rank())
      place(0, variable);
    for (const auto &[operand, dim] : llvm::enumerate(pair->dim))
      if (dim >= 0)
        place(operand + 1, dim);
    for (auto [outer, inner] : places) {
      Value row = arith::MulIOp::create(b, size, inner->stride);
      Value follows = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                            outer->stride, row);
      contiguous =
          contiguous ? arith::AndIOp::create(b, contiguous, follows) : follows;
    }
    if (!contiguous)
      return;
    for (auto [outer, inner] : places) {
      Value skipped = arith::MulIOp::create(
          b, arith::SubIOp::create(b, arguments.lo[v], outer->origin), size);
      inner->origin = chosen(arith::SubIOp::create(b, inner->origin, skipped),
                             inner->origin);
      outer->origin = chosen(arguments.lo[v], outer->origin);
    }
    Value merged = arith::MulIOp::create(b, sizeOf(v), size);
    arguments.hi[target] =
        chosen(arith::AddIOp::create(b, arguments.lo[target], merged),
               arguments.hi[target]);
    Value one = arith::AddIOp::create(b, arguments.lo[v], indexConstant(b, 1));
    arguments.hi[v] = chosen(one, arguments.hi[v]);
  }
}

/// The memref descriptor of a tensor, as LLVM lays it out.
Value describe(LocBuilder &b, Value pointer, ArrayRef<Value> strides,
               MemRefType type) {
  MLIRContext *context = b.getContext();
  const auto rank = int64_t(strides.size());
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  SmallVector<Type> fields = {ptr, ptr, i64};
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(i64, unsigned(rank)));
  Type structure = LLVM::LLVMStructType::getLiteral(context, fields);
  Value descriptor = LLVM::UndefOp::create(b, structure);
  const auto insert = [&](Value value, ArrayRef<int64_t> at) {
    descriptor = LLVM::InsertValueOp::create(b, descriptor, value, at);
  };
  const auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(value));
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  for (int64_t d = 0; d < rank; ++d) {
    // The ABI does not tell sizes, and nothing asks for them.
    insert(constant(INT32_MAX), {3, d});
    insert(d + 1 == rank ? constant(1) : strides[size_t(d)], {4, d});
  }
  return UnrealizedConversionCastOp::create(b, TypeRange{type}, descriptor)
      .getResult(0);
}

} // namespace

Arguments codegen::takeArguments(LocBuilder &b, const tdl::Lambda &lambda,
                                 const std::function<Value()> &nextPointer,
                                 const std::function<Value()> &nextNumber) {
  const auto number = [&]() -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), nextNumber());
  };
  Arguments arguments;
  for (int i = 0; i < lambda.indexCount(); ++i) {
    arguments.lo.push_back(number());
    arguments.hi.push_back(number());
  }
  const auto tensor = [&](int rank, bool hasExtent) {
    arguments.pointers.push_back(nextPointer());
    auto &dims = arguments.dims.emplace_back();
    for (int d = 0; d < rank; ++d) {
      Dimension dim;
      dim.origin = number();
      dim.stride = number();
      if (hasExtent)
        dim.extent = number();
      dims.push_back(dim);
    }
  };
  tensor(lambda.rank(), false);
  for (const tdl::Operand &operand : lambda.operands)
    tensor(operand.rank, true);
  return arguments;
}

int64_t codegen::countPointers(const tdl::Lambda &lambda) {
  return 1 + int64_t(lambda.operands.size());
}

int64_t codegen::countNumbers(const tdl::Lambda &lambda) {
  int64_t count = 2 * lambda.indexCount() + 2 * lambda.rank();
  for (const tdl::Operand &operand : lambda.operands)
    count += 3 * operand.rank;
  return count;
}

void codegen::callKernel(LocBuilder &b, const tdl::Lambda &lambda,
                         Arguments from, func::FuncOp kernel, Value more) {
  merge(b, lambda, 0, lambda.rank() - 1, from);
  merge(b, lambda, lambda.rank(), lambda.indexCount() - 1, from);

  // In the order of KernelBuilder.h.
  SmallVector<Value> arguments;
  for (const auto &[tensor, pointer] : llvm::enumerate(from.pointers)) {
    SmallVector<Value> strides;
    for (const Dimension &dim : from.dims[tensor])
      strides.push_back(
          arith::IndexCastOp::create(b, b.getI64Type(), dim.stride));
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[unsigned(tensor)]);
    arguments.push_back(describe(b, pointer, strides, type));
  }
  for (auto [lo, hi] : llvm::zip(from.lo, from.hi)) {
    arguments.push_back(lo);
    arguments.push_back(hi);
  }
  for (const SmallVector<Dimension> &dims : from.dims)
    for (const Dimension &dim : dims) {
      arguments.push_back(dim.origin);
      if (dim.extent)
        arguments.push_back(dim.extent);
    }
  if (more)
    arguments.push_back(
        describe(b, more, {Value()},
                 cast<MemRefType>(kernel.getArgumentTypes().back())));
  func::CallOp::create(b, kernel, arguments);
}
