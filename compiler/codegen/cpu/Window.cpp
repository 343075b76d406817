// Keys of windows that point back at the result: for each place q of a window,
// work out r from its key, and add to element i = 2 * q + r.
#include "compiler/codegen/expression/Window.h"
#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

namespace {

class WindowBuilder {
public:
  WindowBuilder(CpuKernel &kernel, const Window &window)
      : kernel(kernel), b(kernel.b), window(window),
        count(kernel.lambda.indexCount()) {}

  void build() {
    const ExprRef nothing =
        tdl::identity(kernel.lambda.reducer, kernel.lambda.result);
    std::vector<int> outer, inner, places;
    for (int i = 0; i < kernel.lambda.rank(); ++i) {
      const bool isSide =
          std::any_of(window.sides.begin(), window.sides.end(),
                      [&](const Side &side) { return side.output == i; });
      (isSide ? inner : outer).push_back(i);
    }
    Value any; // without terms, there may be no keys
    for (size_t k = 0; k < window.sides.size(); ++k) {
      const Side &side = window.sides[k];
      addPlaces(side);
      places.push_back(count + int(k));
      for (int i : {side.output, side.reduction}) {
        Value some = kernel.less(kernel.lo[size_t(i)], kernel.hi[size_t(i)]);
        any = any ? arith::AndIOp::create(b, any, some).getResult() : some;
      }
    }
    // Plane by plane, which stays in the cache.
    const auto plane = [&](const ExprRef &term) {
      Nest(kernel, inner).emit(nothing, Nest::Body([&](const ExprRef &e) {
                                 kernel.store(kernel.emit(e));
                               }));
      kernel.when(any, [&] {
        Nest nest(kernel, places);
        nest.skip(nothing);
        nest.emit(term, Nest::Body([&](const ExprRef &term) { point(term); }));
      });
    };
    Nest(kernel, outer).emit(window.term, Nest::Body(plane));
  }

private:
  /// 0 <= x < limit.
  Value below(Value x, Value limit) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, limit);
  }
  Value within(Value x, int variable) {
    const auto v = size_t(variable);
    return below(kernel.sub(x, kernel.lo[v]),
                 kernel.sub(kernel.hi[v], kernel.lo[v]));
  }

  /// What the key at this place points to.
  void point(const ExprRef &term) {
    Value key = kernel.emitIndex(window.key);
    // Arithmetic on what no sum of digits is might overflow.
    Value sane = below(key, kernel.constant(int64_t(1) << 60));
    kernel.when(sane, [&] { solve(window.digits.size() - 1, key, term); });
  }

  /// Those from which some output of the range is reached.
  void addPlaces(const Side &side) {
    const auto i = size_t(side.output), r = size_t(side.reduction);
    Value stride = kernel.constant(side.stride);
    Value offset = kernel.constant(side.offset), one = kernel.constant(1);
    Value least = kernel.add(
        kernel.sub(kernel.lo[i], kernel.sub(kernel.hi[r], one)), offset);
    Value most = kernel.add(
        kernel.sub(kernel.sub(kernel.hi[i], one), kernel.lo[r]), offset);
    kernel.at.push_back(nullptr);
    kernel.lo.push_back(kernel.max(arith::CeilDivSIOp::create(b, least, stride),
                                   kernel.constant(0)));
    kernel.hi.push_back(
        kernel.add(arith::FloorDivSIOp::create(b, most, stride), one));
  }

  /// Digit `d` and those before it make up `value`: all that do, one unless
  /// the digit's range is longer than its weight allows.
  void solve(size_t d, Value value, const ExprRef &term) {
    const int variable = window.digits[d].reduction;
    const auto r = size_t(variable);
    if (d == 0) {
      kernel.when(within(value, variable), [&] {
        kernel.at[r] = value;
        addTerm(term);
        kernel.at[r] = nullptr;
      });
      return;
    }
    const int64_t base = window.digits[d - 1].weight / window.digits[d].weight;
    Value divisor = kernel.constant(base);
    Value ahead = kernel.sub(value, kernel.lo[r]);
    Value rounds = arith::FloorDivSIOp::create(b, ahead, divisor);
    Value whole = arith::MulIOp::create(b, rounds, divisor);
    Value start = kernel.add(kernel.lo[r], kernel.sub(ahead, whole));
    const bool wasRare = kernel.isRare;
    kernel.isRare = true; // once, nearly always
    kernel.loop(start, kernel.hi[r], base, [&](Value at) {
      kernel.isRare = wasRare;
      kernel.at[r] = at;
      Value rest = kernel.sub(value, at);
      solve(d - 1, arith::FloorDivSIOp::create(b, rest, divisor), term);
      kernel.at[r] = nullptr;
    });
    kernel.isRare = wasRare;
  }

  void addTerm(const ExprRef &term) {
    Value inside;
    for (size_t k = 0; k < window.sides.size(); ++k) {
      const Side &side = window.sides[k];
      Value corner = arith::MulIOp::create(b, kernel.at[size_t(count) + k],
                                           kernel.constant(side.stride));
      Value i =
          kernel.sub(kernel.add(corner, kernel.at[size_t(side.reduction)]),
                     kernel.constant(side.offset));
      kernel.at[size_t(side.output)] = i;
      Value here = within(i, side.output);
      inside =
          inside ? arith::AndIOp::create(b, inside, here).getResult() : here;
    }
    kernel.when(inside, [&] {
      Value old =
          memref::LoadOp::create(b, kernel.result, kernel.resultIndices());
      kernel.storeAccumulated(kernel.combine(old, kernel.emitTerm(term)));
    });
    for (const Side &side : window.sides)
      kernel.at[size_t(side.output)] = nullptr;
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const Window &window;
  const int count; // index variables of the lambda
};

} // namespace

void codegen::buildWindow(CpuKernel &kernel) {
  const Window window = *findWindow(kernel.lambda);
  WindowBuilder(kernel, window).build();
}
