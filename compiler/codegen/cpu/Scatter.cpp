// Terms that say which element of the result they are added to: fill the result
// with the identity, then for each e add to element i = key[e], if it lies in
// the range to compute.
#include "compiler/codegen/expression/Scatter.h"
#include "compiler/codegen/cpu/CpuKernel.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprRef;

namespace {

class ScatterBuilder {
public:
  ScatterBuilder(CpuKernel &kernel, const Scatter &scatter)
      : kernel(kernel), b(kernel.b), scatter(scatter) {
    for (int r = kernel.lambda.rank(); r < kernel.lambda.indexCount(); ++r)
      reductions.push_back(r);
  }

  void build() {
    if (kernel.stored != kernel.lambda.result)
      return throughTile();
    std::vector<int> all, outer, inner;
    // Outputs that keys depend on come first. If the last one is scattered to,
    // others would only make its rows jump.
    const int last = kernel.lambda.rank() - 1;
    for (int i = 0; i <= last; ++i) {
      all.push_back(i);
      if (llvm::is_contained(scatter.outputs, i))
        continue;
      const bool inKey =
          std::any_of(scatter.keys.begin(), scatter.keys.end(),
                      [&](const ExprRef &key) { return uses(key, i); });
      (inKey || llvm::is_contained(scatter.outputs, last) ? outer : inner)
          .push_back(i);
    }
    const ExprRef nothing = kernel.nothing();
    Nest(kernel, all).emit(nothing, Nest::Body([&](const ExprRef &e) {
                             kernel.store(kernel.emit(e));
                           }));
    terms(outer, inner, [&] {
      Value old =
          memref::LoadOp::create(b, kernel.result, kernel.resultIndices());
      return fromAccumulator(old);
    });
  }

private:
  /// Accumulators of 16-bit sums.
  int64_t tileSize() const { return kernel.schedule.tiles.front(); }

  /// For each term, with the coordinates of its output in kernel.at.
  void terms(const std::vector<int> &outer, const std::vector<int> &inner,
             std::function<Value()> load) {
    const ExprRef nothing =
        tdl::identity(kernel.lambda.reducer, kernel.lambda.result);
    Nest(kernel, outer)
        .emit(scatter.term, Nest::Body([&](const ExprRef &term) {
                Nest nest(kernel, reductions);
                nest.skip(nothing);
                nest.emit(term, Nest::Body([&](const ExprRef &term) {
                            kernel.when(bindKeys(kernel.lo, kernel.hi), [&] {
                              Nest rest(kernel, inner);
                              rest.skip(nothing);
                              rest.emit(
                                  term, Nest::Body([&](const ExprRef &term) {
                                    Value old = load();
                                    kernel.storeAccumulated(kernel.combine(
                                        old, kernel.emitTerm(term)));
                                  }));
                            });
                            unbindKeys();
                          }));
              }));
  }

  /// A stored result as an accumulator: exact, Max and Min do not round.
  Value fromAccumulator(Value old) {
    const DType type = kernel.lambda.result;
    Value value =
        emitCast(b, type, kernel.accumulator(), fromMemory(b, type, old));
    return toMemory(b, kernel.accumulator(), value);
  }

  /// Gives the scattered variables their values; true where all are in range.
  Value bindKeys(const Values &lo, const Values &hi) {
    Value inside;
    for (size_t k = 0; k < scatter.keys.size(); ++k) {
      const auto i = size_t(scatter.outputs[k]);
      kernel.at[i] = kernel.emitIndex(scatter.keys[k]);
      // lo <= key < hi in one unsigned comparison.
      Value here = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         kernel.sub(kernel.at[i], lo[i]),
                                         kernel.sub(hi[i], lo[i]));
      inside =
          inside ? arith::AndIOp::create(b, inside, here).getResult() : here;
    }
    return inside;
  }
  void unbindKeys() {
    for (int i : scatter.outputs)
      kernel.at[size_t(i)] = nullptr;
  }

  /// Sums of 16-bit floats accumulate in f32, which the result has no room for:
  /// a tile of one scattered variable at a time. All terms are looked at once
  /// per tile and value of the other outputs.
  void throughTile() {
    const int tiled = scatter.outputs.back();
    std::vector<int> outer;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != tiled)
        outer.push_back(i);
    Value tile = kernel.scratch(kernel.accumulatorMemory(), tileSize());
    const auto t = size_t(tiled);
    // The outer loops stand for the other scattered variables, too, whose keys
    // then decide whether a term counts.
    Nest(kernel, outer)
        .emit(termWithOtherKeys(), Nest::Body([&](const ExprRef &term) {
                kernel.loop(
                    kernel.lo[t], kernel.hi[t], tileSize(), [&](Value start) {
                      Value size = kernel.min(kernel.sub(kernel.hi[t], start),
                                              kernel.constant(tileSize()));
                      kernel.loop(kernel.constant(0), size, 1, [&](Value i) {
                        memref::StoreOp::create(b, kernel.identity(), tile, i);
                      });
                      Nest nest(kernel, reductions);
                      nest.skip(tdl::identity(kernel.lambda.reducer,
                                              kernel.lambda.result));
                      nest.emit(
                          term, Nest::Body([&](const ExprRef &term) {
                            kernel.at[t] =
                                kernel.emitIndex(scatter.keys.back());
                            Value at = kernel.sub(kernel.at[t], start);
                            Value inside = arith::CmpIOp::create(
                                b, arith::CmpIPredicate::ult, at, size);
                            kernel.when(inside, [&] {
                              Value value = kernel.emitTerm(term);
                              Value old = memref::LoadOp::create(b, tile, at);
                              memref::StoreOp::create(
                                  b, kernel.combine(old, value), tile, at);
                            });
                            kernel.at[t] = nullptr;
                          }));
                      kernel.loop(kernel.constant(0), size, 1, [&](Value i) {
                        kernel.at[t] = kernel.add(start, i);
                        kernel.storeAccumulated(
                            memref::LoadOp::create(b, tile, i));
                        kernel.at[t] = nullptr;
                      });
                    });
              }));
  }

  ExprRef termWithOtherKeys() {
    ExprRef condition = tdl::constant(1, DType::Bool);
    for (size_t k = 0; k + 1 < scatter.keys.size(); ++k)
      condition = tdl::binary(BinaryOp::And, condition,
                              tdl::binary(BinaryOp::Eq, scatter.keys[k],
                                          tdl::indexVar(scatter.outputs[k])));
    return tdl::select(
        condition, scatter.term,
        tdl::identity(kernel.lambda.reducer, kernel.lambda.result));
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const Scatter &scatter;
  std::vector<int> reductions;
};

} // namespace

void codegen::buildScatter(CpuKernel &kernel) {
  const Scatter scatter = *findScatter(kernel.lambda);
  ScatterBuilder(kernel, scatter).build();
}
