// Functions that a GPU approximates. Here they are as exact as the host's
// double functions, rounded once: a test that compares with a tolerance above
// the documented error sees no difference.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

double ex2(double x) { return std::exp2(x); }
double lg2(double x) { return std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tanH(double x) { return std::tanh(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }

using Function = double (*)(double);

template <Function f> void runFloat(Thread &t, const Instruction &i) {
  float x = floatOf(t.r[i.a]);
  if (i.detail & FlushBit)
    x = flush(x);
  float y = static_cast<float>(f(x));
  if (i.detail & FlushBit)
    y = flush(y);
  t.r[i.d] = resultOf(y);
}

template <Function f> void runDouble(Thread &t, const Instruction &i) {
  double y = f(doubleOf(t.r[i.a]));
  t.r[i.d] = y == y ? cellOf(y) : canonicalNaN64;
}

template <Function f, bool isBrain, bool isPair>
void runHalf(Thread &t, const Instruction &i) {
  constexpr Format format = isBrain ? formatBF16 : formatF16;
  auto bits = static_cast<uint32_t>(t.r[i.a]);
  auto lane = [&](uint32_t x) {
    return encode(f(decode(x, format)), format, Rounding::Nearest);
  };
  uint32_t result = lane(bits & 0xffff);
  if (isPair)
    result |= lane(bits >> 16) << 16;
  t.r[i.d] = result;
}

template <Function f, bool hasHalf, bool hasDouble>
void decodeFunction(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  m.take("approx");
  uint16_t detail = m.take("ftz") ? FlushBit : 0;
  Type type = m.type();
  Handler run = nullptr;
  if (type == Type::F32)
    run = runFloat<f>;
  else if (type == Type::F64 && hasDouble)
    run = runDouble<f>;
  else if (type == Type::F16 && hasHalf)
    run = runHalf<f, false, false>;
  else if (type == Type::F16x2 && hasHalf)
    run = runHalf<f, false, true>;
  else if (type == Type::BF16 && hasHalf)
    run = runHalf<f, true, false>;
  else if (type == Type::BF16x2 && hasHalf)
    run = runHalf<f, true, true>;
  decoder.emitOperation(s, type, run).detail = detail;
}

} // namespace

void addApproximations(OpcodeTable &table) {
  table["ex2"] = decodeFunction<ex2, true, false>;
  table["lg2"] = decodeFunction<lg2, false, false>;
  table["sin"] = decodeFunction<sine, false, false>;
  table["cos"] = decodeFunction<cosine, false, false>;
  table["tanh"] = decodeFunction<tanH, true, false>;
  table["rsqrt"] = decodeFunction<rsqrt, false, true>;
}

} // namespace smex::ptx
