// Reductions whose terms are rows that data says the place of: the features of
// an edge's source. A tile of one result's elements stays in vector registers
// while the loop goes over the terms, each of which is read once per tile:
//
//     for v: for tile: a = 0; for k in segment v: a += w[k] * x[src[k], tile]
//
// A tile is several blocks, each a vector of neighbours along the last output
// variable; blocks go on in the next value of the one before (a head of an
// attention), so that narrow rows share a loop, too. Elements get their terms
// one after the other, as in any tile (Reduction.cpp), so the bits are the
// same.
#include "compiler/codegen/Conditions.h"
#include "compiler/codegen/LoopOrder.h"
#include "compiler/codegen/Nest.h"
#include "compiler/codegen/Prefetch.h"
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

/// Blocks per tile: as many as half of the registers hold, then fewer.
constexpr int64_t tileSizes[] = {8, 4, 2, 1};

/// Blocks in 64 bytes of f32.
constexpr size_t blocksPerLine = 2;

/// What guards a term decides for all elements of a vector alike.
bool hasRows(const ExprRef &term, const ExprRef &nothing, int variable) {
  if (isGuarded(term, nothing))
    return !uses(term->children[0], variable) &&
           hasRows(term->children[1], nothing, variable);
  return uses(term, variable) && hasVector(term, variable);
}

/// A read's place in memory is data.
bool readsByData(const ExprRef &term) {
  bool found = false;
  walk(term, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      for (const ExprRef &index : e->children)
        found |= readsData(index);
  });
  return found;
}

/// Conditions of the term use the variable, or a bound of its loops does.
bool inGuard(const ExprRef &term, const ExprRef &nothing, int variable) {
  return isGuarded(term, nothing) &&
         (uses(term->children[0], variable) ||
          inGuard(term->children[1], nothing, variable));
}

class Rows {
public:
  Rows(Kernel &kernel, const ReductionOrder &order, const ExprRef &term)
      : kernel(kernel), b(kernel.b), order(order), nothing(kernel.nothing()),
        along(order.output), before(-1) {
    if (along > 0 && !inGuard(term, nothing, along - 1))
      before = along - 1;
  }

  void build(const ExprRef &term) {
    std::vector<int> outputs;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != along && i != before)
        outputs.push_back(i);
    // Whole vectors need no masks.
    Value rest = arith::RemUIOp::create(b, kernel.size(along),
                                        kernel.constant(vectorSize));
    Value whole = kernel.equal(rest, kernel.constant(0));
    const auto loops = [&](bool masked) {
      masks = masked;
      Nest(kernel, outputs).emit(term, Nest::Body([&](const ExprRef &term) {
                                   tiles(term);
                                 }));
    };
    kernel.when(whole, [&] { loops(false); });
    Value partial =
        arith::XOrIOp::create(b, whole, integerConstant(b, DType::Bool, 1));
    kernel.when(partial, [&] { loops(true); });
  }

private:
  struct Block {
    VectorVariable sum;
    Value before, at, mask;
  };

  /// As many of the largest tiles as fit, then of the next.
  void tiles(const ExprRef &term) {
    Value perRow = arith::CeilDivUIOp::create(b, kernel.size(along),
                                              kernel.constant(vectorSize));
    Value count = perRow;
    if (before >= 0)
      count = arith::MulIOp::create(b, perRow, kernel.size(before));
    Value start = kernel.constant(0);
    for (int64_t blocks : tileSizes) {
      Value step = kernel.constant(blocks);
      Value number = arith::DivUIOp::create(b, kernel.sub(count, start), step);
      Value stop = kernel.add(start, arith::MulIOp::create(b, number, step));
      kernel.loop(start, stop, blocks,
                  [&](Value first) { tile(term, first, blocks, perRow); });
      start = stop;
    }
  }

  Block block(Value number, Value perRow) {
    Block made{VectorVariable(kernel), nullptr, nullptr, nullptr};
    Value row = arith::DivUIOp::create(b, number, perRow);
    Value inRow = kernel.sub(number, arith::MulIOp::create(b, row, perRow));
    Value offset = arith::MulIOp::create(b, inRow, kernel.constant(vectorSize));
    made.at = kernel.add(kernel.lo[size_t(along)], offset);
    if (before >= 0)
      made.before = kernel.add(kernel.lo[size_t(before)], row);
    if (masks)
      made.mask = maskOf(kernel, kernel.sub(kernel.hi[size_t(along)], made.at));
    made.sum.set(broadcast(kernel, kernel.identity()));
    return made;
  }

  void enter(const Block &block) {
    kernel.at[size_t(along)] = block.at;
    if (before >= 0)
      kernel.at[size_t(before)] = block.before;
  }

  void tile(const ExprRef &term, Value first, int64_t count, Value perRow) {
    std::deque<Block> blocks;
    for (int64_t i = 0; i < count; ++i)
      blocks.push_back(block(kernel.add(first, kernel.constant(i)), perRow));
    enter(blocks.front()); // to the loops, these variables have values
    Nest nest(kernel, order.reductions);
    nest.skip(nothing);
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                fetch(term, blocks, nest.endOf(order.reductions.back()));
                add(term, blocks);
              }));
    for (Block &each : blocks) {
      enter(each);
      Value total = each.sum.get();
      if (each.mask)
        vector::MaskedStoreOp::create(b, kernel.result, kernel.resultIndices(),
                                      each.mask, total);
      else
        vector::StoreOp::create(b, total, kernel.result,
                                kernel.resultIndices());
    }
    kernel.at[size_t(along)] = nullptr;
    if (before >= 0)
      kernel.at[size_t(before)] = nullptr;
  }

  /// Rows of terms ahead.
  void fetch(const ExprRef &term, const std::deque<Block> &blocks, Value end) {
    const int inner = order.reductions.back();
    const std::vector<ExprRef> reads = gathers(term, inner);
    // The processor sees far enough ahead where little is done per term.
    if (reads.size() * blocks.size() < 4)
      return;
    ahead(kernel, inner, kernel.at[size_t(inner)], end, [&] {
      for (const ExprRef &read : reads)
        for (size_t i = 0; i < blocks.size(); i += blocksPerLine) {
          enter(blocks[i]);
          prefetch(kernel, read);
          if (!uses(read, along) && (before < 0 || !uses(read, before)))
            break;
        }
    });
  }

  void add(const ExprRef &term, std::deque<Block> &blocks) {
    if (isGuarded(term, nothing))
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { add(term->children[1], blocks); });
    for (Block &each : blocks) {
      enter(each);
      Value value = emitVector(kernel, term, along, each.mask);
      each.sum.set(kernel.combine(each.sum.get(), value));
    }
  }

  Kernel &kernel;
  LocBuilder &b;
  const ReductionOrder &order;
  const ExprRef nothing;
  const int along; // the variable of vectors
  int before;      // the one that blocks go on in, or -1
  bool masks = false;
};

} // namespace

bool codegen::buildRows(Kernel &kernel, const ExprRef &term,
                        const ReductionOrder &order) {
  const DType type = kernel.lambda.result;
  if (order.output < 0 || (type != DType::F32 && type != DType::F64) ||
      !readsByData(term) || !hasRows(term, kernel.nothing(), order.output))
    return false;
  Rows(kernel, order, term).build(term);
  return true;
}
