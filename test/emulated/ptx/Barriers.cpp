// bar and barrier.
#include "test/emulated/ptx/Block.h"
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

enum BarrierDetail : uint16_t {
  Waits = 1,
  Aligned = 2,
  NegatePredicate = 4,
  ReductionShift = 3, // a Block::Reduction
};

/// a: which; b: the count; c: a predicate; d: a result.
void run(Thread &t, const Instruction &i) {
  bool predicate = (t.r[i.c] & 1) != ((i.detail & NegatePredicate) != 0);
  t.block->arrive(t, static_cast<uint32_t>(t.r[i.a]),
                  static_cast<uint32_t>(t.r[i.b]), i.detail & Waits,
                  i.detail & Aligned,
                  static_cast<Block::Reduction>(i.detail >> ReductionShift),
                  predicate, i.d);
}

void runWarpBarrier(Thread &t, const Instruction &i) {
  t.block->join(t, static_cast<uint32_t>(t.r[i.e]));
}
void synchronize(Block &block, unsigned warp, uint32_t members,
                 const Instruction &) {
  block.synchronize(warp, members);
}

void decodeBarrier(Decoder &decoder, const Statement &s, Modifiers &m) {
  if (m.take("warp")) {
    decoder.expectOperands(s, 1, 1);
    m.take("sync");
    uint32_t e = decoder.use(s.operands[0], Type::B32);
    Instruction &result = decoder.emit(s, runWarpBarrier);
    result.e = e;
    result.collective = synchronize;
    decoder.keepAllReads();
    return;
  }
  m.take("cta");
  auto action = m.oneOf({"sync", "arrive", "red"});
  if (!action)
    decoder.fail("unknown barrier");
  // `bar` is `barrier.aligned`.
  bool aligned = m.take("aligned") || s.opcode == "bar";
  uint16_t detail = (*action == 1 ? 0 : Waits) | (aligned ? Aligned : 0);
  size_t first = 0, last = s.operands.size();
  uint32_t d = 0, c = decoder.constant(0);
  if (*action == 2) {
    auto reduction = m.oneOf({"popc", "and", "or"});
    Type type = m.type();
    if (!reduction || type != (*reduction ? Type::Pred : Type::U32))
      decoder.fail("unknown barrier reduction");
    decoder.expectOperands(s, 3, 4);
    detail |= (*reduction + 1) << ReductionShift;
    first = 1;
    --last;
    if (s.operands[last].negated)
      detail |= NegatePredicate;
    c = decoder.use(s.operands[last], Type::Pred);
    d = decoder.define(s.operands[0]);
  } else {
    decoder.expectOperands(s, 1, 2);
  }
  if (*action == 1 && last != 2)
    decoder.fail("an arrival needs a count");
  uint32_t a = decoder.use(s.operands[first], Type::U32);
  const bool isOfPart = first + 1 < last;
  if (isOfPart)
    decoder.keepAllReads();
  uint32_t b = isOfPart ? decoder.use(s.operands[first + 1], Type::U32)
                        : decoder.constant(0);
  Instruction &result = decoder.emit(s, run);
  result.a = a;
  result.b = b;
  result.c = c;
  result.d = d;
  result.detail = detail;
}

} // namespace

void addBarriers(OpcodeTable &table) {
  table["bar"] = table["barrier"] = decodeBarrier;
}

} // namespace smex::ptx
