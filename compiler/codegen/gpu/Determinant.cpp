// The determinant of a matrix (`det`), by elimination with partial pivoting, in
// f64, every operation that of the interpreter and in its order. A block takes
// a matrix, which it copies to its scratch memory. Steps follow from each
// other, so the threads of the block share the work of one: they look for the
// pivot, exchange its row with the step's, divide the column below it, which
// becomes the factors, and subtract.
#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

class Determinant {
public:
  explicit Determinant(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b),
        threads(kernel.schedule.threads), f64(b.getF64Type()),
        index(b.getIndexType()), n(call.size()),
        best(kernel.shared(f64, threads)),
        rows(kernel.shared(b.getI64Type(), threads)),
        chosen(kernel.shared(b.getI64Type(), 1)) {}

  void build() {
    call.eachSlice([&] {
      kernel.strided(kernel.thread, kernel.mul(n, n), constant(threads),
                     [&](Value i) {
                       Value row = kernel.divide(i, n);
                       Value column = kernel.sub(i, kernel.mul(row, n));
                       kernel.toScratch(i, call.real({row, column}));
                     });
      kernel.barrier();
      Value product = eliminate();
      isFirst([&] {
        call.store(call.firstPlace(),
                   emitCast(b, DType::F64, kernel.stored, product));
      });
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Value real(double value) { return realConstant(b, DType::F64, value); }

  /// The product of the pivots, with the sign of the exchanges.
  Value eliminate() {
    return kernel.repeat(
        {constant(0), real(1)},
        [&](ValueRange at) { return kernel.less(at[0], n); },
        [&](ValueRange at) {
          Value product = at[1];
          Value next = doStep(at[0], product);
          return Values{next, product};
        })[1];
  }

  /// Gives the step that is next: none behind a pivot that is 0.
  Value doStep(Value step, Value &product) {
    Value pivot = findPivot(step);
    Value isOther =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, pivot, step);
    kernel.when(isOther, [&] {
      eachFrom(step, kernel.thread, threads, [&](Value column) {
        Value upper = at(step, column), lower = at(pivot, column);
        set(step, column, lower);
        set(pivot, column, upper);
      });
    });
    kernel.barrier();
    product = arith::SelectOp::create(
        b, isOther, arith::NegFOp::create(b, product), product);
    Value divisor = at(step, step);
    product = arith::MulFOp::create(b, product, divisor);
    Value isZero =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, divisor, real(0));
    Value below = kernel.add(step, constant(1));
    Value next = arith::SelectOp::create(b, isZero, n, below);
    subtract(step, next, divisor);
    return next;
  }

  /// The first of the rows from `step` on whose elements in that column are the
  /// largest. What is no number is not larger than anything, nor smaller.
  Value findPivot(Value step) {
    auto own = scf::ForOp::create(b, kernel.add(step, kernel.thread), n,
                                  constant(threads), ValueRange{real(-1), n});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(own.getBody());
      Value row = own.getInductionVar();
      Value size = math::AbsFOp::create(b, at(row, step));
      Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, size,
                                             own.getRegionIterArg(0));
      scf::YieldOp::create(
          b, ValueRange{arith::SelectOp::create(b, isLarger, size,
                                                own.getRegionIterArg(0)),
                        arith::SelectOp::create(b, isLarger, row,
                                                own.getRegionIterArg(1))});
    }
    memref::StoreOp::create(b, own.getResult(0), best, kernel.thread);
    memref::StoreOp::create(b, word(own.getResult(1)), rows, kernel.thread);
    kernel.barrier();
    isFirst([&] {
      Value start = math::AbsFOp::create(b, at(step, step));
      auto all = scf::ForOp::create(
          b, constant(0), kernel.min(kernel.sub(n, step), constant(threads)),
          constant(1), ValueRange{start, step});
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(all.getBody());
        Value thread = all.getInductionVar();
        Value size = memref::LoadOp::create(b, best, thread);
        Value row = asIndex(memref::LoadOp::create(b, rows, thread));
        Value isBetter = isAhead(size, row, all.getRegionIterArg(0),
                                 all.getRegionIterArg(1));
        scf::YieldOp::create(
            b, ValueRange{arith::SelectOp::create(b, isBetter, size,
                                                  all.getRegionIterArg(0)),
                          arith::SelectOp::create(b, isBetter, row,
                                                  all.getRegionIterArg(1))});
      }
      memref::StoreOp::create(b, word(all.getResult(1)), chosen, constant(0));
    });
    kernel.barrier();
    return asIndex(memref::LoadOp::create(b, chosen, constant(0)));
  }

  Value isAhead(Value size, Value row, Value otherSize, Value otherRow) {
    Value isLarger =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, size, otherSize);
    Value isEqual =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, size, otherSize);
    return arith::OrIOp::create(
        b, isLarger, kernel.both(isEqual, kernel.less(row, otherRow)));
  }

  /// From the rows from `first` on, the step's row times their factors.
  void subtract(Value step, Value first, Value divisor) {
    eachFrom(first, kernel.thread, threads, [&](Value row) {
      set(row, step, arith::DivFOp::create(b, at(row, step), divisor));
    });
    kernel.barrier();
    // A warp takes a row, its lanes neighbouring columns.
    constexpr int64_t warp = 32;
    Value group = kernel.divide(kernel.thread, constant(warp));
    Value lane = kernel.sub(kernel.thread, kernel.mul(group, constant(warp)));
    eachFrom(first, group, threads / warp, [&](Value row) {
      Value factor = at(row, step);
      eachFrom(first, lane, warp, [&](Value column) {
        Value part = arith::MulFOp::create(b, factor, at(step, column));
        set(row, column, arith::SubFOp::create(b, at(row, column), part));
      });
    });
    kernel.barrier();
  }

  /// The numbers from `first` to n that `size` threads have, of which this is
  /// number `own`.
  void eachFrom(Value first, Value own, int64_t size,
                llvm::function_ref<void(Value)> body) {
    kernel.strided(kernel.add(first, own), n, constant(size), body);
  }
  void isFirst(llvm::function_ref<void()> body) {
    kernel.when(kernel.isZero(kernel.thread), body);
  }

  Value at(Value row, Value column) {
    return kernel.fromScratch(f64, kernel.add(kernel.mul(row, n), column));
  }
  void set(Value row, Value column, Value value) {
    kernel.toScratch(kernel.add(kernel.mul(row, n), column), value);
  }
  Value word(Value i) {
    return arith::IndexCastOp::create(b, b.getI64Type(), i);
  }
  Value asIndex(Value i) { return arith::IndexCastOp::create(b, index, i); }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  const int64_t threads;
  const Type f64, index;
  Value n;
  /// Of each thread the largest element and its row; and the pivot's row.
  Value best, rows, chosen;
};

} // namespace

void codegen::buildGpuDeterminant(OpaqueCall &call) {
  Determinant(call).build();
}
