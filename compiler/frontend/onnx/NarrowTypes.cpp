#include "compiler/frontend/onnx/NarrowTypes.h"

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::frontend;

static constexpr NarrowType types[] = {
    {17, "float8e4m3fn", 8, DType::U8, 3, 7, 126, 127, 127},
    {18, "float8e4m3fnuz", 8, DType::U8, 3, 8, 127, 128, 128},
    {19, "float8e5m2", 8, DType::U8, 2, 15, 123, 124, 126},
    {20, "float8e5m2fnuz", 8, DType::U8, 2, 16, 127, 128, 128},
    {21, "uint4", 4, DType::U8},
    {22, "int4", 4, DType::I8},
    // It has neither infinities nor NaN, which becomes -0.
    {23, "float4e2m1", 4, DType::U8, 1, 1, 7, 7, 8},
    {24, "float8e8m0", 8, DType::U8, 0, 127, 254, 255, 255},
    {25, "uint2", 2, DType::U8},
    {26, "int2", 2, DType::I8},
};

const NarrowType *smex::frontend::narrowType(int onnxType) {
  for (const NarrowType &type : types)
    if (type.number == onnxType)
      return &type;
  return nullptr;
}

double smex::frontend::numberOf(const NarrowType &type, int code) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  code &= (1 << type.bits) - 1;
  if (type.isPower())
    return code > type.most ? none : std::ldexp(1.0, code - type.bias);
  const int signBit = 1 << (type.bits - 1);
  const int size = code & (signBit - 1);
  const double sign = code & signBit ? -1 : 1;
  if (!type.hasNegativeZero() && code == signBit)
    return none;
  if (size > type.most)
    return size == type.beyond && type.beyond != type.nan
               ? sign * std::numeric_limits<double>::infinity()
               : none;
  const int exponent = size >> type.fraction;
  const int part = size & ((1 << type.fraction) - 1);
  // Numbers of the lowest exponent have no leading one.
  return exponent == 0
             ? sign * std::ldexp(part, 1 - type.bias - type.fraction)
             : sign * std::ldexp(part + (1 << type.fraction),
                                 exponent - type.bias - type.fraction);
}
