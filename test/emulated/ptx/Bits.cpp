// Logic, shifts, and what looks at single bits.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

struct And {
  static uint64_t apply(uint64_t a, uint64_t b) { return a & b; }
};
struct Or {
  static uint64_t apply(uint64_t a, uint64_t b) { return a | b; }
};
struct Xor {
  static uint64_t apply(uint64_t a, uint64_t b) { return a ^ b; }
};

/// i.offset masks the type's bits; i.detail inverts predicates (!%p1).
template <class Op> void runLogic(Thread &t, const Instruction &i) {
  t.r[i.d] = Op::apply(t.r[i.a] ^ (i.detail & 1), t.r[i.b] ^ (i.detail >> 1)) &
             static_cast<uint64_t>(i.offset);
}
void runNot(Thread &t, const Instruction &i) {
  t.r[i.d] = ~t.r[i.a] & static_cast<uint64_t>(i.offset);
}
void runCnot(Thread &t, const Instruction &i) { t.r[i.d] = t.r[i.a] == 0; }

int64_t maskOf(Type type) {
  return type == Type::Pred   ? 1
         : bytesOf(type) == 8 ? -1
                              : (int64_t(1) << (8 * bytesOf(type))) - 1;
}

template <class Op>
void decodeLogic(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 3, 3);
  Type type = m.type();
  Instruction &result = decoder.emitOperation(s, type, runLogic<Op>);
  result.offset = maskOf(type);
  result.detail = s.operands[1].negated | s.operands[2].negated << 1;
}
template <Handler run>
void decodeUnary(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  Type type = m.type();
  decoder.emitOperation(s, type, run).offset = maskOf(type);
}

/// "Shift amounts greater than the register width N are clamped to N."
template <class T> void runShl(Thread &t, const Instruction &i) {
  auto amount = static_cast<uint32_t>(t.r[i.b]);
  t.r[i.d] =
      amount >= 8 * sizeof(T) ? 0 : toCell<T>(valueOf<T>(t.r[i.a]) << amount);
}
template <class T> void runShr(Thread &t, const Instruction &i) {
  auto amount = static_cast<uint32_t>(t.r[i.b]);
  T value = valueOf<T>(t.r[i.a]);
  if (amount >= 8 * sizeof(T))
    value = value < 0 ? T(-1) : T(0);
  else
    value >>= amount;
  t.r[i.d] = toCell<T>(value);
}

void decodeShift(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 3, 3);
  Type type = m.type();
  bool left = s.opcode == "shl";
  Handler run = nullptr;
  switch (bytesOf(type)) {
  case 2:
    run = left             ? runShl<uint16_t>
          : isSigned(type) ? runShr<int16_t>
                           : runShr<uint16_t>;
    break;
  case 4:
    run = left             ? runShl<uint32_t>
          : isSigned(type) ? runShr<int32_t>
                           : runShr<uint32_t>;
    break;
  default:
    run = left             ? runShl<uint64_t>
          : isSigned(type) ? runShr<int64_t>
                           : runShr<uint64_t>;
  }
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], Type::U32);
  uint32_t d = decoder.define(s.operands[0]);
  Instruction &result = decoder.emit(s, run);
  result.d = d;
  result.a = a;
  result.b = b;
}

/// The upper (shf.l) or lower (shf.r) word of b:a, shifted.
template <bool left, bool wrap>
void runFunnel(Thread &t, const Instruction &i) {
  auto amount = static_cast<uint32_t>(t.r[i.c]);
  amount = wrap ? amount & 31 : std::min(amount, 32u);
  uint64_t both = (t.r[i.b] << 32) | (t.r[i.a] & 0xffffffff);
  if (left)
    t.r[i.d] = amount == 32 ? both & 0xffffffff : both << amount >> 32;
  else
    t.r[i.d] = both >> amount & 0xffffffff;
}
void decodeFunnel(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 4, 4);
  bool left = m.oneOf({"l", "r"}).value_or(0) == 0;
  auto mode = m.oneOf({"clamp", "wrap"});
  if (!mode || m.type() != Type::B32)
    decoder.fail("expected shf.{l,r}.{clamp,wrap}.b32");
  Handler run =
      left ? (*mode ? runFunnel<true, true> : runFunnel<true, false>)
           : (*mode ? runFunnel<false, true> : runFunnel<false, false>);
  decoder.emitOperation(s, Type::B32, run);
}

void runPopc(Thread &t, const Instruction &i) {
  t.r[i.d] = __builtin_popcountll(t.r[i.a]);
}
template <int bits> void runClz(Thread &t, const Instruction &i) {
  uint64_t value = t.r[i.a] & (~uint64_t(0) >> (64 - bits));
  t.r[i.d] = value ? __builtin_clzll(value) - (64 - bits) : bits;
}
template <int bits> void runBrev(Thread &t, const Instruction &i) {
  uint64_t value = t.r[i.a], result = 0;
  for (int bit = 0; bit < bits; ++bit)
    result |= (value >> bit & 1) << (bits - 1 - bit);
  t.r[i.d] = result;
}
/// The place of the most significant bit that is not the sign; -1 for none.
template <class T, bool amount> void runFind(Thread &t, const Instruction &i) {
  using U = std::make_unsigned_t<T>;
  T value = valueOf<T>(t.r[i.a]);
  U bits = static_cast<U>(value < 0 ? ~value : value);
  if (!bits) {
    t.r[i.d] = 0xffffffff;
    return;
  }
  int place = 63 - __builtin_clzll(bits);
  t.r[i.d] = amount ? 8 * sizeof(T) - 1 - place : place;
}

template <Handler narrow, Handler wide>
void decodeSearch(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  Type type = m.type();
  decoder.emitOperation(s, type, bytesOf(type) == 4 ? narrow : wide);
}
void decodeFind(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  bool amount = m.take("shiftamt");
  Type type = m.type();
  Handler run = amount ? runFind<int64_t, true> : runFind<int64_t, false>;
  if (type == Type::U32)
    run = amount ? runFind<uint32_t, true> : runFind<uint32_t, false>;
  else if (type == Type::S32)
    run = amount ? runFind<int32_t, true> : runFind<int32_t, false>;
  else if (type == Type::U64)
    run = amount ? runFind<uint64_t, true> : runFind<uint64_t, false>;
  decoder.emitOperation(s, type, run);
}

/// Bits [position, position + length) of a, the field's sign in front.
template <class T> void runExtract(Thread &t, const Instruction &i) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned width = 8 * sizeof(T);
  unsigned position = t.r[i.b] & 0xff, length = t.r[i.c] & 0xff;
  U value = valueOf<U>(t.r[i.a]);
  U sign = 0;
  if (std::is_signed_v<T> && length) {
    unsigned place = std::min(position + length - 1, width - 1);
    sign = value >> place & 1;
  }
  U field = position < width ? value >> position : 0;
  // The bits of the field that lie past the register are the sign, too.
  unsigned real = position < width ? std::min(length, width - position) : 0;
  U mask = real >= width ? ~U(0) : (U(1) << real) - 1;
  t.r[i.d] = toCell<U>((field & mask) | (sign ? ~mask : U(0)));
}
template <class U> void runInsert(Thread &t, const Instruction &i) {
  constexpr unsigned width = 8 * sizeof(U);
  unsigned position = t.r[i.c] & 0xff, length = t.r[i.e] & 0xff;
  U a = valueOf<U>(t.r[i.a]), b = valueOf<U>(t.r[i.b]);
  if (position < width) {
    U mask = (length >= width ? ~U(0) : (U(1) << length) - 1) << position;
    b = (b & ~mask) | ((a << position) & mask);
  }
  t.r[i.d] = toCell<U>(b);
}
void decodeExtract(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 4, 4);
  Type type = m.type();
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], Type::U32);
  uint32_t c = decoder.use(s.operands[3], Type::U32);
  uint32_t d = decoder.define(s.operands[0]);
  Handler run = type == Type::U32   ? runExtract<uint32_t>
                : type == Type::S32 ? runExtract<int32_t>
                : type == Type::U64 ? runExtract<uint64_t>
                                    : runExtract<int64_t>;
  Instruction &result = decoder.emit(s, run);
  result.d = d;
  result.a = a;
  result.b = b;
  result.c = c;
}
void decodeInsert(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 5, 5);
  Type type = m.type();
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], type);
  uint32_t c = decoder.use(s.operands[3], Type::U32);
  uint32_t e = decoder.use(s.operands[4], Type::U32);
  uint32_t d = decoder.define(s.operands[0]);
  if (bytesOf(type) < 4)
    decoder.fail("no bfi of this type");
  Instruction &result = decoder.emit(
      s, bytesOf(type) == 4 ? runInsert<uint32_t> : runInsert<uint64_t>);
  result.d = d;
  result.a = a;
  result.b = b;
  result.c = c;
  result.e = e;
}

/// Four bytes out of the eight of b:a; bit 3 of a selector spreads the sign.
void runPermute(Thread &t, const Instruction &i) {
  uint64_t both = (t.r[i.b] << 32) | (t.r[i.a] & 0xffffffff);
  auto control = static_cast<uint32_t>(t.r[i.c]);
  unsigned at = control & 3;
  // Selectors of the modes, from the least significant byte on.
  unsigned selectors[4];
  for (unsigned k = 0; k < 4; ++k)
    switch (i.detail) {
    case 1: // f4e
      selectors[k] = at + k;
      break;
    case 2: // b4e
      selectors[k] = (at + 8 - k) & 7;
      break;
    case 3: // rc8
      selectors[k] = at;
      break;
    case 4: // ecl
      selectors[k] = std::max(at, k);
      break;
    case 5: // ecr
      selectors[k] = std::min(at, k);
      break;
    case 6: // rc16
      selectors[k] = (at & 1) * 2 + (k & 1);
      break;
    default:
      selectors[k] = control >> (4 * k) & 15;
    }
  uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    uint32_t byte = both >> (8 * (selectors[k] & 7)) & 0xff;
    if (selectors[k] & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * k);
  }
  t.r[i.d] = result;
}
void decodePermute(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 4, 4);
  if (m.type() != Type::B32)
    decoder.fail("prmt is of type .b32");
  auto mode = m.oneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decoder.emitOperation(s, Type::B32, runPermute).detail = mode ? *mode + 1 : 0;
}

/// Any function of three bits: the table's bit a*4 + b*2 + c.
void runLop3(Thread &t, const Instruction &i) {
  auto a = static_cast<uint32_t>(t.r[i.a]), b = static_cast<uint32_t>(t.r[i.b]),
       c = static_cast<uint32_t>(t.r[i.c]);
  uint32_t result = 0;
  for (unsigned k = 0; k < 8; ++k)
    if (i.detail >> k & 1)
      result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  t.r[i.d] = result;
}
void decodeLop3(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 5, 5);
  if (m.type() != Type::B32 || s.operands[4].kind != Operand::Integer)
    decoder.fail("expected lop3.b32 with a constant table");
  decoder.emitOperation(s, Type::B32, runLop3).detail = s.operands[4].bits;
}

} // namespace

void addBits(OpcodeTable &table) {
  table["and"] = decodeLogic<And>;
  table["or"] = decodeLogic<Or>;
  table["xor"] = decodeLogic<Xor>;
  table["not"] = decodeUnary<runNot>;
  table["cnot"] = decodeUnary<runCnot>;
  table["shl"] = table["shr"] = decodeShift;
  table["shf"] = decodeFunnel;
  table["popc"] = decodeSearch<runPopc, runPopc>;
  table["clz"] = decodeSearch<runClz<32>, runClz<64>>;
  table["brev"] = decodeSearch<runBrev<32>, runBrev<64>>;
  table["bfind"] = decodeFind;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["prmt"] = decodePermute;
  table["lop3"] = decodeLop3;
}

} // namespace smex::ptx
