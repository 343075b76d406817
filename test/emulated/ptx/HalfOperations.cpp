// f16 and bf16, alone and in pairs: computed in double, rounded once.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

double exact(Operation operation, double a, double b, double c) {
  switch (operation) {
  case Operation::Add:
    return oddAdd(a, b);
  case Operation::Sub:
    return oddAdd(a, -b);
  case Operation::Mul:
    return a * b;
  case Operation::Fma:
    return oddFma(a, b, c);
  default:
    return NAN;
  }
}

double extremum(double a, double b, bool isMax, bool passesNaN) {
  if (a != a || b != b)
    return passesNaN ? NAN : a != a ? b : a;
  if (a == b)
    return std::signbit(a) == isMax ? b : a;
  return (a < b) == isMax ? b : a;
}

template <Operation operation, bool isBrain>
uint32_t lane(uint32_t aBits, uint32_t bBits, uint32_t cBits, uint16_t detail) {
  if (operation == Operation::Neg)
    return (aBits ^ 0x8000) & 0xffff;
  if (operation == Operation::Abs)
    return aBits & 0x7fff;
  constexpr Format format = isBrain ? formatBF16 : formatF16;
  auto load = [&](uint32_t bits) {
    bool subnormal = (bits & 0x7fff) < (1u << format.mantissaBits);
    if (subnormal && (detail & FlushBit))
      bits &= 0x8000;
    return decode(bits & 0xffff, format);
  };
  double a = load(aBits), b = load(bBits), c = load(cBits), value;
  if (operation == Operation::Min || operation == Operation::Max)
    value = extremum(a, b, operation == Operation::Max, detail & NaNBit);
  else
    value = exact(operation, a, b, c);
  if ((detail & SaturateBit) && !(value > 0))
    value = 0;
  if ((detail & SaturateBit) && value > 1)
    value = 1;
  if ((detail & ReluBit) && value < 0)
    value = 0;
  uint32_t bits =
      encode(value, format, static_cast<Rounding>(detail & RoundingBits));
  if ((detail & FlushBit) && (bits & 0x7fff) < (1u << format.mantissaBits))
    bits &= 0x8000;
  if ((detail & ReluBit) && bits == 0x8000)
    bits = 0;
  return bits;
}

template <Operation operation, bool isBrain, bool isPair>
void run(Thread &t, const Instruction &i) {
  auto a = static_cast<uint32_t>(t.r[i.a]), b = static_cast<uint32_t>(t.r[i.b]),
       c = static_cast<uint32_t>(t.r[i.c]);
  uint32_t result =
      lane<operation, isBrain>(a & 0xffff, b & 0xffff, c & 0xffff, i.detail);
  if (isPair)
    result |= lane<operation, isBrain>(a >> 16, b >> 16, c >> 16, i.detail)
              << 16;
  t.r[i.d] = result;
}

template <Operation operation> Handler forType(Type type) {
  switch (type) {
  case Type::F16:
    return run<operation, false, false>;
  case Type::F16x2:
    return run<operation, false, true>;
  case Type::BF16:
    return run<operation, true, false>;
  case Type::BF16x2:
    return run<operation, true, true>;
  default:
    return nullptr;
  }
}

} // namespace

Handler halfOperation(Operation operation, Type type) {
  switch (operation) {
  case Operation::Add:
    return forType<Operation::Add>(type);
  case Operation::Sub:
    return forType<Operation::Sub>(type);
  case Operation::Mul:
    return forType<Operation::Mul>(type);
  case Operation::Fma:
    return forType<Operation::Fma>(type);
  case Operation::Min:
    return forType<Operation::Min>(type);
  case Operation::Max:
    return forType<Operation::Max>(type);
  case Operation::Abs:
    return forType<Operation::Abs>(type);
  case Operation::Neg:
    return forType<Operation::Neg>(type);
  default:
    return nullptr;
  }
}

} // namespace smex::ptx
