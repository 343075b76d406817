#include "compiler/codegen/gpu/WideReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

static Type elementOf(Value memory) {
  return cast<MemRefType>(memory.getType()).getElementType();
}

int64_t codegen::bytesOf(Value memory, int64_t elements) {
  return elements * elementOf(memory).getIntOrFloatBitWidth() / 8;
}

Value codegen::addressOf(GpuKernel &kernel, Value memory,
                         const Values &indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(kernel.b, memory);
  Value offset = kernel.constant(0);
  for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
    offset = kernel.add(offset, kernel.mul(index, stride));
  return kernel.add(
      memref::ExtractAlignedPointerAsIndexOp::create(kernel.b, memory),
      kernel.mul(offset, kernel.constant(bytesOf(memory, 1))));
}

Value codegen::isAligned(GpuKernel &kernel, Value memory, const Values &indices,
                         int64_t width) {
  return kernel.isZero(
      arith::AndIOp::create(kernel.b, addressOf(kernel, memory, indices),
                            kernel.constant(bytesOf(memory, width) - 1)));
}

VectorType codegen::vectorOf(Value memory, int64_t width) {
  return VectorType::get({width}, elementOf(memory));
}

WideReads::WideReads(GpuKernel &kernel, const ExprRef &term, int variable,
                     int64_t width)
    : kernel(kernel), b(kernel.b), variable(size_t(variable)), width(width),
      neighbours(neighbourReads(term, variable)) {}

Value WideReads::canLoad() {
  Value all = integerConstant(b, DType::Bool, 1);
  for (const auto &[read, guard] : neighbours.reads)
    all = kernel.both(all, isAligned(kernel, memoryOf(read),
                                     kernel.readIndices(*read), width));
  Value first = kernel.at[variable];
  for (const ExprRef &comparison : neighbours.comparisons) {
    Value ofFirst = kernel.emit(comparison);
    kernel.at[variable] = kernel.add(first, kernel.constant(width - 1));
    Value ofLast = kernel.emit(comparison);
    kernel.at[variable] = first;
    all = kernel.both(all, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                 ofFirst, ofLast));
  }
  return all;
}

Value WideReads::loadGuarded(const NeighbourReads::Read &each) {
  const VectorType type = vectorOf(memoryOf(each.read), width);
  auto branch = scf::IfOp::create(b, TypeRange{type}, kernel.emit(each.guard),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loadOne(each.read));
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  Value zeros = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
  scf::YieldOp::create(b, zeros);
  return branch.getResult(0);
}

Value WideReads::loadOne(const ExprRef &read) {
  Value memory = memoryOf(read);
  return vector::LoadOp::create(
      b, vectorOf(memory, width), memory, kernel.readIndices(*read),
      /*nontemporal=*/false,
      llvm::MaybeAlign(uint64_t(bytesOf(memory, width))));
}

Value WideReads::loadEach(const ExprRef &read) {
  Value memory = memoryOf(read), start = kernel.at[variable];
  SmallVector<Value> elements;
  for (int64_t k = 0; k < width; ++k) {
    kernel.at[variable] = kernel.add(start, kernel.constant(k));
    elements.push_back(
        memref::LoadOp::create(b, memory, kernel.readIndices(*read)));
  }
  kernel.at[variable] = start;
  return vector::FromElementsOp::create(b, vectorOf(memory, width), elements);
}

SmallVector<Value> WideReads::load(bool checked) {
  SmallVector<Value> loaded;
  for (const NeighbourReads::Read &each : neighbours.reads) {
    const ExprRef &read = each.read;
    if (!checked) {
      loaded.push_back(each.guard ? loadGuarded(each) : loadOne(read));
      continue;
    }
    Value memory = memoryOf(read);
    Value aligned = isAligned(kernel, memory, kernel.readIndices(*read), width);
    auto branch = scf::IfOp::create(b, TypeRange{vectorOf(memory, width)},
                                    aligned, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loadOne(read));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, loadEach(read));
    loaded.push_back(branch.getResult(0));
  }
  return loaded;
}

void WideReads::at(Value start, ArrayRef<Value> loaded, int64_t k,
                   llvm::function_ref<void()> body) {
  kernel.at[variable] = kernel.add(start, kernel.constant(k));
  const llvm::SaveAndRestore<std::function<Value(const ExprRef &)>> atHand(
      kernel.elementAtHand, [&](const ExprRef &read) -> Value {
        for (const auto &[known, vector] : llvm::zip(neighbours.reads, loaded))
          if (equal(known.read, read))
            return fromMemory(b, read->type,
                              vector::ExtractOp::create(b, vector, k));
        return nullptr;
      });
  body();
}
