#ifndef SMEX_TEST_EMULATED_PTX_OPERATIONS_H
#define SMEX_TEST_EMULATED_PTX_OPERATIONS_H

#include "test/emulated/ptx/Decoder.h"
#include "test/emulated/ptx/Thread.h"

#include <type_traits>

namespace smex::ptx {

/// A register's value as a C++ value, and back. Integers narrower than a cell
/// leave zeros above them.
template <class T> T valueOf(uint64_t cell) {
  if constexpr (std::is_same_v<T, float>)
    return floatOf(cell);
  else if constexpr (std::is_same_v<T, double>)
    return doubleOf(cell);
  else
    return static_cast<T>(cell);
}
template <class T> uint64_t toCell(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return cellOf(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

enum class Operation {
  Add,
  Sub,
  Mul,
  MulHi,
  MulWide,
  Fma,
  MadHi,
  MadWide,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Sqrt,
  Rcp,
  Sad,
  Copysign,
};

/// Modifiers of floating-point operations, in Instruction::detail.
enum FloatDetail : uint16_t {
  RoundingBits = 7, // a Rounding
  FlushBit = 8,     // .ftz
  SaturateBit = 16, // .sat: to [0, 1], NaN to 0
  NaNBit = 32,      // .NaN of min and max
  ReluBit = 64,     // .relu: negative to 0, NaN to the canonical NaN
};

// Of types that have the operation, as forms() has it.
Handler integerOperation(Operation operation, Type type, bool saturate);
Handler floatOperation(Operation operation, Type type, bool isPlain);
Handler halfOperation(Operation operation, Type type);

/// add, sub, addc and subc with .cc or a carry that comes in.
void decodeCarry(Decoder &decoder, const Statement &statement,
                 Modifiers &modifiers, bool subtracts, bool usesCarry);

} // namespace smex::ptx

#endif
