// A lambda without reduction: an element of the result per thread, or several
// neighbours, which a thread reads and writes in accesses of 16 bytes wherever
// their addresses are multiples of 16.
#include "compiler/codegen/gpu/Neighbours.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/gpu/GpuKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

class Neighbours {
public:
  Neighbours(GpuKernel &kernel, const ExprRef &term)
      : kernel(kernel), b(kernel.b), term(term),
        last(size_t(kernel.lambda.rank() - 1)), width(kernel.schedule.vector),
        reads(neighbourReads(kernel.lambda, term)) {}

  void build() {
    SmallVector<int> outer = kernel.outputs();
    outer.pop_back();
    Value size = kernel.size(int(last)), w = kernel.constant(width);
    Value perRow =
        kernel.divide(kernel.add(size, kernel.constant(width - 1)), w);
    // Where rows are no multiples of what is accessed at once, each begins
    // elsewhere between two of them: a portion more, of which the first and the
    // last are parts.
    Value rest = kernel.sub(size, kernel.mul(kernel.divide(size, w), w));
    isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest,
                                  kernel.constant(0));
    perRow = kernel.add(perRow, chosen(kernel.constant(1)));
    const int64_t threads = kernel.schedule.threads;
    Value first = kernel.add(kernel.mul(kernel.block, kernel.constant(threads)),
                             kernel.thread);
    Value step = kernel.mul(kernel.blocks, kernel.constant(threads));
    Values radices = kernel.sizes(outer);
    radices.push_back(perRow);
    kernel.counted(radices, first, kernel.mul(kernel.count(outer), perRow),
                   step, [&](const Values &digits) {
                     Value start = kernel.add(kernel.lo[last],
                                              kernel.mul(digits.back(), w));
                     kernel.atPlaces(outer, ArrayRef(digits).drop_back(),
                                     [&] { portion(start); });
                   });
  }

private:
  /// The value where rows are odd, else 0.
  Value chosen(Value value) {
    return arith::SelectOp::create(b, isOdd, value, kernel.constant(0));
  }

  void portion(Value start) {
    // So many elements of the row's first access belong to what is before it.
    kernel.at[last] = kernel.lo[last];
    Value address = addressOf(kernel.result, kernel.resultIndices());
    const int64_t all = bytes(kernel.result);
    Value over = arith::AndIOp::create(b, address, kernel.constant(all - 1));
    start = kernel.sub(
        start, chosen(kernel.divide(over, kernel.constant(all / width))));
    kernel.at[last] = start;
    Value begin = kernel.max(start, kernel.lo[last]);
    Value end = kernel.add(start, kernel.constant(width));
    Value whole =
        kernel.both(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start,
                                          kernel.lo[last]),
                    arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end,
                                          kernel.hi[last]));
    whole = kernel.both(whole, aligned(kernel.result, kernel.resultIndices()));
    for (const ExprRef &read : reads)
      whole = kernel.both(whole,
                          aligned(memoryOf(read), kernel.readIndices(*read)));
    auto branch = scf::IfOp::create(b, whole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    together(start);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    kernel.loop(begin, kernel.min(end, kernel.hi[last]), 1, [&](Value i) {
      kernel.at[last] = i;
      kernel.store(kernel.emit(term));
    });
    kernel.at[last] = nullptr;
  }

  Value memoryOf(const ExprRef &read) {
    return kernel.operands[size_t(read->operand)];
  }

  int64_t bytes(Value memory) {
    Type element = cast<MemRefType>(memory.getType()).getElementType();
    return width * element.getIntOrFloatBitWidth() / 8;
  }

  Value addressOf(Value memory, const Values &indices) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memory);
    Value offset = kernel.constant(0);
    for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
      offset = kernel.add(offset, kernel.mul(index, stride));
    return kernel.add(
        memref::ExtractAlignedPointerAsIndexOp::create(b, memory),
        kernel.mul(offset, kernel.constant(bytes(memory) / width)));
  }

  /// The address is a multiple of what is read, or written, from there.
  Value aligned(Value memory, const Values &indices) {
    return kernel.isZero(arith::AndIOp::create(
        b, addressOf(memory, indices), kernel.constant(bytes(memory) - 1)));
  }

  VectorType vectorOf(Value memory) {
    return VectorType::get({width},
                           cast<MemRefType>(memory.getType()).getElementType());
  }

  void together(Value start) {
    kernel.at[last] = start;
    SmallVector<Value> loaded;
    for (const ExprRef &read : reads) {
      Value memory = memoryOf(read);
      loaded.push_back(vector::LoadOp::create(
          b, vectorOf(memory), memory, kernel.readIndices(*read),
          /*nontemporal=*/false, llvm::MaybeAlign(uint64_t(bytes(memory)))));
    }
    const Values target = kernel.resultIndices();
    const VectorType type = vectorOf(kernel.result);
    SmallVector<Value> elements;
    for (int64_t k = 0; k < width; ++k) {
      kernel.at[last] = kernel.add(start, kernel.constant(k));
      const llvm::SaveAndRestore<std::function<Value(const ExprRef &)>> atHand(
          kernel.elementAtHand, [&](const ExprRef &read) -> Value {
            for (const auto &[known, vector] : llvm::zip(reads, loaded))
              if (equal(known, read))
                return fromMemory(b, read->type,
                                  vector::ExtractOp::create(b, vector, k));
            return nullptr;
          });
      elements.push_back(toMemory(b, kernel.lambda.result, kernel.emit(term)));
    }
    Value result = vector::FromElementsOp::create(b, type, elements);
    vector::StoreOp::create(b, result, kernel.result, target,
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(uint64_t(bytes(kernel.result))));
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const ExprRef &term;
  size_t last;
  int64_t width;
  Value isOdd;                // rows are no multiples of the width
  std::vector<ExprRef> reads; // of neighbours
};

} // namespace

void codegen::buildGpuMap(GpuKernel &kernel) {
  const ExprRef term = termOf(kernel.lambda);
  if (kernel.schedule.vector > 1)
    return Neighbours(kernel, term).build();
  kernel.eachTuple(kernel.outputs(), 1,
                   [&] { kernel.store(kernel.emit(term)); });
}
