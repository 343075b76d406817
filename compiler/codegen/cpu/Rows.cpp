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
//
// What a term has besides rows, and is slow to compute (the coefficient of an
// attention), is computed for some terms ahead, in a loop of its own, which
// LLVM makes vectors of; once for each value of the variable that blocks go on
// in, not for each block.
#include "compiler/codegen/cpu/Prefetch.h"
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/cpu/WholeRows.h"
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
    seesPast = seesPastSegments(term, schedule.order.back());
    std::vector<int> outputs;
    for (int i = 0; i < kernel.lambda.rank(); ++i)
      if (i != along && i != before)
        outputs.push_back(i);
    if (schedule.masked) {
      masks = true;
      return Nest(kernel, outputs)
          .emit(term, Nest::Body([&](const ExprRef &term) { tiles(term); }));
    }
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
    if (Value together = haveFixedDistance(kernel, term, before, along)) {
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
    Value read;        // instead of `at` in what is read, and
    int64_t shift = 0; // elements after that
  };

  Value isNot(Value condition) {
    return arith::XOrIOp::create(b, condition,
                                 integerConstant(b, DType::Bool, 1));
  }

  ExprRef fromOrigin(const ExprRef &term) const {
    return origin < 0 ? term : countedFrom(origin, term, along);
  }

  /// As many of the largest tiles as fit, then of the next.
  void tiles(const ExprRef &term) {
    Value perRow = arith::CeilDivUIOp::create(b, kernel.size(along),
                                              kernel.constant(kernel.vector()));
    Value count = perRow;
    if (before >= 0)
      count = arith::MulIOp::create(b, perRow, kernel.size(before));
    // Of a row's tiles each asks for its own: they share what is on its way.
    Value bytes = arith::MulIOp::create(
        b, count,
        kernel.constant(kernel.vector() * byteSize(kernel.accumulator())));
    passes = kernel.max(kernel.min(arith::DivUIOp::create(
                                       b, kernel.constant(schedule.ahead.bytes),
                                       kernel.max(bytes, kernel.constant(1))),
                                   kernel.constant(schedule.ahead.most)),
                        kernel.constant(schedule.ahead.passes));
    // More go over one result's terms before they come to the next one's.
    inOneTile = kernel.less(count, kernel.constant(schedule.tiles.front() + 1));
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
    Block made{VectorVariable(kernel), nullptr, nullptr, nullptr, nullptr, 0};
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
      made.read = kernel.add(low, times(first, vector));
      made.shift = i * kernel.vector();
      return made;
    }
    if (before < 0) {
      // At fixed distances: of all blocks, registers have one address.
      made.read = kernel.add(low, times(first, vector));
      made.shift = i * kernel.vector();
      made.at = kernel.add(made.read, kernel.constant(made.shift));
      if (masks)
        made.mask =
            maskOf(kernel, kernel.sub(kernel.hi[size_t(along)], made.at));
      return made;
    }
    Value number = kernel.add(first, kernel.constant(i));
    Value row = arith::DivUIOp::create(b, number, perRow);
    Value inRow = kernel.sub(number, times(row, perRow));
    made.at = kernel.add(low, times(inRow, vector));
    made.read = made.at;
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
    const auto each = [&](const ExprRef &term, Value end) {
      const ExprRef read = fromOrigin(term);
      fetch(read, blocks, end);
      add(read, blocks);
    };
    if (schedule.coefficients == 0)
      nest.emit(term, Nest::Body([&](const ExprRef &term) {
                  each(term, nest.endOf(schedule.order.back()));
                }));
    else
      nest.emit(
          term,
          Nest::InnerLoop([&](const ExprRef &term, Value low, Value high) {
            const std::vector<ExprRef> slow = isGuarded(term, nothing)
                                                  ? std::vector<ExprRef>()
                                                  : coefficients(term, along);
            if (slow.empty())
              return loopOverTerms(low, high, [&](Value) { each(term, high); });
            loopOverChunks(term, slow, low, high, first, perRow, blocks);
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

  void loopOverTerms(Value low, Value high,
                     llvm::function_ref<void(Value)> body) {
    Value &at = kernel.at[size_t(schedule.order.back())];
    kernel.loop(low, high, 1, [&](Value i) {
      at = i;
      body(i);
      at = nullptr;
    });
  }

  /// Coefficients of some terms, then these terms.
  void loopOverChunks(const ExprRef &term, const std::vector<ExprRef> &slow,
                      Value low, Value high, Value first, Value perRow,
                      std::deque<Block> &blocks) {
    while (memory.size() < slow.size())
      memory.push_back(kernel.scratch(
          kernel.accumulatorMemory(),
          schedule.coefficients *
              *std::max_element(schedule.tiles.begin(), schedule.tiles.end())));
    const ExprRef known = withKnown(term, slow);
    kernel.loop(low, high, schedule.coefficients, [&](Value start) {
      Value end = kernel.min(
          high, kernel.add(start, kernel.constant(schedule.coefficients)));
      computeCoefficients(slow, start, end, first, perRow,
                          int64_t(blocks.size()));
      enterToRead(blocks.front());
      loopOverTerms(start, end, [&](Value i) {
        const ExprRef read = fromOrigin(known);
        fetch(read, blocks, high);
        for (size_t n = 0; n < blocks.size(); ++n) {
          const llvm::SaveAndRestore at(
              kernel.elementAtHand,
              std::function<Value(const ExprRef &)>([&](const ExprRef &e) {
                const int number =
                    e->operand - int(kernel.lambda.operands.size());
                if (number < 0)
                  return Value();
                Value row = rowInTile(blocks[n], n, first, perRow);
                Value place =
                    placeOf(row, kernel.sub(i, start), int64_t(blocks.size()));
                return memref::LoadOp::create(b, memory[size_t(number)],
                                              ValueRange{place})
                    .getResult();
              }));
          addTo(blocks[n], read);
        }
      });
    });
  }

  /// The term with reads of operands that there are not in place of these,
  /// which then are at hand.
  ExprRef withKnown(const ExprRef &term,
                    const std::vector<ExprRef> &slow) const {
    return transform(term, [&](const ExprRef &e) -> ExprRef {
      for (size_t c = 0; c < slow.size(); ++c)
        if (equal(e, slow[c]))
          return tdl::read(int(kernel.lambda.operands.size() + c), e->type, {});
      return nullptr;
    });
  }

  /// Rows of a tile are all its blocks, where these have a fixed distance: a
  /// loop of that length is a vector. Otherwise one or a few, and the terms lie
  /// side by side.
  void computeCoefficients(const std::vector<ExprRef> &slow, Value start,
                           Value end, Value first, Value perRow,
                           int64_t count) {
    const auto store = [&](Value row, Value i) {
      for (size_t c = 0; c < slow.size(); ++c) {
        Value value = kernel.emitTerm(slow[c]);
        memref::StoreOp::create(
            b, value, memory[c],
            ValueRange{placeOf(row, kernel.sub(i, start), count)});
      }
    };
    // As vectors, large expressions of gathered elements take LLVM seconds.
    const llvm::SaveAndRestore scalars(kernel.isRare,
                                       kernel.isRare || schedule.masked);
    if (origin >= 0)
      return loopOverTerms(start, end, [&](Value i) {
        const auto rowOf = [&](Value row) {
          kernel.at[size_t(before)] =
              kernel.add(kernel.add(kernel.lo[size_t(before)], first), row);
          store(row, i);
        };
        if (count >= kernel.vector() && !kernel.isRare)
          return kernel.vectorLoop(count, rowOf);
        kernel.loop(kernel.constant(0), kernel.constant(count), 1, rowOf);
      });
    if (before < 0)
      return loopOverTerms(start, end,
                           [&](Value i) { store(kernel.constant(0), i); });
    Value begin = arith::DivUIOp::create(b, first, perRow);
    Value last = arith::DivUIOp::create(
        b, kernel.add(first, kernel.constant(count - 1)), perRow);
    kernel.loop(begin, kernel.add(last, kernel.constant(1)), 1, [&](Value at) {
      kernel.at[size_t(before)] = kernel.add(kernel.lo[size_t(before)], at);
      Value row = kernel.sub(at, begin);
      loopOverTerms(start, end, [&](Value i) { store(row, i); });
    });
  }

  /// Which of the tile's rows the block is in.
  Value rowInTile(const Block &block, size_t n, Value first, Value perRow) {
    if (before < 0)
      return kernel.constant(0);
    if (origin >= 0)
      return kernel.constant(int64_t(n));
    return kernel.sub(kernel.sub(block.before, kernel.lo[size_t(before)]),
                      arith::DivUIOp::create(b, first, perRow));
  }

  /// Of a term's coefficient in memory.
  Value placeOf(Value row, Value term, int64_t rows) {
    const bool rowsTogether = origin >= 0;
    Value factor = kernel.constant(rowsTogether ? rows : schedule.coefficients);
    return kernel.add(
        arith::MulIOp::create(b, rowsTogether ? term : row, factor),
        rowsTogether ? row : term);
  }

  /// Rows of terms ahead, be they of the next result: most have few terms.
  void fetch(const ExprRef &term, const std::deque<Block> &blocks, Value end) {
    const int inner = schedule.order.back();
    const std::vector<ExprRef> reads = gathers(term, inner);
    if (reads.size() * blocks.size() < size_t(schedule.ahead.least))
      return;
    if (seesPast)
      end =
          arith::SelectOp::create(b, inOneTile, kernel.hi[size_t(inner)], end);
    ahead(kernel, inner, kernel.at[size_t(inner)], passes, end, [&] {
      for (const ExprRef &read : reads)
        for (size_t i = 0; i < blocks.size();
             i += size_t(schedule.ahead.perLine)) {
          enterToRead(blocks[i]);
          prefetch(kernel, read, blocks[i].shift);
          if (!uses(read, along)) // what blocks have one of lies together
            break;
        }
    });
  }

  void add(const ExprRef &term, std::deque<Block> &blocks) {
    if (isGuarded(term, nothing))
      return kernel.when(kernel.emit(term->children[0]),
                         [&] { add(term->children[1], blocks); });
    for (Block &each : blocks)
      addTo(each, term);
  }

  void addTo(Block &block, const ExprRef &term) {
    enterToRead(block);
    Value value = emitVector(kernel, term, along, block.mask, block.shift);
    block.sum.set(kernel.combine(block.sum.get(), value));
  }

  CpuKernel &kernel;
  LocBuilder &b;
  const Schedule &schedule;
  const ExprRef nothing;
  const int along;  // the variable of vectors
  const int before; // the one that blocks go on in, or -1
  bool masks = false;
  int origin = -1; // a variable more, that stands for the first row; or -1
  std::vector<Value> memory; // of coefficients
  bool seesPast = false;     // rows of the next result's terms
  Value passes;              // that rows are asked for ahead
  Value inOneTile;           // a row is
};

} // namespace

void codegen::buildRows(CpuKernel &kernel, const ExprRef &term) {
  Rows(kernel).build(term);
}
