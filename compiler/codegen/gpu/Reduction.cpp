// Reductions. The order of the terms of an element follows from the ranges of
// the reduction's variables alone, so that its bits do not depend on how the
// result is cut among GPUs:
//
// - `Thread`: one term after the other, in the order of the variables; where
// there are `many`, term number t goes to warp t mod 8, and warps are combined
// one after the other.
// - `Warp`: term number t of a loop goes to lane t mod 32, or thread t mod 256
//   where there are `many` terms; then lanes are combined as a binary tree, and
//   warps one after the other.
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Nest.h"
#include "compiler/codegen/gpu/GpuKernel.h"

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
    return kernel.strided(lane, kernel.count(order), step, [&](Value i) {
      kernel.atTuple(order, i, [&] { kernel.addTerm(cell, term); });
    });
  Nest nest(kernel, order);
  nest.skip(kernel.nothing());
  nest.setCopies(1);
  nest.emit(term, Nest::InnerLoop([&](const ExprRef &term, Value lo, Value hi) {
              kernel.strided(kernel.add(lo, lane), hi, step, [&](Value i) {
                Value &at = kernel.at[size_t(order.back())];
                at = i;
                kernel.addTerm(cell, term);
                at = nullptr;
              });
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
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                kernel.addTerm(cell, term);
              }));
    kernel.storeAccumulated(kernel.get(cell));
  });
}

/// As many neighbours as a warp has lanes, per block.
void byColumns(GpuKernel &kernel, const ExprRef &term) {
  LocBuilder &b = kernel.b;
  const int64_t warps = kernel.schedule.threads / warp;
  Value cell = kernel.cell();
  Value parts =
      kernel.shared(kernel.accumulatorMemory(), kernel.schedule.threads);
  Value lane = arith::RemUIOp::create(b, kernel.thread, kernel.constant(warp));
  Value number = kernel.divide(kernel.thread, kernel.constant(warp));
  const std::vector<int> &order = kernel.schedule.order;
  SmallVector<int> outer = kernel.outputs();
  const int last = outer.pop_back_val();
  Value size = kernel.size(last), terms = kernel.count(order);
  Value perRow = kernel.divide(kernel.add(size, kernel.constant(warp - 1)),
                               kernel.constant(warp));
  Value all = kernel.mul(kernel.count(outer), perRow);
  const auto sums = [&](Value column) {
    Value inside = kernel.less(column, size);
    kernel.at[size_t(last)] = kernel.add(kernel.lo[size_t(last)], column);
    kernel.when(inside, [&] {
      kernel.set(cell, kernel.identity());
      kernel.strided(number, terms, kernel.constant(warps), [&](Value t) {
        kernel.atTuple(order, t, [&] { kernel.addTerm(cell, term); });
      });
      memref::StoreOp::create(b, kernel.get(cell), parts, kernel.thread);
    });
    kernel.barrier();
    kernel.when(kernel.both(inside, kernel.isZero(number)), [&] {
      Value total = memref::LoadOp::create(b, parts, lane);
      for (int64_t w = 1; w < warps; ++w) {
        Value at = kernel.add(lane, kernel.constant(w * warp));
        Value part = memref::LoadOp::create(b, parts, at);
        total = kernel.combine(total, part);
      }
      kernel.storeAccumulated(total);
    });
    kernel.at[size_t(last)] = nullptr;
    kernel.barrier(); // the parts are free again
  };
  kernel.strided(kernel.block, all, kernel.blocks, [&](Value i) {
    Value row = kernel.divide(i, perRow);
    Value tile = kernel.sub(i, kernel.mul(row, perRow));
    Value column = kernel.add(kernel.mul(tile, kernel.constant(warp)), lane);
    kernel.atTuple(outer, row, [&] { sums(column); });
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
