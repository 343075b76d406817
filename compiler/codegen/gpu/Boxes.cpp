// Boxes of a class that are kept of those that overlap (`unsuppressed_boxes`),
// every operation that of the interpreter. Whether a box is kept depends on
// those with better scores, one after the other, so a block takes a class: it
// puts the boxes that may be kept in the order of their scores, and each that
// is kept marks those behind it that overlap it. The order, and then the marks,
// are in its scratch memory.
#include "compiler/codegen/gpu/Count.h"
#include "compiler/codegen/gpu/Opaque.h"
#include "compiler/codegen/gpu/Sort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

struct Rectangle {
  Value low[2], high[2];
};

class Boxes {
public:
  explicit Boxes(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b), all(call.size(1)),
        count(kernel) {}

  void build() {
    call.eachSlice([&] {
      Value some = count.run(
          all, [&](Value i) { return mayBeKept(i); },
          [&](Value i, Value is, Value upTo) {
            kernel.when(is, [&] {
              setIndex(kernel, kernel.sub(upTo, constant(1)), i);
            });
          });
      const SortedList sorted =
          sortByBlock(kernel, {constant(0), all}, some,
                      [&](Value x, Value y) { return isBetter(x, y); });
      each(constant(0), some, [&](Value i) {
        kernel.toScratch(kernel.add(sorted.other, i), word(0));
      });
      kernel.barrier();
      Value kept = keep(sorted, some);
      each(kernel.max(kept, call.firstPlace()), call.endPlace(),
           [&](Value place) { call.store(place, word(-1)); });
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  Value word(int64_t value) { return integerConstant(b, DType::I64, value); }
  Value real(double value) { return realConstant(b, DType::F64, value); }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  void each(Value lo, Value hi, llvm::function_ref<void(Value)> body) {
    kernel.strided(kernel.add(lo, kernel.thread), hi,
                   constant(kernel.schedule.threads), body);
  }

  Value score(Value i) { return call.real({i}, 1); }
  Value mayBeKept(Value i) {
    if (call.argument(3) == 0)
      return integerConstant(b, DType::Bool, 1);
    return isLess(real(call.argument(2)), score(i));
  }
  /// What is no number is behind all numbers.
  Value isBetter(Value x, Value y) {
    Value ofX = score(x), ofY = score(y);
    Value isNumber =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, ofX, ofX);
    Value isNan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, ofY, ofY);
    return arith::OrIOp::create(b, isLess(ofY, ofX),
                                kernel.both(isNumber, isNan));
  }

  /// How many at the most: one is kept while there are fewer than `most`.
  Value limit() {
    const double most = call.argument(0);
    constexpr double huge = 1e18;
    return constant(!(most < huge) ? INT64_MAX
                    : most > 0     ? int64_t(std::ceil(most))
                                   : 0);
  }

  /// Of the boxes in their order, stores those that are kept, and gives how
  /// many they are.
  Value keep(const SortedList &sorted, Value some) {
    Value most = limit();
    return kernel.repeat(
        {constant(0), constant(0)},
        [&](ValueRange at) {
          return kernel.both(kernel.less(at[0], some),
                             kernel.less(at[1], most));
        },
        [&](ValueRange at) {
          Value mark = kernel.fromScratch(b.getI64Type(),
                                          kernel.add(sorted.other, at[0]));
          // The same for all threads.
          Value isKept =
              arith::CmpIOp::create(b, arith::CmpIPredicate::eq, mark, word(0));
          kernel.when(isKept, [&] { keepOne(sorted, some, at[0], at[1]); });
          Value one = arith::IndexCastUIOp::create(b, b.getIndexType(), isKept);
          Value next = kernel.add(at[0], constant(1));
          return Values{next, kernel.add(at[1], one)};
        })[1];
  }

  void keepOne(const SortedList &sorted, Value some, Value i, Value place) {
    const auto boxAt = [&](Value i) {
      return indexAt(kernel, kernel.add(sorted.here, i));
    };
    Value box = boxAt(i);
    call.storeIf(kernel.isZero(kernel.thread), place,
                 arith::IndexCastOp::create(b, b.getI64Type(), box));
    const Rectangle own = rectangle(box);
    each(kernel.add(i, constant(1)), some, [&](Value other) {
      Value hides = overlap(rectangle(boxAt(other)), own);
      kernel.when(hides, [&] {
        kernel.toScratch(kernel.add(sorted.other, other), word(1));
      });
    });
    kernel.barrier();
  }

  Rectangle rectangle(Value box) {
    Rectangle made;
    for (int64_t d = 0; d < 2; ++d) {
      Value x = call.real({box, constant(d)}, 0);
      Value y = call.real({box, constant(2 + d)}, 0);
      if (call.argument(4) != 0) {
        Value half = arith::DivFOp::create(b, y, real(2));
        made.low[d] = arith::SubFOp::create(b, x, half);
        made.high[d] = arith::AddFOp::create(b, x, half);
      } else {
        made.low[d] = smaller(x, y);
        made.high[d] = larger(x, y);
      }
    }
    return made;
  }

  /// std::min and std::max, down to which of the two is no number.
  Value smaller(Value x, Value y) { return choose(isLess(y, x), y, x); }
  Value larger(Value x, Value y) { return choose(isLess(x, y), y, x); }

  Value area(const Rectangle &box) {
    return arith::MulFOp::create(
        b, arith::SubFOp::create(b, box.high[0], box.low[0]),
        arith::SubFOp::create(b, box.high[1], box.low[1]));
  }

  /// Whether they share more than what is said of their union.
  Value overlap(const Rectangle &x, const Rectangle &y) {
    Value shared = real(1);
    for (int d = 0; d < 2; ++d) {
      Value side = arith::SubFOp::create(b, smaller(x.high[d], y.high[d]),
                                         larger(x.low[d], y.low[d]));
      shared = arith::MulFOp::create(b, shared, larger(real(0), side));
    }
    Value areaX = area(x), areaY = area(y);
    Value isNone = isAtMost(shared, real(0));
    for (Value each : {areaX, areaY})
      isNone = arith::OrIOp::create(b, isNone, isAtMost(each, real(0)));
    Value both = arith::SubFOp::create(
        b, arith::AddFOp::create(b, areaX, areaY), shared);
    Value isMore =
        isLess(real(call.argument(1)), arith::DivFOp::create(b, shared, both));
    return choose(isNone, integerConstant(b, DType::Bool, 0), isMore);
  }
  Value isAtMost(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, x, y);
  }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  Value all;
  BlockCount count;
};

} // namespace

void codegen::buildGpuBoxes(OpaqueCall &call) { Boxes(call).build(); }
