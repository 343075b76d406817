// A number for each row of a slice, the same for equal rows (`unique_numbers`).
// All rows of a slice are compared with each other, so a block takes it: it
// puts the rows in order, where equal ones are neighbours, and counts. An order
// of rows and room for another are in its scratch memory.
#include "compiler/codegen/gpu/Count.h"
#include "compiler/codegen/gpu/Opaque.h"
#include "compiler/codegen/gpu/Sort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

namespace {

class Unique {
public:
  explicit Unique(OpaqueCall &call)
      : call(call), kernel(call.kernel), b(call.b), rows(call.size(0, 0)),
        width(call.size(0, 1)), count(kernel) {}

  void build() {
    call.eachSlice([&] {
      each([&](Value i) { setIndex(kernel, i, i); });
      kernel.barrier();
      const SortedList sorted =
          sortByBlock(kernel, {constant(0), rows}, rows,
                      [&](Value x, Value y) { return isLess(x, y); });
      if (call.argument(0) != 0)
        ascending(sorted);
      else
        byFirst(sorted);
    });
  }

private:
  Value constant(int64_t value) { return kernel.constant(value); }
  void each(llvm::function_ref<void(Value)> body) {
    kernel.strided(kernel.thread, rows, constant(kernel.schedule.threads),
                   body);
  }
  Value number(Value i) {
    return arith::IndexCastOp::create(b, b.getI64Type(), i);
  }
  Value isSame(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  }

  /// In the order of the rows: how many before a row differ from the one before
  /// them.
  void ascending(const SortedList &sorted) {
    const auto rowAt = [&](Value i) {
      return indexAt(kernel, kernel.add(sorted.here, i));
    };
    const auto isNew = [&](Value i) {
      Value before = kernel.max(kernel.sub(i, constant(1)), constant(0));
      Value differs = isLess(rowAt(before), rowAt(i));
      return Value(arith::OrIOp::create(b, differs, kernel.isZero(i)));
    };
    count.run(rows, isNew, [&](Value i, Value, Value upTo) {
      call.storeIf(nullptr, rowAt(i), number(kernel.sub(upTo, constant(1))));
    });
  }

  /// In the order of the rows' first occurrences: each row finds the first that
  /// is equal to it, these are counted, and it takes the number of that one.
  void byFirst(const SortedList &sorted) {
    const auto firstAt = [&](Value row) {
      return kernel.add(sorted.other, row);
    };
    each([&](Value i) {
      Value row = indexAt(kernel, kernel.add(sorted.here, i));
      Value place = firstNot(kernel, constant(0), i, [&](Value other) {
        return isLess(indexAt(kernel, kernel.add(sorted.here, other)), row);
      });
      setIndex(kernel, firstAt(row),
               indexAt(kernel, kernel.add(sorted.here, place)));
    });
    kernel.barrier(); // the order is not needed any more
    const auto isFirst = [&](Value row) {
      return isSame(indexAt(kernel, firstAt(row)), row);
    };
    count.run(rows, isFirst, [&](Value row, Value is, Value upTo) {
      kernel.when(is, [&] {
        setIndex(kernel, kernel.add(sorted.here, row),
                 kernel.sub(upTo, constant(1)));
      });
    });
    each([&](Value row) {
      Value first = indexAt(kernel, firstAt(row));
      call.storeIf(nullptr, row,
                   number(indexAt(kernel, kernel.add(sorted.here, first))));
    });
  }

  /// Whether a row is before another: its first element that differs is less.
  Value isLess(Value x, Value y) {
    Value no = integerConstant(b, DType::Bool, 0);
    // Element, and whether those before it say that x is less, or y.
    return kernel.repeat(
        {constant(0), no, no},
        [&](ValueRange at) {
          Value isKnown = arith::OrIOp::create(b, at[1], at[2]);
          Value isOpen = arith::XOrIOp::create(
              b, isKnown, integerConstant(b, DType::Bool, 1));
          return kernel.both(isOpen, kernel.less(at[0], width));
        },
        [&](ValueRange at) {
          Value ofX = call.element({x, at[0]}), ofY = call.element({y, at[0]});
          Value next = kernel.add(at[0], constant(1));
          Value isLess = call.isLess(ofX, ofY);
          return Values{next, isLess, call.isLess(ofY, ofX)};
        })[1];
  }

  OpaqueCall &call;
  GpuKernel &kernel;
  LocBuilder &b;
  Value rows, width;
  BlockCount count;
};

} // namespace

void codegen::buildGpuUnique(OpaqueCall &call) { Unique(call).build(); }
