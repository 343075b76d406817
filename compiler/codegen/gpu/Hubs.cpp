#include "compiler/codegen/gpu/Hubs.h"

#include "compiler/codegen/expression/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

TermRange codegen::termsOf(GpuKernel &kernel, const Segment &segment) {
  const auto r = size_t(segment.reduction);
  Value first = kernel.max(cutPoint(kernel, segment.first), kernel.lo[r]);
  Value end = kernel.min(cutPoint(kernel, segment.after), kernel.hi[r]);
  return {first, kernel.max(end, first)};
}

Hubs::Hubs(GpuKernel &kernel, const Segment &segment, Value columns)
    : kernel(kernel), b(kernel.b), segment(segment), v(size_t(segment.output)),
      r(size_t(segment.reduction)), columns(columns),
      size(kernel.constant(kernel.schedule.hubPart)),
      stretches(kernel.divide(
          kernel.add(kernel.size(segment.reduction),
                     kernel.constant(kernel.schedule.hubPart - 1)),
          size)) {}

static Value isAtLeast(LocBuilder &b, Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, x, y);
}

Value Hubs::isHub(const TermRange &terms) {
  return isAtLeast(b, kernel.sub(terms.end, terms.first),
                   kernel.constant(kernel.schedule.hub));
}

Value Hubs::parts(const TermRange &hub) {
  Value length = kernel.sub(hub.end, hub.first);
  Value most = kernel.constant(kernel.schedule.hubPart - 1);
  return kernel.divide(kernel.add(length, most), size);
}

TermRange Hubs::part(const TermRange &hub, Value number) {
  Value first = kernel.add(hub.first, kernel.mul(number, size));
  return {first, kernel.min(kernel.add(first, size), hub.end)};
}

/// Those of later parts come first, and then those of first ones.
Value Hubs::slotOf(const TermRange &hub, Value number) {
  Value first = part(hub, number).first;
  Value at = kernel.divide(kernel.sub(first, kernel.lo[r]), size);
  return kernel.add(at, arith::SelectOp::create(b, kernel.isZero(number),
                                                stretches, kernel.constant(0)));
}

Hubs::Stretch Hubs::stretchOf(Value slot) {
  Value isOfFirst = isAtLeast(b, slot, stretches);
  Value number =
      arith::SelectOp::create(b, isOfFirst, kernel.sub(slot, stretches), slot);
  Value begin = kernel.add(kernel.lo[r], kernel.mul(number, size));
  return {isOfFirst, begin, kernel.min(kernel.add(begin, size), kernel.hi[r])};
}

Value Hubs::partNumber(Value slot, const TermRange &hub) {
  const Stretch stretch = stretchOf(slot);
  Value most = kernel.constant(kernel.schedule.hubPart - 1);
  Value ahead =
      kernel.max(kernel.sub(stretch.begin, hub.first), kernel.constant(0));
  return arith::SelectOp::create(b, stretch.isOfFirst, kernel.constant(0),
                                 kernel.divide(kernel.add(ahead, most), size));
}

TermRange Hubs::partIn(Value slot, const TermRange &hub) {
  return part(hub, partNumber(slot, hub));
}

/// A hub that begins in a stretch has its last term, too, and one whose later
/// part begins there its first: so it is the last vertex that begins no later
/// than that term, where they ascend.
Value Hubs::find(Value slot) {
  const Stretch stretch = stretchOf(slot);
  Value last = kernel.sub(stretch.end, kernel.constant(1));
  Value term =
      arith::SelectOp::create(b, stretch.isOfFirst, last, stretch.begin);
  const auto at = [&](Value place, llvm::function_ref<void()> body) {
    kernel.at[v] = kernel.add(kernel.lo[v], place);
    body();
    kernel.at[v] = nullptr;
  };
  const Values found = kernel.repeat(
      {kernel.constant(0), kernel.size(segment.output)},
      [&](ValueRange now) -> Value {
        return kernel.less(kernel.constant(1), kernel.sub(now[1], now[0]));
      },
      [&](ValueRange now) {
        Value middle =
            kernel.divide(kernel.add(now[0], now[1]), kernel.constant(2));
        Value isLater;
        at(middle, [&] {
          isLater = kernel.less(term, cutPoint(kernel, segment.first));
        });
        Value low = arith::SelectOp::create(b, isLater, now[0], middle);
        Value high = arith::SelectOp::create(b, isLater, middle, now[1]);
        return Values{low, high};
      });
  Value owner;
  at(found[0], [&] {
    const TermRange terms = termsOf(kernel, segment);
    const TermRange inSlot = partIn(slot, terms);
    // It begins in this stretch, and is a later part unless the slot is for a
    // first one: then it is the slot of no other part of this vertex.
    Value isHere = kernel.both(isAtLeast(b, inSlot.first, stretch.begin),
                               kernel.less(inSlot.first, stretch.end));
    Value isLater = kernel.less(terms.first, inSlot.first);
    Value belongs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, isLater,
                                          stretch.isOfFirst);
    Value exists = kernel.less(inSlot.first, terms.end);
    belongs = kernel.both(kernel.both(isHub(terms), exists),
                          kernel.both(isHere, belongs));
    owner = arith::SelectOp::create(b, belongs, found[0], kernel.constant(-1));
  });
  return owner;
}

Value Hubs::word(Value slot, Value column) {
  return kernel.add(slots(), kernel.add(kernel.mul(slot, columns), column));
}

Value Hubs::loadOwner(Value slot) {
  return arith::IndexCastOp::create(b, b.getIndexType(),
                                    kernel.fromScratch(b.getI64Type(), slot));
}

void Hubs::storeOwner(Value slot, Value owner) {
  kernel.toScratch(slot, arith::IndexCastOp::create(b, b.getI64Type(), owner));
}

Value Hubs::load(Value slot, Value column) {
  Value bits = kernel.fromScratch(b.getI64Type(), word(slot, column));
  Type type = kernel.accumulatorMemory();
  const unsigned width = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  if (width < 64)
    bits = arith::TruncIOp::create(b, integer, bits);
  return type == integer ? bits : arith::BitcastOp::create(b, type, bits);
}

void Hubs::store(Value slot, Value column, Value value) {
  const unsigned width = value.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  if (value.getType() != integer)
    value = arith::BitcastOp::create(b, integer, value);
  if (width < 64)
    value = arith::ExtUIOp::create(b, b.getI64Type(), value);
  kernel.toScratch(word(slot, column), value);
}
