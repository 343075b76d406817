// The best elements of a slice, best first (`topk_values`, `topk_indices`). A
// thread takes an element and counts those that are better, which says what
// place it has among the results: there is nothing to wait for, and nothing but
// the elements says what the result is, ties included. It stops where so many
// are better that there is no place left, soon for all but the best: of the
// best 50 of 128 thousand in random order, most look at a few hundred.
#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

class Order {
public:
  explicit Order(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b), type(call.elementType()),
        isLargest(call.argument(1) != 0) {}

  void build(bool values) {
    call.eachElement([&](Value i) {
      Value x = call.element(i);
      // Of equal elements, the first is better.
      Value place = better(kernel.constant(0), i, kernel.constant(0),
                           [&](Value y) { return isNot(isBetter(x, y)); });
      place = better(kernel.add(i, kernel.constant(1)), call.size(), place,
                     [&](Value y) { return isBetter(y, x); });
      Value number =
          values ? x : arith::IndexCastOp::create(b, b.getI64Type(), i);
      call.storeIf(nullptr, place, number);
    });
  }

private:
  /// `count`, and those of the elements from `first` to `end` for which the
  /// condition holds, as long as that is a place of the results.
  Value better(Value first, Value end, Value count,
               llvm::function_ref<Value(Value)> condition) {
    Type index = b.getIndexType();
    auto loop = scf::WhileOp::create(
        b, TypeRange{index, index}, ValueRange{first, count},
        [&](OpBuilder &builder, Location, ValueRange at) {
          const OpBuilder::InsertPoint here = builder.saveInsertionPoint();
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(here);
          Value goesOn = kernel.both(kernel.less(at[0], end),
                                     kernel.less(at[1], call.endPlace()));
          scf::ConditionOp::create(b, goesOn, at);
        },
        [&](OpBuilder &builder, Location, ValueRange at) {
          const OpBuilder::InsertPoint here = builder.saveInsertionPoint();
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(here);
          Value one = arith::IndexCastUIOp::create(
              b, index, condition(call.element(at[0])));
          Value next = kernel.add(at[0], kernel.constant(1));
          scf::YieldOp::create(b, ValueRange{next, kernel.add(at[1], one)});
        });
    return loop.getResult(1);
  }

  Value isBetter(Value x, Value y) {
    return isLargest ? isLess(y, x) : isLess(x, y);
  }
  /// NaN is larger than any number.
  Value isLess(Value x, Value y) {
    Value less = emitBinary(b, tdl::BinaryOp::Lt, type, x, y);
    if (!isFloat(type))
      return less;
    Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, x, x);
    Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, y, y);
    return arith::OrIOp::create(b, less, kernel.both(isNumber, isNan));
  }
  Value isNot(Value condition) {
    return arith::XOrIOp::create(b, condition,
                                 integerConstant(b, DType::Bool, 1));
  }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  const DType type;
  const bool isLargest;
};

} // namespace

void codegen::buildGpuOrder(OpaqueCall &call, bool values) {
  Order(call).build(values);
}
