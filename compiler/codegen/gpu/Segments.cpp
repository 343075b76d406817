// Sums over segments, balanced by their lengths: a thread takes an element of
// the result and adds its terms one by one, but for segments of `many` terms or
// more. These are taken by whole blocks, a block for 32 elements of a segment,
// whose warps each add a part of the terms, as many in each; the parts are then
// combined in their order.
//
// Which it is, and where the parts begin, follows from the segment alone.
#include "compiler/codegen/gpu/Segment.h"

#include "compiler/codegen/gpu/Flags.h"
#include "compiler/codegen/gpu/Terms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::ExprRef;

std::optional<Segment> codegen::findSegment(const tdl::Lambda &lambda) {
  if (!lambda.guard)
    return std::nullopt;
  const auto parts = conjuncts(makeConditionsExplicit(lambda.guard));
  /// The variable of the result that a bound of `r` depends on alone.
  const auto outputOf = [&](const Cut &cut) {
    int output = -1;
    for (int i = 0; i < lambda.indexCount(); ++i)
      if (uses(cut.numerator, i)) {
        if (output >= 0 || i >= lambda.rank())
          return -1;
        output = i;
      }
    return output;
  };
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r) {
    std::optional<Cut> first, after;
    for (const ExprRef &part : parts)
      if (const auto cut = readsData(part) ? cutOf(part, r) : std::nullopt)
        (cut->below ? after : first) = cut;
    if (!first || !after)
      continue;
    const int output = outputOf(*first);
    if (output >= 0 && output == outputOf(*after))
      return Segment{output, r, *first, *after};
  }
  return std::nullopt;
}

namespace {

class Segments {
public:
  Segments(GpuKernel &kernel, const Segment &segment)
      : kernel(kernel), b(kernel.b), segment(segment),
        term(termOf(kernel.lambda)), v(size_t(segment.output)),
        warps(kernel.schedule.threads / warp), cell(kernel.cell()),
        flags(kernel),
        parts(kernel.shared(kernel.accumulatorMemory(), warps * warp)),
        warpNumber(kernel.divide(kernel.thread, constant(warp))),
        lane(arith::RemUIOp::create(b, kernel.thread, constant(warp))) {
    for (int i : kernel.outputs())
      if (i != segment.output)
        others.push_back(i);
  }

  void build() {
    kernel.eachTuple(kernel.outputs(), 1, [&] {
      Value isShort = kernel.less(bounds().length, many());
      kernel.when(isShort, [&] {
        addTerms(nullptr, nullptr);
        kernel.storeAccumulated(kernel.get(cell));
      });
    });
    longOnes();
  }

private:
  static constexpr int64_t warp = 32;

  struct Bounds {
    Value first, length;
  };

  Value constant(int64_t value) { return kernel.constant(value); }
  Value many() { return constant(kernel.schedule.many); }

  /// Of the segment of the current v, in the range to compute.
  Bounds bounds() {
    const auto r = size_t(segment.reduction);
    Value first = kernel.max(cutPoint(kernel, segment.first), kernel.lo[r]);
    Value end = kernel.min(cutPoint(kernel, segment.after), kernel.hi[r]);
    return {first, kernel.max(kernel.sub(end, first), constant(0))};
  }

  /// Of the range, or of the whole segment, into the cell.
  void addTerms(Value first, Value end) {
    kernel.set(cell, kernel.identity());
    Nest nest(kernel, kernel.schedule.order);
    if (first)
      nest.setRange(segment.reduction, first, end);
    nest.skip(kernel.nothing());
    nest.setCopies(1);
    addNest(kernel, nest, term, cell);
  }

  /// Blocks are dealt windows of v, and 32 of the other variables' tuples: as
  /// many of both as there are blocks, if these are as many as blocksOf says.
  /// The threads of a block look at one v of the window each, and tell the
  /// others if its segment is long. Neighbours are in different windows: where
  /// vertices are in the order of their degrees, long segments are neighbours.
  void longOnes() {
    Value vertices = kernel.size(segment.output),
          columns = kernel.count(others);
    Value groups = portions(columns, constant(warp));
    Value perGroup = kernel.divide(columns, kernel.max(groups, constant(1)));
    Value flagged =
        kernel.divide(constant(warps), kernel.max(perGroup, constant(1)));
    Value window = kernel.mul(flagged, constant(warp));
    Value windows = portions(vertices, window);
    Value items = kernel.mul(windows, groups);
    kernel.strided(kernel.block, items, kernel.blocks, [&](Value item) {
      Value group = kernel.divide(item, windows);
      Value number = kernel.sub(item, kernel.mul(group, windows));
      Value column = kernel.add(kernel.mul(group, constant(warp)), lane);
      const auto vertex = [&](Value i) {
        return kernel.add(number, kernel.mul(i, windows));
      };
      kernel.when(kernel.less(kernel.thread, window),
                  [&] { flags.set(isLong(vertex(kernel.thread), vertices)); });
      kernel.barrier();
      flags.each(flagged, [&](Value each) {
        takeTogether(vertex(each), column, columns);
      });
      kernel.barrier(); // the flags are free again
    });
  }

  Value portions(Value size, Value by) {
    Value most = kernel.sub(kernel.add(size, by), constant(1));
    return kernel.divide(most, by);
  }

  Value isLong(Value i, Value count) {
    auto branch = scf::IfOp::create(b, TypeRange{b.getI1Type()},
                                    kernel.less(i, count), /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    kernel.at[v] = kernel.add(kernel.lo[v], i);
    Value length = bounds().length;
    kernel.at[v] = nullptr;
    scf::YieldOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::sge, length, many())
               .getResult());
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, integerConstant(b, DType::Bool, 0));
    return branch.getResult(0);
  }

  /// Lanes are tuples of the result's other variables, this one's number
  /// `column`; warps are parts of the terms.
  void takeTogether(Value i, Value column, Value columns) {
    kernel.at[v] = kernel.add(kernel.lo[v], i);
    const Bounds all = bounds();
    const auto border = [&](Value part) {
      Value terms = kernel.mul(all.length, part);
      return kernel.add(all.first, kernel.divide(terms, constant(warps)));
    };
    Value first = border(warpNumber);
    Value end = border(kernel.add(warpNumber, constant(1)));
    Value inside = kernel.less(column, columns);
    kernel.place(others, kernel.digits(others, column));
    kernel.when(inside, [&] {
      addTerms(first, end);
      memref::StoreOp::create(b, kernel.get(cell), parts, kernel.thread);
    });
    kernel.barrier();
    Value combines = kernel.both(inside, kernel.isZero(warpNumber));
    kernel.when(combines, [&] {
      kernel.set(cell, memref::LoadOp::create(b, parts, lane));
      kernel.loop(constant(1), constant(warps), 1, [&](Value w) {
        Value at = kernel.add(kernel.mul(w, constant(warp)), lane);
        Value part = memref::LoadOp::create(b, parts, at);
        kernel.set(cell, kernel.combine(kernel.get(cell), part));
      });
      kernel.storeAccumulated(kernel.get(cell));
    });
    kernel.forget(others);
    kernel.at[v] = nullptr;
    kernel.barrier(); // the parts are free again
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const Segment &segment;
  const ExprRef term;
  const size_t v;
  const int64_t warps;
  Value cell;
  Flags flags;
  Value parts, warpNumber, lane;
  SmallVector<int> others;
};

} // namespace

void codegen::buildGpuSegments(GpuKernel &kernel) {
  const Segment segment = *findSegment(kernel.lambda);
  Segments(kernel, segment).build();
}
