// Sums over segments, balanced by their lengths: a thread takes an element of
// the result and adds its terms one by one, but for segments of `many` terms or
// more. These are taken by whole blocks, a block for 32 elements of a segment,
// whose warps each add a share of the terms, as many in each; the shares are
// then combined in their order. Of a hub (Hubs.h), a block of an earlier launch
// has added each part in the same way, and what they come to is combined here,
// part by part.
//
// Which it is, and where shares and parts begin, follows from the segment
// alone.
#include "compiler/codegen/gpu/Segment.h"

#include "compiler/codegen/gpu/Flags.h"
#include "compiler/codegen/gpu/Hubs.h"
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

/// The outputs but for the segments' own.
SmallVector<int> othersOf(const GpuKernel &kernel, const Segment &segment) {
  SmallVector<int> others;
  for (int i : kernel.outputs())
    if (i != segment.output)
      others.push_back(i);
  return others;
}

class Segments {
public:
  Segments(GpuKernel &kernel, const Segment &segment)
      : kernel(kernel), b(kernel.b), segment(segment),
        term(termOf(kernel.lambda)), v(size_t(segment.output)),
        warps(kernel.schedule.threads / warp),
        others(othersOf(kernel, segment)), columns(kernel.count(others)),
        cell(kernel.cell()), flags(kernel), hubs(kernel, segment, columns),
        shares(kernel.shared(kernel.accumulatorMemory(), warps * warp)),
        warpNumber(kernel.divide(kernel.thread, constant(warp))),
        lane(arith::RemUIOp::create(b, kernel.thread, constant(warp))) {}

  void build() {
    kernel.eachTuple(kernel.outputs(), 1, [&] {
      const TermRange terms = termsOf(kernel, segment);
      Value isShort = kernel.less(kernel.sub(terms.end, terms.first), many());
      kernel.when(isShort, [&] {
        addTerms(nullptr, nullptr);
        kernel.storeAccumulated(kernel.get(cell));
      });
    });
    longOnes();
  }

  /// Blocks are dealt windows of slots, and 32 columns: as few slots as there
  /// are blocks for. Neighbouring parts are in different windows. The threads
  /// look for a slot's hub each, and tell the others.
  void buildParts() {
    const int64_t threads = kernel.schedule.threads;
    Value owners = kernel.shared(b.getI64Type(), threads);
    Value none = kernel.isZero(kernel.size(segment.output));
    Value slots = arith::SelectOp::create(b, none, constant(0), hubs.slots());
    Value groups = portions(columns, constant(warp));
    Value windows = kernel.max(kernel.min(slots, constant(plan::blocksOfParts)),
                               portions(slots, constant(threads)));
    Value items = kernel.mul(windows, groups);
    kernel.strided(kernel.block, items, kernel.blocks, [&](Value item) {
      Value group = kernel.divide(item, windows);
      Value number = kernel.sub(item, kernel.mul(group, windows));
      Value column = kernel.add(kernel.mul(group, constant(warp)), lane);
      const auto slotOf = [&](Value i) {
        return kernel.add(number, kernel.mul(i, windows));
      };
      Value slot = slotOf(kernel.thread);
      memref::StoreOp::create(b, toWord(constant(-1)), owners, kernel.thread);
      kernel.when(kernel.less(slot, slots), [&] {
        Value owner = hubs.find(slot);
        memref::StoreOp::create(b, toWord(owner), owners, kernel.thread);
        kernel.when(kernel.isZero(group),
                    [&] { hubs.storeOwner(slot, owner); });
      });
      Value own = memref::LoadOp::create(b, owners, kernel.thread);
      flags.set(arith::CmpIOp::create(b, arith::CmpIPredicate::sge, own,
                                      toWord(constant(0))));
      kernel.barrier();
      flags.each(constant(warps), [&](Value each) {
        Value owner = memref::LoadOp::create(b, owners, each);
        atVertex(arith::IndexCastOp::create(b, b.getIndexType(), owner), [&] {
          const TermRange hub = termsOf(kernel, segment);
          takeTogether(hubs.partIn(slotOf(each), hub), column, [&](Value sum) {
            hubs.store(slotOf(each), column, sum);
          });
        });
      });
      kernel.barrier(); // the flags are free again
    });
  }

private:
  static constexpr int64_t warp = plan::columnsOfParts;

  Value constant(int64_t value) { return kernel.constant(value); }
  Value many() { return constant(kernel.schedule.many); }
  Value toWord(Value index) {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
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

  void atVertex(Value place, llvm::function_ref<void()> body) {
    kernel.at[v] = kernel.add(kernel.lo[v], place);
    body();
    kernel.at[v] = nullptr;
  }

  /// Blocks are dealt windows of v, and 32 of the other variables' tuples: as
  /// many of both as there are blocks, if these are as many as blocksOf says.
  /// The threads of a block look at one v of the window each, and tell the
  /// others if its segment is long. Neighbours are in different windows: where
  /// vertices are in the order of their degrees, long segments are neighbours.
  void longOnes() {
    Value vertices = kernel.size(segment.output);
    Value groups = portions(columns, constant(warp));
    Value perGroup = kernel.divide(columns, kernel.max(groups, constant(1)));
    Value flagged = kernel.max(
        kernel.divide(constant(warps), kernel.max(perGroup, constant(1))),
        constant(1));
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
        atVertex(vertex(each), [&] { takeLong(vertex(each), column); });
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
    atVertex(i, [&] {
      const TermRange terms = termsOf(kernel, segment);
      Value length = kernel.sub(terms.end, terms.first);
      scf::YieldOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::sge, length, many())
                 .getResult());
    });
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    scf::YieldOp::create(b, integerConstant(b, DType::Bool, 0));
    return branch.getResult(0);
  }

  /// The segment of the current v, which is number i.
  void takeLong(Value i, Value column) {
    const TermRange terms = termsOf(kernel, segment);
    auto branch = scf::IfOp::create(b, hubs.isHub(terms), /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    takeHub(i, terms, column);
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    takeTogether(terms, column,
                 [&](Value sum) { kernel.storeAccumulated(sum); });
  }

  /// Lanes are tuples of the result's other variables, this one's number
  /// `column`; warps are shares of the terms. The first warp uses the sums.
  void takeTogether(const TermRange &all, Value column,
                    llvm::function_ref<void(Value)> use) {
    Value length = kernel.sub(all.end, all.first);
    const auto border = [&](Value share) {
      Value terms = kernel.mul(length, share);
      return kernel.add(all.first, kernel.divide(terms, constant(warps)));
    };
    Value first = border(warpNumber);
    Value end = border(kernel.add(warpNumber, constant(1)));
    Value inside = kernel.less(column, columns);
    kernel.place(others, kernel.digits(others, column));
    kernel.when(inside, [&] {
      addTerms(first, end);
      memref::StoreOp::create(b, kernel.get(cell), shares, kernel.thread);
    });
    kernel.barrier();
    kernel.when(combines(column), [&] {
      kernel.set(cell, memref::LoadOp::create(b, shares, lane));
      kernel.loop(constant(1), constant(warps), 1, [&](Value w) {
        Value at = kernel.add(kernel.mul(w, constant(warp)), lane);
        Value share = memref::LoadOp::create(b, shares, at);
        kernel.set(cell, kernel.combine(kernel.get(cell), share));
      });
      use(kernel.get(cell));
    });
    kernel.forget(others);
    kernel.barrier(); // the shares are free again
  }

  Value combines(Value column) {
    return kernel.both(kernel.less(column, columns), kernel.isZero(warpNumber));
  }

  /// Parts that are at hand, or, where one is not, all of them anew.
  void takeHub(Value i, const TermRange &hub, Value column) {
    Value parts = hubs.parts(hub);
    Value misses = missesParts(i, hub, parts);
    auto branch = scf::IfOp::create(b, misses, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value sum = kernel.cell();
    kernel.set(sum, kernel.identity());
    kernel.loop(constant(0), parts, 1, [&](Value number) {
      takeTogether(hubs.part(hub, number), column, [&](Value part) {
        Value isFirst = kernel.isZero(number);
        Value both = kernel.combine(kernel.get(sum), part);
        kernel.set(sum, arith::SelectOp::create(b, isFirst, part, both));
      });
    });
    storeAll(column, [&] { return kernel.get(sum); });
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    storeAll(column, [&] {
      const auto load = [&](Value number) {
        return hubs.load(hubs.slotOf(hub, number), column);
      };
      kernel.set(cell, load(constant(0)));
      kernel.loop(constant(1), parts, 1, [&](Value number) {
        kernel.set(cell, kernel.combine(kernel.get(cell), load(number)));
      });
      return kernel.get(cell);
    });
  }

  void storeAll(Value column, llvm::function_ref<Value()> sum) {
    kernel.place(others, kernel.digits(others, column));
    kernel.when(combines(column), [&] { kernel.storeAccumulated(sum()); });
    kernel.forget(others);
  }

  /// The same for all threads.
  Value missesParts(Value i, const TermRange &hub, Value parts) {
    if (!missing)
      missing.emplace(kernel);
    const Values last = kernel.repeat(
        {kernel.thread, integerConstant(b, DType::Bool, 0)},
        [&](ValueRange now) -> Value { return kernel.less(now[0], parts); },
        [&](ValueRange now) {
          Value owner = hubs.loadOwner(hubs.slotOf(hub, now[0]));
          Value isOther =
              arith::CmpIOp::create(b, arith::CmpIPredicate::ne, owner, i);
          return Values{kernel.add(now[0], constant(kernel.schedule.threads)),
                        arith::OrIOp::create(b, now[1], isOther)};
        });
    missing->set(last[1]);
    kernel.barrier();
    Value any = missing->any();
    kernel.barrier(); // they are free again
    return any;
  }

  GpuKernel &kernel;
  LocBuilder &b;
  const Segment &segment;
  const ExprRef term;
  const size_t v;
  const int64_t warps;
  const SmallVector<int> others;
  Value columns, cell;
  Flags flags;
  std::optional<Flags> missing; // parts of a hub
  Hubs hubs;
  Value shares, warpNumber, lane;
};

} // namespace

void codegen::buildGpuSegments(GpuKernel &kernel) {
  const Segment segment = *findSegment(kernel.lambda);
  Segments(kernel, segment).build();
}

void codegen::buildGpuSegmentParts(GpuKernel &kernel) {
  const Segment segment = *findSegment(kernel.lambda);
  Segments(kernel, segment).buildParts();
}
