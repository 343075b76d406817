// A reduction as loops. Bits must not depend on how the output is cut among
// workers or threads, nor on what the vectorizer makes of a loop, so the order
// of the terms is fixed here and nothing may reassociate:
//
// - Where neighbouring outputs read neighbouring elements, a tile of
// accumulators
//   on the stack; the reduction's loops are outside of the one over the tile,
//   and each output gets its terms one after the other.
// - Otherwise one output at a time, in `lanes` partial results: term number t,
//   counted over all reduction variables, goes to lane t mod lanes, and lanes
//   are combined as a binary tree in the end.
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class Lanes {
public:
  explicit Lanes(CpuKernel &kernel)
      : kernel(kernel), b(kernel.b), count(kernel.schedule.lanes),
        type(VectorType::get({count}, kernel.accumulatorMemory())),
        partial(kernel.scratch(kernel.accumulatorMemory(), count)),
        chunkSize(kernel.schedule.tiles.front()),
        terms(kernel.scratch(kernel.accumulatorMemory(), chunkSize)),
        waiting(kernel.scratch(b.getIndexType(), 1)) {}

  void clear() {
    Value identity = kernel.identity();
    Value all = vector::BroadcastOp::create(b, type, identity);
    vector::StoreOp::create(b, all, partial, zero());
    setWaiting(kernel.constant(0));
  }

  /// Terms lo .. hi - 1 of a loop, which `at` computes.
  void addTerms(Value lo, Value hi, llvm::function_ref<Value(Value)> at) {
    scf::WhileOp::create(
        b, TypeRange{b.getIndexType()}, ValueRange{lo},
        [&](OpBuilder &builder, Location loc, ValueRange start) {
          LocBuilder inner(loc, builder);
          Value more = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt,
                                             start[0], hi);
          scf::ConditionOp::create(inner, more, start);
        },
        [&](OpBuilder &builder, Location, ValueRange start) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(builder.getInsertionBlock(),
                              builder.getInsertionPoint());
          Value size = addSome(start[0], hi, at);
          scf::YieldOp::create(b, kernel.add(start[0], size));
        });
  }

  /// Neighbours in memory, the first at `indices`, as many of the `size` as can
  /// be added without a detour: gives their number, a multiple of `count`.
  Value addInPlace(Value memory, Values indices, Value size) {
    Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       numberWaiting(), kernel.constant(0));
    Value whole =
        arith::SelectOp::create(b, none, roundDown(size), kernel.constant(0));
    addWhole(memory, indices, whole);
    return whole;
  }

  Value total() {
    Value size = numberWaiting(), whole = roundDown(size);
    addWhole(terms, zero(), whole);
    const llvm::SaveAndRestore rare(kernel.isRare, true);
    kernel.loop(whole, size, 1, [&](Value i) {
      Value lane = kernel.sub(i, whole);
      Value old = memref::LoadOp::create(b, partial, lane);
      Value term = memref::LoadOp::create(b, terms, i);
      memref::StoreOp::create(b, kernel.combine(old, term), partial, lane);
    });
    Value lanes = vector::LoadOp::create(b, type, partial, zero());
    return combineLanes(kernel, lanes);
  }

private:
  Values zero() { return {kernel.constant(0)}; }
  Value numberWaiting() { return memref::LoadOp::create(b, waiting, zero()); }
  void setWaiting(Value number) {
    memref::StoreOp::create(b, number, waiting, zero());
  }
  Value roundDown(Value size) {
    return arith::AndIOp::create(b, size, kernel.constant(-count));
  }

  /// As many terms from `start` on as there is room for.
  Value addSome(Value start, Value hi, llvm::function_ref<Value(Value)> at) {
    Value old = numberWaiting();
    Value size = kernel.min(kernel.sub(hi, start),
                            kernel.sub(kernel.constant(chunkSize), old));
    kernel.loop(kernel.constant(0), size, 1, [&](Value i) {
      Value term = at(kernel.add(start, i));
      memref::StoreOp::create(b, term, terms, ValueRange{kernel.add(old, i)});
    });
    Value now = kernel.add(old, size);
    setWaiting(now);
    Value full = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, now,
                                       kernel.constant(chunkSize));
    kernel.when(full, [&] {
      addWhole(terms, zero(), kernel.constant(chunkSize));
      setWaiting(kernel.constant(0));
    });
    return size;
  }

  /// One term per lane, `size` (a multiple of their number) in all.
  void addWhole(Value memory, Values indices, Value size) {
    Value first = indices.back();
    Value sum = vector::LoadOp::create(b, type, partial, zero());
    auto loop = scf::ForOp::create(b, kernel.constant(0), size,
                                   kernel.constant(count), sum);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      indices.back() = kernel.add(first, loop.getInductionVar());
      Value next = vector::LoadOp::create(b, type, memory, indices);
      scf::YieldOp::create(b, kernel.combine(loop.getRegionIterArg(0), next));
    }
    vector::StoreOp::create(b, loop.getResult(0), partial, zero());
  }

  CpuKernel &kernel;
  LocBuilder &b;
  int64_t count;
  VectorType type;
  Value partial;     // one per lane
  int64_t chunkSize; // terms that are computed before they are added
  Value terms;       // computed, but not added yet
  Value waiting;     // their number
};

/// The term is an element of an operand, its neighbours along `variable` are
/// neighbours in memory, and accumulators have its type.
bool isContiguousRead(const CpuKernel &kernel, const ExprRef &term,
                      int variable) {
  if (term->kind != ExprKind::Read || term->children.empty() ||
      term->type != kernel.accumulator())
    return false;
  for (size_t d = 0; d + 1 < term->children.size(); ++d)
    if (uses(term->children[d], variable))
      return false;
  const auto last = linearIn(term->children.back(), variable);
  return last && last->factor == 1;
}

void oneAtATime(CpuKernel &kernel, const ExprRef &term) {
  const std::vector<int> &reductions = kernel.schedule.order;
  const int innermost = reductions.back();
  Lanes lanes(kernel);
  const auto accumulate = [&](const ExprRef &term, Value lo, Value hi) {
    Value &at = kernel.at[size_t(innermost)];
    if (isContiguousRead(kernel, term, innermost)) {
      at = lo;
      Value size = kernel.max(kernel.sub(hi, lo), kernel.constant(0));
      Value added = lanes.addInPlace(kernel.operands[size_t(term->operand)],
                                     kernel.readIndices(*term), size);
      lo = kernel.add(lo, added);
    }
    lanes.addTerms(lo, hi, [&](Value i) {
      at = i;
      return kernel.emitTerm(term);
    });
    at = nullptr;
  };

  std::vector<int> outputs;
  for (int i = 0; i < kernel.lambda.rank(); ++i)
    outputs.push_back(i);
  Nest(kernel, outputs).emit(term, Nest::Body([&](const ExprRef &term) {
                               lanes.clear();
                               Nest nest(kernel, reductions);
                               nest.skip(kernel.nothing());
                               nest.emit(term, Nest::InnerLoop(accumulate));
                               kernel.storeAccumulated(lanes.total());
                             }));
}

/// One accumulator after the other, a term after the other: terms are computed
/// some ahead, in a loop that LLVM makes vectors of.
void addTermsAhead(CpuKernel &kernel, const ExprRef &term, Value tile,
                   Value start, Value size, Value terms) {
  LocBuilder &b = kernel.b;
  const auto along = size_t(kernel.schedule.along);
  const auto inner = size_t(kernel.schedule.order.back());
  const int64_t most = kernel.schedule.coefficients;
  Nest nest(kernel, kernel.schedule.order);
  nest.skip(kernel.nothing());
  nest.emit(
      term, Nest::InnerLoop([&](const ExprRef &term, Value low, Value high) {
        kernel.loop(low, high, most, [&](Value first) {
          Value count =
              kernel.min(kernel.sub(high, first), kernel.constant(most));
          kernel.loop(kernel.constant(0), size, 1, [&](Value j) {
            kernel.at[along] = kernel.add(start, j);
            kernel.loop(kernel.constant(0), count, 1, [&](Value i) {
              kernel.at[inner] = kernel.add(first, i);
              memref::StoreOp::create(b, kernel.emitTerm(term), terms, i);
            });
            kernel.at[inner] = nullptr;
            Value old = memref::LoadOp::create(b, tile, j);
            auto loop = scf::ForOp::create(b, kernel.constant(0), count,
                                           kernel.constant(1), old);
            {
              OpBuilder::InsertionGuard guard(b);
              b.setInsertionPointToStart(loop.getBody());
              Value next =
                  memref::LoadOp::create(b, terms, loop.getInductionVar());
              scf::YieldOp::create(
                  b, kernel.combine(loop.getRegionIterArg(0), next));
            }
            memref::StoreOp::create(b, loop.getResult(0), tile, j);
          });
        });
        kernel.at[along] = start;
      }));
}

void tileAtATime(CpuKernel &kernel, const ExprRef &term) {
  const int along = kernel.schedule.along;
  const auto tiled = size_t(along);
  const int64_t tileSize = kernel.schedule.tiles.front();
  const bool isVector = kernel.schedule.vector > 0;
  std::vector<int> outputs, inside = kernel.schedule.order;
  for (int i = 0; i < kernel.lambda.rank(); ++i)
    if (i != along)
      outputs.push_back(i);
  inside.push_back(along);
  LocBuilder &b = kernel.b;
  Value tile = kernel.scratch(kernel.accumulatorMemory(), tileSize), terms;
  if (isVector)
    terms = kernel.scratch(kernel.accumulatorMemory(),
                           kernel.schedule.coefficients);
  const auto addTerm = [&](const ExprRef &term, Value i) {
    Value value = kernel.emitTerm(term);
    Value old = memref::LoadOp::create(b, tile, i);
    memref::StoreOp::create(b, kernel.combine(old, value), tile, i);
  };
  const auto addTerms = [&](const ExprRef &term, Value start, Value size) {
    Nest nest(kernel, inside);
    nest.setRange(along, start, kernel.add(start, size));
    nest.skip(kernel.nothing());
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                addTerm(term, kernel.sub(kernel.at[tiled], start));
              }));
  };
  const auto addVectors = [&](const ExprRef &term, Value start) {
    Nest nest(kernel, kernel.schedule.order);
    nest.skip(kernel.nothing());
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                kernel.vectorLoop(tileSize, [&](Value i) {
                  kernel.at[tiled] = kernel.add(start, i);
                  addTerm(term, i);
                });
                kernel.at[tiled] = start;
              }));
  };
  const auto tileFrom = [&](Value start, Value size,
                            llvm::function_ref<void()> add) {
    kernel.loop(kernel.constant(0), size, 1, [&](Value i) {
      memref::StoreOp::create(b, kernel.identity(), tile, i);
    });
    add();
    kernel.loop(kernel.constant(0), size, 1, [&](Value i) {
      kernel.at[tiled] = kernel.add(start, i);
      kernel.storeAccumulated(memref::LoadOp::create(b, tile, i));
      kernel.at[tiled] = nullptr;
    });
  };
  const auto sizeFrom = [&](Value start) {
    return kernel.min(kernel.sub(kernel.hi[tiled], start),
                      kernel.constant(tileSize));
  };

  Nest(kernel, outputs)
      .emit(term, Nest::Body([&](const ExprRef &term) {
              Value low = kernel.lo[tiled], high = kernel.hi[tiled];
              if (!isVector)
                return kernel.loop(low, high, tileSize, [&](Value start) {
                  Value size = sizeFrom(start);
                  tileFrom(start, size, [&] { addTerms(term, start, size); });
                });
              Value whole = kernel.add(low, kernel.whole(along));
              kernel.loop(low, whole, tileSize, [&](Value start) {
                kernel.at[tiled] = start; // to the loops, it has a value
                tileFrom(start, kernel.constant(tileSize),
                         [&] { addVectors(term, start); });
              });
              kernel.loop(whole, high, tileSize, [&](Value start) {
                Value size = sizeFrom(start);
                kernel.at[tiled] = start;
                tileFrom(start, size, [&] {
                  addTermsAhead(kernel, term, tile, start, size, terms);
                });
              });
            }));
}

} // namespace

void codegen::buildReduction(CpuKernel &kernel) {
  switch (kernel.schedule.form) {
  case Schedule::Form::Scatter:
    return buildScatter(kernel);
  case Schedule::Form::Window:
    return buildWindow(kernel);
  case Schedule::Form::Scan:
    return buildScan(kernel);
  case Schedule::Form::Rows:
    return buildRows(kernel, termOf(kernel.lambda));
  case Schedule::Form::Dots:
    return buildDots(kernel, termOf(kernel.lambda));
  case Schedule::Form::Nested:
    return buildNested(kernel);
  case Schedule::Form::Tile:
    return tileAtATime(kernel, termOf(kernel.lambda));
  default:
    return oneAtATime(kernel, termOf(kernel.lambda));
  }
}
