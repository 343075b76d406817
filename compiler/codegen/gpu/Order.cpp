// The best elements of a slice, best first (`topk_values`, `topk_indices`). A
// thread takes an element and counts those that are better, which says what
// place it has among the results: there is nothing to wait for, and nothing but
// the elements says what the result is, ties included. It stops where so many
// are better that there is no place left, soon for all but the best: of the
// best 50 of 128 thousand in random order, most look at a few hundred.
#include "compiler/codegen/gpu/Opaque.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

class Order {
public:
  explicit Order(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b),
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
    return kernel.repeat(
        {first, count},
        [&](ValueRange at) {
          return kernel.both(kernel.less(at[0], end),
                             kernel.less(at[1], call.endPlace()));
        },
        [&](ValueRange at) {
          Value one = arith::IndexCastUIOp::create(
              b, b.getIndexType(), condition(call.element(at[0])));
          Value next = kernel.add(at[0], kernel.constant(1));
          return Values{next, kernel.add(at[1], one)};
        })[1];
  }

  Value isBetter(Value x, Value y) {
    return isLargest ? call.isLess(y, x) : call.isLess(x, y);
  }
  Value isNot(Value condition) {
    return arith::XOrIOp::create(b, condition,
                                 integerConstant(b, DType::Bool, 1));
  }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  const bool isLargest;
};

} // namespace

void codegen::buildGpuOrder(OpaqueCall &call, bool values) {
  Order(call).build(values);
}
