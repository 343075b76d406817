// Reductions along neighbours in memory: term number t goes to lane t mod
// lanes, and lanes are combined as a binary tree in the end. The same order,
// and the same bits, as one output at a time in Reduction.cpp, whose terms may
// be anything; here they are vectors from the start, which short sums gain most
// by: an edge's score is a product of a few features.
#include "compiler/codegen/Conditions.h"
#include "compiler/codegen/LoopOrder.h"
#include "compiler/codegen/Nest.h"
#include "compiler/codegen/Vectors.h"

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
  Dots(Kernel &kernel, int along)
      : kernel(kernel), b(kernel.b), along(size_t(along)) {
    const int64_t lanes = laneBytes / byteSize(kernel.accumulator());
    for (int64_t i = 0; i < lanes; i += vectorSize)
      sums.emplace_back(kernel);
  }

  void build(const ExprRef &term) {
    std::vector<int> outputs;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      outputs.push_back(i);
    Nest(kernel, outputs).emit(term, Nest::Body([&](const ExprRef &term) {
                                 Value nothing =
                                     broadcast(kernel, kernel.identity());
                                 for (VectorVariable &sum : sums)
                                   sum.set(nothing);
                                 addAll(term);
                                 kernel.storeAccumulated(total());
                               }));
  }

private:
  void addAll(const ExprRef &term) {
    const ExprRef nothing = kernel.nothing();
    if (equal(term, nothing))
      return;
    if (isGuarded(term, nothing))
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { addAll(term->children[1]); });
    const auto lanes = int64_t(sums.size()) * vectorSize;
    Value low = kernel.lo[along];
    Value size =
        kernel.max(kernel.sub(kernel.hi[along], low), kernel.constant(0));
    // A power of two.
    Value whole = arith::AndIOp::create(b, size, kernel.constant(-lanes));
    Value rest = kernel.add(low, whole);
    kernel.loop(low, rest, lanes, [&](Value first) {
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i].set(kernel.combine(sums[i].get(), valueAt(term, first, i)));
    });
    for (size_t i = 0; i < sums.size(); ++i) {
      Value left = kernel.sub(kernel.sub(size, whole),
                              kernel.constant(int64_t(i) * vectorSize));
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
        kernel.add(first, kernel.constant(int64_t(i) * vectorSize));
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

  Kernel &kernel;
  LocBuilder &b;
  const size_t along;
  std::deque<VectorVariable> sums;
};

/// Without conditions that do not depend on the variable.
ExprRef guardedTerm(ExprRef term, const ExprRef &nothing, int variable) {
  while (isGuarded(term, nothing) && !uses(term->children[0], variable))
    term = term->children[1];
  return term;
}

} // namespace

bool codegen::buildDots(Kernel &kernel, const ExprRef &term,
                        const ReductionOrder &order) {
  const DType type = kernel.lambda.result;
  if (order.output >= 0 || order.reductions.size() != 1 ||
      (type != DType::F32 && type != DType::F64))
    return false;
  const int along = order.reductions[0];
  const ExprRef inner = guardedTerm(term, kernel.nothing(), along);
  // A sum of an operand's elements alone is as fast without.
  if (inner->kind == ExprKind::Read || !uses(inner, along) ||
      !hasVector(inner, along))
    return false;
  Dots(kernel, along).build(term);
  return true;
}
