#include "compiler/codegen/gpu/Count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

BlockCount::BlockCount(GpuKernel &kernel)
    : kernel(kernel), b(kernel.b), threads(kernel.schedule.threads),
      counts(kernel.shared(b.getI32Type(), threads)) {}

Value BlockCount::run(Value size, llvm::function_ref<Value(Value)> isOne,
                      llvm::function_ref<void(Value, Value, Value)> use) {
  const auto asIndex = [&](Value count) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), count);
  };
  auto rounds =
      scf::ForOp::create(b, kernel.constant(0), size, kernel.constant(threads),
                         ValueRange{kernel.constant(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rounds.getBody());
  Value before = rounds.getRegionIterArg(0);
  Value i = kernel.add(rounds.getInductionVar(), kernel.thread);
  Value isThis = isOneBelow(i, size, isOne);
  write(arith::ExtUIOp::create(b, b.getI32Type(), isThis));
  kernel.barrier();
  addUp();
  Value upTo = kernel.add(before, asIndex(read(kernel.thread)));
  kernel.when(kernel.less(i, size), [&] { use(i, isThis, upTo); });
  Value all = asIndex(read(kernel.constant(threads - 1)));
  kernel.barrier(); // the counts are free again
  scf::YieldOp::create(b, ValueRange{kernel.add(before, all)});
  return rounds.getResult(0);
}

/// Each thread's count becomes that of all threads up to it.
void BlockCount::addUp() {
  for (int64_t distance = 1; distance < threads; distance *= 2) {
    Value count = read(kernel.thread);
    Value away = kernel.constant(distance);
    Value isBehind = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                           kernel.thread, away);
    Value other = kernel.sub(kernel.thread, away);
    Value from = read(kernel.max(other, kernel.constant(0)));
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    count = kernel.add(count, arith::SelectOp::create(b, isBehind, from, zero));
    kernel.barrier();
    write(count);
    kernel.barrier();
  }
}

Value BlockCount::isOneBelow(Value i, Value size,
                             llvm::function_ref<Value(Value)> isOne) {
  auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()},
                                  kernel.less(i, size), /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, isOne(i));
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, integerConstant(b, DType::Bool, 0));
  return branch.getResult(0);
}

Value BlockCount::read(Value thread) {
  return memref::LoadOp::create(b, counts, thread);
}
void BlockCount::write(Value count) {
  memref::StoreOp::create(b, count, counts, kernel.thread);
}
