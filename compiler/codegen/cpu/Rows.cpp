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
#include "compiler/codegen/cpu/Prefetch.h"
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <deque>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class Rows {
public:
  explicit Rows(CpuKernel &kernel)
      : kernel(kernel), b(kernel.b), schedule(kernel.schedule),
        nothing(kernel.nothing()), along(schedule.along),
        before(schedule.across) {}

  void build(const ExprRef &term) {
    std::vector<int> outputs;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != along && i != before)
        outputs.push_back(i);
    // Whole vectors need no masks.
    Value rest = arith::RemUIOp::create(b, kernel.size(along),
                                        kernel.constant(kernel.vector()));
    Value whole = kernel.equal(rest, kernel.constant(0));
    Value partial = isNot(whole);
    const auto loops = [&] {
      Nest(kernel, outputs).emit(term, Nest::Body([&](const ExprRef &term) {
                                   tiles(term);
                                 }));
    };
    if (Value together = haveFixedDistance(term)) {
      const llvm::SaveAndRestore reading(origin, int(kernel.at.size()));
      kernel.at.push_back(kernel.lo[size_t(before)]);
      kernel.when(together, loops);
      kernel.at.pop_back();
      whole = kernel.both(whole, isNot(together));
    }
    kernel.when(whole, loops);
    masks = true;
    kernel.when(partial, loops);
  }

private:
  struct Block {
    VectorVariable sum;
    Value before, at, mask;
    Value read; // instead of `at` with an origin
  };

  Value isNot(Value condition) {
    return arith::XOrIOp::create(b, condition,
                                 integerConstant(b, DType::Bool, 1));
  }

  /// Rows are of one vector each, and follow each other wherever they are read:
  /// all blocks of a tile are then at fixed distances from the first. Null
  /// where rows are not read as a whole.
  Value haveFixedDistance(const ExprRef &term) {
    if (before < 0)
      return nullptr;
    Value vector = kernel.constant(kernel.vector());
    Value together = kernel.equal(kernel.size(along), vector);
    bool whole = true;
    walk(term, [&](const ExprRef &e) {
      if (e->kind != ExprKind::Read || !uses(e, along))
        return;
      if (!isRow(*e)) {
        whole = false;
        return;
      }
      auto strides = memref::ExtractStridedMetadataOp::create(
          b, kernel.operands[size_t(e->operand)]);
      Value stride = strides.getStrides()[e->children.size() - 2];
      together = kernel.both(together, kernel.equal(stride, vector));
    });
    return whole ? together : nullptr;
  }

  /// x[.., before, along], and neither anywhere else.
  bool isRow(const tdl::Expr &read) const {
    const size_t rank = read.children.size();
    const auto is = [&](size_t d, int variable) {
      return read.children[d]->kind == ExprKind::Index &&
             read.children[d]->index == variable;
    };
    if (rank < 2 || !is(rank - 2, before) || !is(rank - 1, along))
      return false;
    return std::none_of(
        read.children.begin(), read.children.end() - 2,
        [&](const ExprRef &e) { return uses(e, before) || uses(e, along); });
  }

  /// The term with rows counted from the first one's beginning.
  ExprRef fromOrigin(const ExprRef &term) const {
    if (origin < 0)
      return term;
    return transform(term, [&](const ExprRef &e) -> ExprRef {
      if (e->kind != ExprKind::Read || !uses(e, along))
        return nullptr;
      std::vector<ExprRef> index = e->children;
      index[index.size() - 2] = tdl::indexVar(origin);
      return tdl::read(e->operand, e->type, std::move(index));
    });
  }

  /// As many of the largest tiles as fit, then of the next.
  void tiles(const ExprRef &term) {
    Value perRow = arith::CeilDivUIOp::create(b, kernel.size(along),
                                              kernel.constant(kernel.vector()));
    Value count = perRow;
    if (before >= 0)
      count = arith::MulIOp::create(b, perRow, kernel.size(before));
    Value start = kernel.constant(0);
    for (int64_t blocks : schedule.tiles) {
      Value step = kernel.constant(blocks);
      Value number = arith::DivUIOp::create(b, kernel.sub(count, start), step);
      Value stop = kernel.add(start, arith::MulIOp::create(b, number, step));
      kernel.loop(start, stop, blocks,
                  [&](Value first) { tile(term, first, blocks, perRow); });
      start = stop;
    }
  }

  Block block(Value first, int64_t i, Value perRow) {
    Block made{VectorVariable(kernel), nullptr, nullptr, nullptr, nullptr};
    made.sum.set(broadcast(kernel, kernel.identity()));
    const auto times = [&](Value x, Value y) -> Value {
      return arith::MulIOp::create(b, x, y);
    };
    Value vector = kernel.constant(kernel.vector());
    Value low = kernel.lo[size_t(along)];
    if (origin >= 0) {
      made.at = low;
      made.before = kernel.add(kernel.add(kernel.lo[size_t(before)], first),
                               kernel.constant(i));
      made.read = kernel.add(kernel.add(low, times(first, vector)),
                             kernel.constant(i * kernel.vector()));
      return made;
    }
    Value number = kernel.add(first, kernel.constant(i));
    Value row = arith::DivUIOp::create(b, number, perRow);
    Value inRow = kernel.sub(number, times(row, perRow));
    made.at = kernel.add(low, times(inRow, vector));
    made.read = made.at;
    if (before >= 0)
      made.before = kernel.add(kernel.lo[size_t(before)], row);
    if (masks)
      made.mask = maskOf(kernel, kernel.sub(kernel.hi[size_t(along)], made.at));
    return made;
  }

  /// Where the block's result is; `enterToRead`: what its terms read.
  void enter(const Block &block) {
    kernel.at[size_t(along)] = block.at;
    if (before >= 0)
      kernel.at[size_t(before)] = block.before;
  }
  void enterToRead(const Block &block) {
    enter(block);
    kernel.at[size_t(along)] = block.read;
  }

  void tile(const ExprRef &term, Value first, int64_t count, Value perRow) {
    std::deque<Block> blocks;
    for (int64_t i = 0; i < count; ++i)
      blocks.push_back(block(first, i, perRow));
    enter(blocks.front()); // to the loops, these variables have values
    Nest nest(kernel, schedule.order);
    nest.skip(nothing);
    nest.emit(term, Nest::Body([&](const ExprRef &term) {
                const ExprRef read = fromOrigin(term);
                fetch(read, blocks, nest.endOf(schedule.order.back()));
                add(read, blocks);
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
    const int inner = schedule.order.back();
    const std::vector<ExprRef> reads = gathers(term, inner);
    // The processor sees far enough ahead where little is done per term.
    if (reads.size() * blocks.size() < size_t(schedule.ahead.least))
      return;
    ahead(kernel, inner, kernel.at[size_t(inner)], end, [&] {
      for (const ExprRef &read : reads)
        for (size_t i = 0; i < blocks.size();
             i += size_t(schedule.ahead.perLine)) {
          enterToRead(blocks[i]);
          prefetch(kernel, read);
          if (!uses(read, along)) // what blocks have one of lies together
            break;
        }
    });
  }

  void add(const ExprRef &term, std::deque<Block> &blocks) {
    if (isGuarded(term, nothing))
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { add(term->children[1], blocks); });
    for (Block &each : blocks) {
      enterToRead(each);
      Value value = emitVector(kernel, term, along, each.mask);
      each.sum.set(kernel.combine(each.sum.get(), value));
    }
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const Schedule &schedule;
  const ExprRef nothing;
  const int along;  // the variable of vectors
  const int before; // the one that blocks go on in, or -1
  bool masks = false;
  int origin = -1; // a variable more, that stands for the first row; or -1
};

} // namespace

void codegen::buildRows(CpuKernel &kernel, const ExprRef &term) {
  Rows(kernel).build(term);
}
