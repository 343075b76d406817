// cvt. In an instruction `c` is the source's type and `e` the result's; the
// offset masks the bits that a signed result fills of its register.
#include "test/emulated/ptx/Operations.h"

#include <algorithm>
#include <limits>

namespace smex::ptx {
namespace {

enum ConvertDetail : uint16_t {
  IntegerRounding = 128, // .rni and the like, instead of .rn
};

bool isNarrowFloat(Type type) {
  return type == Type::F16 || type == Type::BF16;
}
Format formatOf(Type type) {
  return type == Type::F16    ? formatF16
         : type == Type::BF16 ? formatBF16
         : type == Type::TF32 ? formatTF32
                              : formatF32;
}

double loadFloat(uint64_t cell, Type type) {
  if (type == Type::F64)
    return doubleOf(cell);
  if (isNarrowFloat(type))
    return decode(cell & 0xffff, formatOf(type));
  return floatOf(cell);
}

uint64_t storeFloat(double value, Type type, Rounding rounding) {
  if (type == Type::F64)
    return value == value ? cellOf(value) : canonicalNaN64;
  if (type == Type::TF32)
    return encode(value, formatTF32, rounding) << 13;
  return encode(value, formatOf(type), rounding);
}

double flushSubnormal(double value) {
  return std::fabs(value) < std::ldexp(1.0, -126) ? std::copysign(0.0, value)
                                                  : value;
}

double toInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value); // to even: the host's default
  }
}

/// A value of an integer type: sign or zero extended to 64 bits.
uint64_t extend(uint64_t cell, Type type) {
  unsigned shift = 64 - 8 * bytesOf(type);
  return isSigned(type) ? static_cast<uint64_t>(
                              static_cast<int64_t>(cell << shift) >> shift)
                        : cell << shift >> shift;
}

/// Clamps to the range of an integer type (.sat, and all floats).
uint64_t clampInteger(uint64_t value, bool fromSigned, Type to) {
  unsigned bits = 8 * bytesOf(to);
  if (isSigned(to)) {
    int64_t top = std::numeric_limits<int64_t>::max() >> (64 - bits);
    if (!fromSigned && value > static_cast<uint64_t>(top))
      return top;
    return std::clamp<int64_t>(value, -top - 1, top);
  }
  uint64_t top = ~uint64_t(0) >> (64 - bits);
  if (fromSigned && static_cast<int64_t>(value) < 0)
    return 0;
  return std::min(value, top);
}

/// Values out of range are clamped. "NaN input results in .. Zero if source is
/// not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dst) -
/// 1)" (PTX ISA 9.0, cvt).
uint64_t clampFloat(double value, Type from, Type to) {
  int bits = 8 * bytesOf(to);
  if (value != value)
    return from == Type::F64 || bits == 64 ? uint64_t(1) << (bits - 1) : 0;
  if (isSigned(to)) {
    double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    if (value < -limit)
      return static_cast<uint64_t>(-1) << (bits - 1);
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  if (value <= 0)
    return 0;
  if (value >= std::ldexp(1.0, bits))
    return ~uint64_t(0) >> (64 - bits);
  return static_cast<uint64_t>(value);
}

double saturate(double value) { return value > 0 ? std::min(value, 1.0) : 0.0; }

uint64_t integerToFloat(uint64_t bits, Type from, Type to, Rounding rounding) {
  bool negative = isSigned(from) && static_cast<int64_t>(bits) < 0;
  uint64_t magnitude = negative ? -bits : bits;
  if (to != Type::F64)
    return storeFloat(oddInteger(magnitude, negative), to, rounding);
  volatile uint64_t unsignedValue = bits;
  volatile int64_t signedValue = static_cast<int64_t>(bits);
  return cellOf(underRounding(rounding, [&]() -> double {
    return isSigned(from) ? static_cast<double>(signedValue)
                          : static_cast<double>(unsignedValue);
  }));
}

uint64_t convert(uint64_t cell, Type from, Type to, uint16_t detail) {
  const auto rounding = static_cast<Rounding>(detail & RoundingBits);
  const bool saturates = detail & SaturateBit;
  if (!isFloat(from)) {
    uint64_t value = extend(cell, from);
    if (isFloat(to)) {
      uint64_t result = integerToFloat(value, from, to, rounding);
      return saturates ? storeFloat(saturate(loadFloat(result, to)), to,
                                    Rounding::Nearest)
                       : result;
    }
    if (saturates)
      value = clampInteger(value, isSigned(from), to);
    return extend(value, to);
  }
  double value = loadFloat(cell, from);
  if ((detail & FlushBit) && from == Type::F32)
    value = flushSubnormal(value);
  if (!isFloat(to))
    return extend(clampFloat(toInteger(value, rounding), from, to), to);
  if (detail & IntegerRounding) {
    value = toInteger(value, rounding);
    return storeFloat(saturates ? saturate(value) : value, to,
                      Rounding::Nearest);
  }
  if ((detail & ReluBit) && !(value > 0) && value == value)
    value = 0;
  // To f64 nothing is rounded, and saturation rounds nothing either.
  if (saturates)
    value = saturate(value);
  uint64_t result = storeFloat(value, to, rounding);
  if ((detail & FlushBit) && to == Type::F32)
    result = cellOf(flush(floatOf(result)));
  return result;
}

void runConvert(Thread &t, const Instruction &i) {
  t.r[i.d] = convert(t.r[i.a], static_cast<Type>(i.c), static_cast<Type>(i.e),
                     i.detail) &
             static_cast<uint64_t>(i.offset);
}

/// Two values to a pair: the first source is the upper half.
void runConvertPair(Thread &t, const Instruction &i) {
  const Type to = static_cast<Type>(i.e);
  t.r[i.d] = convert(t.r[i.a], Type::F32, to, i.detail) << 16 |
             convert(t.r[i.b], Type::F32, to, i.detail);
}

// Integers without .sat, which index arithmetic is full of.
template <class T> void runExtend(Thread &t, const Instruction &i) {
  t.r[i.d] = static_cast<uint64_t>(static_cast<int64_t>(valueOf<T>(t.r[i.a]))) &
             static_cast<uint64_t>(i.offset);
}

Handler extension(Type from, Type to) {
  // Through the narrower of both, with its sign where it is the source's.
  Type narrow = bytesOf(to) < bytesOf(from) ? to : from;
  bool sign = isSigned(bytesOf(to) < bytesOf(from) ? to : from);
  switch (bytesOf(narrow)) {
  case 1:
    return sign ? runExtend<int8_t> : runExtend<uint8_t>;
  case 2:
    return sign ? runExtend<int16_t> : runExtend<uint16_t>;
  case 4:
    return sign ? runExtend<int32_t> : runExtend<uint32_t>;
  default:
    return runExtend<uint64_t>;
  }
}

void decodeConvert(Decoder &decoder, const Statement &s, Modifiers &m) {
  uint16_t detail = 0;
  auto toInteger = m.oneOf({"rni", "rzi", "rmi", "rpi"});
  if (toInteger)
    detail = static_cast<uint16_t>(*toInteger) | IntegerRounding;
  else
    detail = static_cast<uint16_t>(m.rounding());
  if (m.take("ftz"))
    detail |= FlushBit;
  if (m.take("sat"))
    detail |= SaturateBit;
  if (m.take("relu"))
    detail |= ReluBit;
  Type to = m.type(), from = m.type();
  if (to == Type::F16x2 || to == Type::BF16x2) {
    decoder.expectOperands(s, 3, 3);
    Instruction &result = decoder.emitOperation(s, from, runConvertPair);
    result.e =
        static_cast<uint32_t>(to == Type::F16x2 ? Type::F16 : Type::BF16);
    result.detail = detail;
    return;
  }
  decoder.expectOperands(s, 2, 2);
  auto width = decoder.registerType(s.operands[0]);
  unsigned bytes = width ? bytesOf(*width) : bytesOf(to);
  if (bytes < bytesOf(to))
    decoder.fail("the result is wider than its register");
  bool plain = !isFloat(from) && !isFloat(to) && !(detail & SaturateBit);
  Instruction &result =
      decoder.emitOperation(s, from, plain ? extension(from, to) : runConvert);
  result.c = static_cast<uint32_t>(from);
  result.e = static_cast<uint32_t>(to);
  result.detail = detail;
  // A signed result's sign fills its register; any other's bits end with it.
  if (isFloat(to) || !isSigned(to))
    bytes = bytesOf(to);
  result.offset = bytes == 8 ? -1 : (int64_t(1) << (8 * bytes)) - 1;
}

} // namespace

void addConversions(OpcodeTable &table) { table["cvt"] = decodeConvert; }

} // namespace smex::ptx
