// Decodes arithmetic, whose opcodes integers and floats share.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

void decodeInteger(Decoder &decoder, const Statement &s, Modifiers &m,
                   Operation operation, Type type) {
  bool saturate = m.take("sat");
  bool wide = false;
  if (operation == Operation::Mul || operation == Operation::Fma) {
    const unsigned half = m.oneOf({"lo", "hi", "wide"}).value();
    bool isMul = operation == Operation::Mul;
    wide = half == 2;
    if (half == 1)
      operation = isMul ? Operation::MulHi : Operation::MadHi;
    if (wide)
      operation = isMul ? Operation::MulWide : Operation::MadWide;
  }
  Handler run = integerOperation(operation, type, saturate);
  if (operation != Operation::MadWide) {
    decoder.emitOperation(s, type, run);
    return;
  }
  Type addend = bytesOf(type) == 2 ? Type::B32 : Type::B64;
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], type);
  uint32_t c = decoder.use(s.operands[3], addend);
  uint32_t d = decoder.define(s.operands[0]);
  Instruction &result = decoder.emit(s, run);
  result.d = d;
  result.a = a;
  result.b = b;
  result.c = c;
}

template <Operation operation, unsigned sources>
void decodeArithmetic(Decoder &decoder, const Statement &s, Modifiers &m) {
  bool addsOrSubtracts =
      operation == Operation::Add || operation == Operation::Sub;
  if (addsOrSubtracts && !s.modifiers.empty() && s.modifiers[0] == "cc")
    return decodeCarry(decoder, s, m, operation == Operation::Sub, false);
  decoder.expectOperands(s, sources + 1, sources + 1);
  Type type = m.type();
  if (!isFloat(type))
    return decodeInteger(decoder, s, m, operation, type);
  uint16_t detail = 0;
  // .approx and .full allow an error; here they have none but the rounding.
  m.take("approx") || m.take("full");
  detail |= static_cast<uint16_t>(m.rounding());
  if (m.take("ftz"))
    detail |= FlushBit;
  if (m.take("sat"))
    detail |= SaturateBit;
  if (m.take("NaN"))
    detail |= NaNBit;
  if (m.take("relu"))
    detail |= ReluBit;
  m.take("noftz");
  Handler run = isHalf(type) ? halfOperation(operation, type)
                             : floatOperation(operation, type, detail == 0);
  decoder.emitOperation(s, type, run).detail = detail;
}

} // namespace

void addArithmetic(OpcodeTable &table) {
  table["add"] = decodeArithmetic<Operation::Add, 2>;
  table["sub"] = decodeArithmetic<Operation::Sub, 2>;
  table["mul"] = decodeArithmetic<Operation::Mul, 2>;
  table["mad"] = decodeArithmetic<Operation::Fma, 3>;
  table["fma"] = decodeArithmetic<Operation::Fma, 3>;
  table["div"] = decodeArithmetic<Operation::Div, 2>;
  table["rem"] = decodeArithmetic<Operation::Rem, 2>;
  table["abs"] = decodeArithmetic<Operation::Abs, 1>;
  table["neg"] = decodeArithmetic<Operation::Neg, 1>;
  table["min"] = decodeArithmetic<Operation::Min, 2>;
  table["max"] = decodeArithmetic<Operation::Max, 2>;
  table["sqrt"] = decodeArithmetic<Operation::Sqrt, 1>;
  table["rcp"] = decodeArithmetic<Operation::Rcp, 1>;
  table["sad"] = decodeArithmetic<Operation::Sad, 3>;
  table["copysign"] = decodeArithmetic<Operation::Copysign, 2>;
}

} // namespace smex::ptx
