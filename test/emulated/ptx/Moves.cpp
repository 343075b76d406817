// mov, and conversions of addresses.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

void runMove(Thread &t, const Instruction &i) { t.r[i.d] = t.r[i.a]; }

/// {a, b, ...} to one register: the first is the least significant part.
void runPack(Thread &t, const Instruction &i) {
  const uint32_t *cells = &t.function().lists[i.list];
  uint64_t result = 0;
  for (unsigned k = 0; k < i.count; ++k)
    result |= (t.r[cells[k]] & static_cast<uint64_t>(i.offset))
              << (k * i.detail);
  t.r[i.d] = result;
}

void runUnpack(Thread &t, const Instruction &i) {
  const uint32_t *cells = &t.function().lists[i.list];
  uint64_t value = t.r[i.a];
  for (unsigned k = 0; k < i.count; ++k)
    t.r[cells[k]] = value >> (k * i.detail) & static_cast<uint64_t>(i.offset);
}

void decodeMove(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  Type type = m.type();
  const Operand &to = s.operands[0], &from = s.operands[1];
  const Operand *parts = from.kind == Operand::Vector ? &from
                         : to.kind == Operand::Vector ? &to
                                                      : nullptr;
  if (!parts) {
    uint32_t a = decoder.use(from, type);
    uint32_t d = decoder.define(to);
    Instruction &result = decoder.emit(s, runMove);
    result.d = d;
    result.a = a;
    result.flags |= Propagates;
    return;
  }
  unsigned count = parts->list.size();
  if ((count != 2 && count != 4) || bytesOf(type) % count)
    decoder.fail("a register is made of two or four others");
  unsigned bits = 8 * bytesOf(type) / count;
  Type partType = bits == 8 ? Type::B8 : bits == 16 ? Type::B16 : Type::B32;
  std::vector<uint32_t> cells;
  bool packs = parts == &from;
  for (const Operand &each : parts->list)
    cells.push_back(packs ? decoder.use(each, partType) : decoder.define(each));
  uint32_t other = packs ? decoder.define(to) : decoder.use(from, type);
  uint32_t list = decoder.list(cells);
  Instruction &result = decoder.emit(s, packs ? runPack : runUnpack);
  (packs ? result.d : result.a) = other;
  result.list = list;
  result.count = count;
  result.detail = bits;
  result.offset = (int64_t(1) << bits) - 1;
  result.flags |= packs ? PropagatesAny : Propagates;
}

// i.offset holds the window; a zero window is that of global memory.
void runToGeneric(Thread &t, const Instruction &i) {
  t.r[i.d] = i.offset ? (t.r[i.a] & 0xffffffff) | i.offset : t.r[i.a];
}
void runFromGeneric(Thread &t, const Instruction &i) {
  uint64_t address = t.r[i.a];
  if (i.offset && (address & windowMask) == static_cast<uint64_t>(i.offset))
    address &= 0xffffffff;
  t.r[i.d] = address;
}
void runIsSpace(Thread &t, const Instruction &i) {
  t.r[i.d] = (t.r[i.a] & windowMask) == static_cast<uint64_t>(i.offset);
}

int64_t windowOf(Space space) {
  return space == Space::Global || space == Space::Const
             ? 0
             : static_cast<int64_t>(Thread::generic(space, 0));
}

void decodeAddress(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  bool to = m.take("to");
  Space space = m.space();
  Type type = m.type();
  if (space == Space::Generic || bytesOf(type) != 8)
    decoder.fail("expected cvta of a state space, and .u64");
  Instruction &result =
      decoder.emitOperation(s, type, to ? runFromGeneric : runToGeneric);
  result.offset = windowOf(space);
  result.flags |= Propagates;
}

void decodeIsSpace(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  Space space = m.space();
  decoder.emitOperation(s, Type::B64, runIsSpace).offset = windowOf(space);
}

} // namespace

void addMoves(OpcodeTable &table) {
  table["mov"] = decodeMove;
  table["cvta"] = decodeAddress;
  table["isspacep"] = decodeIsSpace;
}

} // namespace smex::ptx
