// Reductions along neighbours in memory: term number t goes to lane t mod
// lanes, and lanes are combined as a binary tree in the end. The same order,
// and the same bits, as one output at a time in Reduction.cpp, whose terms may
// be anything; here they are vectors from the start, which short sums gain most
// by: an edge's score is a product of a few features.
//
// Sums of up to two vectors are computed eight at a time: the trees of all
// share their vectors, and the totals are one vector in the end.
#include "compiler/codegen/cpu/Prefetch.h"
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <deque>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class Dots {
public:
  explicit Dots(CpuKernel &kernel)
      : kernel(kernel), b(kernel.b), along(size_t(kernel.schedule.along)),
        maxVectors(kernel.schedule.tiles.front()) {
    for (int64_t i = 0; i < kernel.schedule.lanes; i += kernel.vector())
      sums.emplace_back(kernel);
  }

  void build(const ExprRef &term) {
    Nest rest(kernel, outputsUpTo(kernel.lambda.rank()));
    Value isLeft = integerConstant(b, DType::Bool, 1);
    if (!hasBranches(term))
      for (auto [across, from] : blocks(term)) {
        Value end = kernel.hi[size_t(across)];
        rest.setRange(across, from, end);
        isLeft = kernel.both(isLeft, kernel.less(from, end));
      }
    kernel.when(isLeft, [&] {
      rest.emit(term, Nest::Body([&](const ExprRef &term) {
                  Value nothing = broadcast(kernel, kernel.identity());
                  for (VectorVariable &sum : sums)
                    sum.set(nothing);
                  addAll(term);
                  kernel.storeAccumulated(total());
                }));
    });
  }

private:
  static std::vector<int> outputsUpTo(int rank) {
    std::vector<int> outputs;
    for (int i = 0; i < rank; ++i)
      outputs.push_back(i);
    return outputs;
  }

  static bool hasBranches(const ExprRef &term) {
    bool found = false;
    walk(term, [&](const ExprRef &e) { found |= e->kind == ExprKind::Select; });
    return found;
  }

  /// Computes what comes in whole blocks of short sums: results that lie
  /// together, or, where there are too few of them, neighbours along the
  /// variable before. Gives from where on the rest is left, of each variable
  /// that blocks may lie across.
  std::vector<std::pair<int, Value>> blocks(const ExprRef &term) {
    const int last = kernel.lambda.rank() - 1;
    Value eight = kernel.constant(kernel.vector());
    Value isShort =
        kernel.less(kernel.size(int(along)),
                    kernel.constant(maxVectors * kernel.vector() + 1));
    std::vector<std::pair<int, Value>> rest;
    for (int across = last; across >= 0 && across >= last - 1; --across) {
      Value chosen = isShort;
      if (across < last)
        chosen = kernel.both(isShort, kernel.less(kernel.size(last), eight));
      else if (last > 0)
        chosen = kernel.both(isShort,
                             kernel.less(kernel.constant(kernel.vector() - 1),
                                         kernel.size(last)));
      Value low = kernel.lo[size_t(across)];
      Value end = kernel.add(low, kernel.whole(across));
      rest.emplace_back(across, arith::SelectOp::create(b, chosen, end, low));
      kernel.when(chosen, [&] { blocksAcross(term, across, end); });
    }
    return rest;
  }

  /// By how many vectors a sum has, and whether the last of them is whole.
  void blocksAcross(const ExprRef &term, int across, Value end) {
    Value terms = kernel.size(int(along));
    for (int64_t vectors = 1; vectors <= maxVectors; ++vectors) {
      Value most = kernel.constant(vectors * kernel.vector());
      Value above = kernel.constant((vectors - 1) * kernel.vector());
      Value isWhole = kernel.equal(terms, most);
      Value isPartial = kernel.less(terms, most);
      if (vectors > 1)
        isPartial = kernel.both(isPartial, kernel.less(above, terms));
      const auto loops = [&](bool masked) {
        Value mask =
            masked ? maskOf(kernel, kernel.sub(terms, above)) : Value();
        Nest(kernel, outputsUpTo(across))
            .emit(term, Nest::Body([&](const ExprRef &term) {
                    kernel.loop(kernel.lo[size_t(across)], end, kernel.vector(),
                                [&](Value first) {
                                  block(term, across, first, vectors, mask);
                                });
                  }));
      };
      kernel.when(isWhole, [&] { loops(false); });
      kernel.when(isPartial, [&] { loops(true); });
    }
  }

  /// The results from `first` on, for each value of the variables after
  /// `across`.
  void block(const ExprRef &term, int across, Value first, int64_t vectors,
             Value mask) {
    const int last = kernel.lambda.rank() - 1;
    const auto here = [&] {
      if (across == last && last > 0)
        fetch(term, first, vectors);
      std::vector<Value> results;
      for (int64_t i = 0; i < kernel.vector(); ++i) {
        kernel.at[size_t(across)] = kernel.add(first, kernel.constant(i));
        results.push_back(lanesOf(term, vectors, mask));
      }
      // Added to an identity first, as the bits of a sum of -0 have it.
      Value totals = kernel.combine(broadcast(kernel, kernel.identity()),
                                    combineLanesOfEach(kernel, results));
      for (int64_t i = 0; i < (across < last ? kernel.vector() : 1); ++i) {
        kernel.at[size_t(across)] = kernel.add(first, kernel.constant(i));
        if (across == last)
          vector::StoreOp::create(b, totals, kernel.result,
                                  kernel.resultIndices());
        else
          kernel.storeAccumulated(
              vector::ExtractOp::create(b, totals, ArrayRef<int64_t>{i}));
      }
      kernel.at[size_t(across)] = nullptr;
    };
    if (across == last)
      return here();
    kernel.loop(kernel.lo[size_t(last)], kernel.hi[size_t(last)], 1,
                [&](Value at) {
                  kernel.at[size_t(last)] = at;
                  here();
                  kernel.at[size_t(last)] = nullptr;
                });
  }

  /// What this block's results read some passes of the loop around them later,
  /// where data says which rows.
  void fetch(const ExprRef &term, Value first, int64_t vectors) {
    const int last = kernel.lambda.rank() - 1, outer = last - 1;
    const int64_t perLine =
        std::max<int64_t>(kernel.schedule.ahead.perLine / vectors, 1);
    const auto at = [&](int variable) -> Value & {
      return kernel.at[size_t(variable)];
    };
    at(int(along)) = kernel.lo[along];
    ahead(kernel, outer, at(outer),
          kernel.constant(kernel.schedule.ahead.passes),
          kernel.hi[size_t(outer)], [&] {
            for (const ExprRef &read : gathers(term, outer))
              for (int64_t i = 0; i < kernel.vector() && uses(read, int(along));
                   i += perLine) {
                at(last) = kernel.add(first, kernel.constant(i));
                prefetch(kernel, read);
              }
          });
    at(int(along)) = at(last) = nullptr;
  }

  /// One result's lanes, as far as they have terms, in one vector.
  Value lanesOf(const ExprRef &term, int64_t vectors, Value mask) {
    Value lanes;
    for (int64_t i = 0; i < vectors; ++i) {
      Value partial = i + 1 == vectors ? mask : Value();
      Value value = valueAt(term, kernel.lo[along], size_t(i), partial);
      if (partial)
        value = arith::SelectOp::create(b, partial, value,
                                        broadcast(kernel, kernel.identity()));
      lanes = lanes ? kernel.combine(lanes, value) : value;
    }
    return lanes;
  }

  void addAll(const ExprRef &term) {
    const ExprRef nothing = kernel.nothing();
    if (equal(term, nothing))
      return;
    // A condition on the terms themselves is a select of vectors.
    if (isGuarded(term, nothing) && !uses(term->children[0], int(along)))
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { addAll(term->children[1]); });
    const auto lanes = int64_t(sums.size()) * kernel.vector();
    Value low = kernel.lo[along], size = kernel.size(int(along));
    // A power of two.
    Value whole = arith::AndIOp::create(b, size, kernel.constant(-lanes));
    Value rest = kernel.add(low, whole);
    kernel.loop(low, rest, lanes, [&](Value first) {
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i].set(kernel.combine(sums[i].get(), valueAt(term, first, i)));
    });
    for (size_t i = 0; i < sums.size(); ++i) {
      Value left = kernel.sub(kernel.sub(size, whole),
                              kernel.constant(int64_t(i) * kernel.vector()));
      kernel.when(kernel.less(kernel.constant(0), left), [&] {
        Value mask = maskOf(kernel, left), old = sums[i].get();
        Value more = kernel.combine(old, valueAt(term, rest, i, mask));
        sums[i].set(arith::SelectOp::create(b, mask, more, old));
      });
    }
  }

  Value valueAt(const ExprRef &term, Value first, size_t i,
                Value mask = nullptr) {
    kernel.at[along] =
        kernel.add(first, kernel.constant(int64_t(i) * kernel.vector()));
    Value value = emitVector(kernel, term, int(along), mask);
    kernel.at[along] = nullptr;
    return value;
  }

  Value total() {
    std::vector<Value> lanes;
    for (VectorVariable &sum : sums)
      lanes.push_back(sum.get());
    for (; lanes.size() > 1; lanes.resize(lanes.size() / 2))
      for (size_t i = 0; i < lanes.size() / 2; ++i)
        lanes[i] = kernel.combine(lanes[i], lanes[i + lanes.size() / 2]);
    return combineLanes(kernel, lanes.front());
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const size_t along;
  const int64_t maxVectors; // of sums that are computed eight at a time
  std::deque<VectorVariable> sums;
};

} // namespace

void codegen::buildDots(CpuKernel &kernel, const ExprRef &term) {
  Dots(kernel).build(term);
}
