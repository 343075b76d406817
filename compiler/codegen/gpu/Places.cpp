// Where the elements of a slice that are not 0 are, in their order, and zeros
// behind (`nonzero_places`). A block goes through the slice; in each round, its
// threads look at an element each and add up in shared memory how many of those
// up to their own there are.
#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

class Places {
public:
  explicit Places(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b),
        threads(kernel.schedule.threads),
        counts(kernel.shared(b.getI32Type(), threads)) {}

  void build() {
    call.eachSlice([&] {
      auto rounds = scf::ForOp::create(b, constant(0), call.size(),
                                       constant(threads), constant(0));
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(rounds.getBody());
        Value next =
            round(rounds.getInductionVar(), rounds.getRegionIterArg(0));
        scf::YieldOp::create(b, next);
      }
      Value rest = kernel.max(rounds.getResult(0), call.firstPlace());
      Value zero = integerConstant(b, DType::I64, 0);
      kernel.strided(kernel.add(rest, kernel.thread), call.endPlace(),
                     constant(threads),
                     [&](Value place) { call.store(place, zero); });
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }

  /// How many there are after the elements from `base` on, of `before`.
  Value round(Value base, Value before) {
    Value i = kernel.add(base, kernel.thread);
    Value isPlace = isSome(i);
    write(arith::ExtUIOp::create(b, b.getI32Type(), isPlace));
    kernel.barrier();
    for (int64_t distance = 1; distance < threads; distance *= 2) {
      Value count = read(kernel.thread);
      Value isBehind = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                             kernel.thread, constant(distance));
      Value other = kernel.sub(kernel.thread, constant(distance));
      Value from = read(kernel.max(other, constant(0)));
      Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
      count =
          kernel.add(count, arith::SelectOp::create(b, isBehind, from, zero));
      kernel.barrier();
      write(count);
      kernel.barrier();
    }
    Value upTo = kernel.add(before, asIndex(read(kernel.thread)));
    Value number = arith::IndexCastOp::create(b, b.getI64Type(), i);
    call.storeIf(isPlace, kernel.sub(upTo, constant(1)), number);
    Value all = asIndex(read(constant(threads - 1)));
    kernel.barrier(); // the counts are free again
    return kernel.add(before, all);
  }

  Value isSome(Value i) {
    auto branch =
        scf::IfOp::create(b, TypeRange{b.getI1Type()},
                          kernel.less(i, call.size()), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    const DType type = call.elementType();
    Value zero =
        isFloat(type) ? realConstant(b, type, 0) : integerConstant(b, type, 0);
    scf::YieldOp::create(
        b, emitBinary(b, tdl::BinaryOp::Ne, type, call.element(i), zero));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, integerConstant(b, DType::Bool, 0));
    return branch.getResult(0);
  }

  Value read(Value thread) { return memref::LoadOp::create(b, counts, thread); }
  void write(Value count) {
    memref::StoreOp::create(b, count, counts, kernel.thread);
  }
  Value asIndex(Value count) {
    return arith::IndexCastOp::create(b, b.getIndexType(), count);
  }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  const int64_t threads;
  Value counts;
};

} // namespace

void codegen::buildGpuPlaces(OpaqueCall &call) { Places(call).build(); }
