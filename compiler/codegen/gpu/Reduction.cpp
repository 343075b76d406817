// Reductions. The order of the terms of an element follows from the ranges of
// the reduction's variables alone, so that its bits do not depend on how the
// result is cut among GPUs:
//
// - `Thread`: one term after the other, in the order of the variables; where
//   there are `many`, a block takes a few neighbours, term number t goes to the
//   row t mod 64 of its threads, and rows are combined one after the other.
// - `Warp`: term number t of a loop goes to lane t mod 32, or thread t mod 512
//   where there are `many` terms; then lanes are combined as a binary tree, and
//   warps one after the other.
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/gpu/Terms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

bool codegen::isBox(const tdl::Lambda &lambda, const ExprRef &term) {
  const std::vector<bool> bound(size_t(lambda.indexCount()), true);
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
    if (findCut(term, r, bound) || findCongruence(term, r, bound))
      return false;
  return true;
}

namespace {

constexpr int64_t warp = 32;

/// Each of `size` threads, of which this is number `lane`, adds its part of the
/// terms to the cell.
void addDealt(GpuKernel &kernel, const ExprRef &term, Value cell, Value lane,
              int64_t size) {
  const std::vector<int> &order = kernel.schedule.order;
  Value step = kernel.constant(size);
  if (isBox(kernel.lambda, term))
    return addTuples(kernel, term, cell, lane, step);
  Nest nest(kernel, order);
  nest.skip(kernel.nothing());
  nest.setCopies(1);
  nest.emit(term, Nest::InnerLoop([&](const ExprRef &term, Value lo, Value hi) {
              addRange(kernel, term, cell, order.back(), kernel.add(lo, lane),
                       hi, step);
            }));
}

Value combineLanes(GpuKernel &kernel, Value v) {
  for (int64_t distance = 16; distance > 0; distance /= 2)
    v = kernel.combine(v, kernel.fromLane(v, distance));
  return v;
}

void byGroups(GpuKernel &kernel, const ExprRef &term, int64_t size) {
  LocBuilder &b = kernel.b;
  const int64_t warps = size / warp;
  const auto part = [&](int64_t divisor) -> Value {
    return arith::RemUIOp::create(b, kernel.thread, kernel.constant(divisor));
  };
  Value lane = part(size), first = kernel.isZero(part(warp));
  Value cell = kernel.cell(), memory;
  if (warps > 1)
    memory = kernel.shared(kernel.accumulatorMemory(), warps);
  kernel.eachTuple(kernel.outputs(), size, [&] {
    kernel.set(cell, kernel.identity());
    addDealt(kernel, term, cell, lane, size);
    Value sum = combineLanes(kernel, kernel.get(cell));
    if (warps == 1)
      return kernel.when(first, [&] { kernel.storeAccumulated(sum); });
    kernel.when(first, [&] {
      Value warpNumber = kernel.divide(kernel.thread, kernel.constant(warp));
      memref::StoreOp::create(b, sum, memory, warpNumber);
    });
    kernel.barrier();
    kernel.when(kernel.isZero(kernel.thread), [&] {
      const auto of = [&](int64_t w) -> Value {
        return memref::LoadOp::create(b, memory, kernel.constant(w));
      };
      Value total = of(0);
      for (int64_t w = 1; w < warps; ++w)
        total = kernel.combine(total, of(w));
      kernel.storeAccumulated(total);
    });
    kernel.barrier(); // the memory is free again
  });
}

void oneByOne(GpuKernel &kernel, const ExprRef &term) {
  Value cell = kernel.cell();
  kernel.eachTuple(kernel.outputs(), 1, [&] {
    kernel.set(cell, kernel.identity());
    Nest nest(kernel, kernel.schedule.order);
    nest.skip(kernel.nothing());
    nest.setCopies(1);
    addNest(kernel, nest, term, cell);
    kernel.storeAccumulated(kernel.get(cell));
  });
}

/// `columns` neighbours per block, whose rows of threads each add a part of the
/// terms.
void byColumns(GpuKernel &kernel, const ExprRef &term) {
  LocBuilder &b = kernel.b;
  Value columns = kernel.constant(kernel.schedule.columns);
  Value rows =
      kernel.constant(kernel.schedule.threads / kernel.schedule.columns);
  Value cell = kernel.cell();
  Value parts =
      kernel.shared(kernel.accumulatorMemory(), kernel.schedule.threads);
  Value place = arith::RemUIOp::create(b, kernel.thread, columns);
  Value number = kernel.divide(kernel.thread, columns);
  SmallVector<int> outer = kernel.outputs();
  const auto last = size_t(outer.pop_back_val());
  Value size = kernel.size(int(last));
  Value tiles = kernel.divide(
      kernel.add(size, kernel.sub(columns, kernel.constant(1))), columns);
  const auto sums = [&](Value column) {
    Value inside = kernel.less(column, size);
    kernel.at[last] = kernel.add(kernel.lo[last], column);
    kernel.when(inside, [&] {
      kernel.set(cell, kernel.identity());
      addTuples(kernel, term, cell, number, rows);
      memref::StoreOp::create(b, kernel.get(cell), parts, kernel.thread);
    });
    kernel.barrier();
    kernel.when(kernel.both(inside, kernel.isZero(number)), [&] {
      kernel.set(cell, memref::LoadOp::create(b, parts, place));
      kernel.loop(kernel.constant(1), rows, 1, [&](Value row) {
        Value at = kernel.add(place, kernel.mul(row, columns));
        Value part = memref::LoadOp::create(b, parts, at);
        kernel.set(cell, kernel.combine(kernel.get(cell), part));
      });
      kernel.storeAccumulated(kernel.get(cell));
    });
    kernel.at[last] = nullptr;
    kernel.barrier(); // the parts are free again
  };
  Values radices = kernel.sizes(outer);
  radices.push_back(tiles);
  kernel.counted(radices, kernel.block, kernel.mul(kernel.count(outer), tiles),
                 kernel.blocks, [&](const Values &digits) {
                   Value column =
                       kernel.add(kernel.mul(digits.back(), columns), place);
                   kernel.atPlaces(outer, ArrayRef(digits).drop_back(),
                                   [&] { sums(column); });
                 });
}

/// One or the other, by the number of terms.
void byCount(GpuKernel &kernel, llvm::function_ref<void()> few,
             llvm::function_ref<void()> many) {
  Value count = kernel.count(kernel.schedule.order);
  Value isFew = kernel.less(count, kernel.constant(kernel.schedule.many));
  kernel.when(isFew, few);
  Value isMany =
      arith::CmpIOp::create(kernel.b, arith::CmpIPredicate::sge, count,
                            kernel.constant(kernel.schedule.many));
  kernel.when(isMany, many);
}

} // namespace

void codegen::buildGpuThreads(GpuKernel &kernel) {
  const ExprRef term = termOf(kernel.lambda);
  if (kernel.schedule.many == 0)
    return oneByOne(kernel, term);
  byCount(
      kernel, [&] { oneByOne(kernel, term); },
      [&] { byColumns(kernel, term); });
}

void codegen::buildGpuWarps(GpuKernel &kernel) {
  const ExprRef term = termOf(kernel.lambda);
  byCount(
      kernel, [&] { byGroups(kernel, term, warp); },
      [&] { byGroups(kernel, term, kernel.schedule.threads); });
}
