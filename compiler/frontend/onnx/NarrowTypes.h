// Element types that are stored and not computed with: floats of 8 bits and
// less, integers of 4 and of 2. In a plan each element of them is a byte: of a
// float its bits, as u8; of an integer its value, as i8 or u8. Weights alone
// stay packed, as they are in the file. What the bits stand for is known here
// and in Narrow.cpp, and nowhere else.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_NARROWTYPES_H
#define SMEX_COMPILER_FRONTEND_ONNX_NARROWTYPES_H

#include "dialects/support/DType.h"

namespace smex::frontend {

struct NarrowType {
  int number;       // onnx::TensorProto::DataType
  const char *name; // ONNX's own spelling
  int bits;
  DType storage;
  /// Of a float: bits of the fraction, and what the exponent is larger by.
  int fraction = -1, bias = 0;
  /// Codes of a float: the largest number, what lies beyond it, and what is no
  /// number. `beyond` below 128 gets the sign of the number as well.
  int most = 0, beyond = 0, nan = 0;

  bool isFloat() const { return fraction >= 0; }
  /// float8e8m0: powers of two, without a sign.
  bool isPower() const { return fraction == 0; }
  bool hasNegativeZero() const { return !isPower() && nan != 128; }
  /// Elements in a byte of a packed tensor.
  int perByte() const { return 8 / bits; }
};

/// Null: the type is not one of these.
const NarrowType *narrowType(int onnxType);

/// The number that a code of a float type stands for; bits beyond the type's
/// are ignored.
double numberOf(const NarrowType &type, int code);

} // namespace smex::frontend

#endif
