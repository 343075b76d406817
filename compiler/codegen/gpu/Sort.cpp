#include "compiler/codegen/gpu/Sort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

Value codegen::indexAt(GpuKernel &kernel, Value i) {
  Value word = kernel.fromScratch(kernel.b.getI64Type(), i);
  return arith::IndexCastOp::create(kernel.b, kernel.b.getIndexType(), word);
}

void codegen::setIndex(GpuKernel &kernel, Value i, Value index) {
  kernel.toScratch(
      i, arith::IndexCastOp::create(kernel.b, kernel.b.getI64Type(), index));
}

Value codegen::firstNot(GpuKernel &kernel, Value lo, Value hi,
                        llvm::function_ref<Value(Value)> condition) {
  LocBuilder &b = kernel.b;
  return kernel.repeat(
      {lo, hi}, [&](ValueRange at) { return kernel.less(at[0], at[1]); },
      [&](ValueRange at) {
        Value middle =
            kernel.divide(kernel.add(at[0], at[1]), kernel.constant(2));
        Value holds = condition(middle);
        Value behind = kernel.add(middle, kernel.constant(1));
        Value from = arith::SelectOp::create(b, holds, behind, at[0]);
        return Values{from, arith::SelectOp::create(b, holds, at[1], middle)};
      })[0];
}

namespace {

/// One number of the list, i, in the round that merges runs of this length.
void moveOne(GpuKernel &kernel, SortedList list, Value count, Value length,
             Value i, llvm::function_ref<Value(Value, Value)> before) {
  LocBuilder &b = kernel.b;
  const auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, condition, x, y);
  };
  Value both = kernel.add(length, length);
  Value begin = kernel.mul(kernel.divide(i, both), both);
  Value middle = kernel.min(kernel.add(begin, length), count);
  Value end = kernel.min(kernel.add(begin, both), count);
  Value isLeft = kernel.less(i, middle);
  Value isRight =
      arith::XOrIOp::create(b, isLeft, integerConstant(b, DType::Bool, 1));
  Value own = indexAt(kernel, kernel.add(list.here, i));
  Value from = choose(isLeft, middle, begin);
  Value place =
      firstNot(kernel, from, choose(isLeft, end, middle), [&](Value other) {
        // Equal ones of the left run go before those of the right one.
        Value theirs = indexAt(kernel, kernel.add(list.here, other));
        Value isBefore =
            before(choose(isLeft, theirs, own), choose(isLeft, own, theirs));
        return Value(arith::XOrIOp::create(b, isBefore, isRight));
      });
  Value others = kernel.sub(place, from);
  Value ofOwn = kernel.sub(i, choose(isLeft, begin, middle));
  Value to = kernel.add(begin, kernel.add(ofOwn, others));
  setIndex(kernel, kernel.add(list.other, to), own);
}

} // namespace

SortedList
codegen::sortByBlock(GpuKernel &kernel, SortedList list, Value count,
                     llvm::function_ref<Value(Value, Value)> before) {
  const Values sorted = kernel.repeat(
      {kernel.constant(1), list.here, list.other},
      [&](ValueRange at) { return kernel.less(at[0], count); },
      [&](ValueRange at) {
        Value length = at[0], from = at[1], to = at[2];
        kernel.strided(kernel.thread, count,
                       kernel.constant(kernel.schedule.threads), [&](Value i) {
                         moveOne(kernel, {from, to}, count, length, i, before);
                       });
        kernel.barrier();
        return Values{kernel.add(length, length), to, from};
      });
  return {sorted[1], sorted[2]};
}
