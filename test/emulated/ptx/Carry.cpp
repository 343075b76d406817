// Additions and subtractions that set and use the carry, for wide integers.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

enum { UsesCarry = 1, SetsCarry = 2 };

template <class T, bool subtracts> void run(Thread &t, const Instruction &i) {
  using W = unsigned __int128;
  T a = valueOf<T>(t.r[i.a]), b = valueOf<T>(t.r[i.b]);
  W operand = W(b) + ((i.detail & UsesCarry) ? t.carry : 0);
  W result = subtracts ? W(a) - operand : W(a) + operand;
  if (i.detail & SetsCarry)
    t.carry = result >> (8 * sizeof(T)) & 1;
  t.r[i.d] = static_cast<T>(result);
}

} // namespace

void decodeCarry(Decoder &decoder, const Statement &s, Modifiers &m,
                 bool subtracts, bool usesCarry) {
  decoder.expectOperands(s, 3, 3);
  uint16_t detail = usesCarry ? UsesCarry : 0;
  if (m.take("cc"))
    detail |= SetsCarry;
  Type type = m.type();
  Handler handler = nullptr;
  if (!isFloat(type) && bytesOf(type) == 4)
    handler = subtracts ? run<uint32_t, true> : run<uint32_t, false>;
  if (!isFloat(type) && bytesOf(type) == 8)
    handler = subtracts ? run<uint64_t, true> : run<uint64_t, false>;
  decoder.emitOperation(s, type, handler).detail = detail;
}

void addCarry(OpcodeTable &table) {
  table["addc"] = [](Decoder &d, const Statement &s, Modifiers &m) {
    decodeCarry(d, s, m, false, true);
  };
  table["subc"] = [](Decoder &d, const Statement &s, Modifiers &m) {
    decodeCarry(d, s, m, true, true);
  };
}

} // namespace smex::ptx
