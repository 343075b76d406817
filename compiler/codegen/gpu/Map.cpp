// A lambda without reduction: an element of the result per thread, or several
// neighbours, which a thread reads and writes in accesses of 16 bytes wherever
// their addresses are multiples of 16.
#include "compiler/codegen/gpu/WideReads.h"

#include "compiler/codegen/expression/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
        reads(kernel, term, int(last), width) {}

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
    Value address = addressOf(kernel, kernel.result, kernel.resultIndices());
    const int64_t all = bytesOf(kernel.result, width);
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
    whole = kernel.both(
        whole, isAligned(kernel, kernel.result, kernel.resultIndices(), width));
    whole = kernel.both(whole, reads.canLoad());
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

  void together(Value start) {
    kernel.at[last] = start;
    const SmallVector<Value> loaded = reads.load(/*checked=*/false);
    const Values target = kernel.resultIndices();
    SmallVector<Value> elements;
    for (int64_t k = 0; k < width; ++k)
      reads.at(start, loaded, k, [&] {
        elements.push_back(
            toMemory(b, kernel.lambda.result, kernel.emit(term)));
      });
    Value result = vector::FromElementsOp::create(
        b, vectorOf(kernel.result, width), elements);
    vector::StoreOp::create(
        b, result, kernel.result, target, /*nontemporal=*/false,
        llvm::MaybeAlign(uint64_t(bytesOf(kernel.result, width))));
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const ExprRef &term;
  size_t last;
  int64_t width;
  Value isOdd; // rows are no multiples of the width
  WideReads reads;
};

} // namespace

void codegen::buildGpuMap(GpuKernel &kernel) {
  const ExprRef term = termOf(kernel.lambda);
  if (kernel.schedule.vector > 1)
    return Neighbours(kernel, term).build();
  kernel.eachTuple(kernel.outputs(), 1,
                   [&] { kernel.store(kernel.emit(term)); });
}
