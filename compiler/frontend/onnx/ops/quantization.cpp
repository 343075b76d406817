// Integers that stand for reals.
#include "compiler/frontend/onnx/Narrow.h"
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

/// One scale, one per element of an axis, or one per block of it.
static ValueId scaledBy(Node &n, const std::string &op, ValueId x, ValueId s,
                        ValueId z, tdl::Attributes attributes = {}) {
  const int64_t axis = n.integer("axis", 1);
  const int64_t block = n.integer("block_size", 0);
  if (elementCount(n.type(s).shape) == 1 && n.type(s).rank() <= 1)
    return n.apply(op, {x, n.reshape(s, {}), n.reshape(z, {})}, attributes);
  attributes["axis"] = n.axis(axis, n.type(x).rank());
  if (n.type(s).rank() == 1 && block == 0)
    return n.apply(op + "_axis", {x, s, z}, attributes);
  n.require(block > 0 && n.type(s).rank() == n.type(x).rank(),
            "its scale has the wrong shape");
  attributes["block"] = block;
  return n.apply(op + "_block", {x, s, z}, attributes);
}

static ValueId zeros(Node &n, const std::vector<int64_t> &shape, DType type) {
  return n.expand(n.addReals({0}, {}, type), shape);
}

static void convertQuantize(Node &n) {
  const Rounding rounding = roundingOf(n);
  const ElementType given = elementType(n, "output_dtype", {DType::U8});
  const ElementType to = n.has(2) ? operandType(n, 2) : given;
  // The division has the precision that is asked for, else the wider one of its
  // operands.
  const DType value = n.inType(0).dtype, scale = n.inType(1).dtype;
  const DType precision =
      n.optionalDtype("precision").value_or(value == scale ? value : DType::F32);
  n.require(isFloat(scale) && isFloat(precision), "its scale is no float");
  const ValueId x = n.cast(n.in(0), precision), s = n.cast(n.in(1), precision);
  if (to.narrow && to.narrow->isFloat()) {
    const ValueId z = n.has(2)
                          ? widen(n, storedOperand(n, 2), to, precision)
                          : zeros(n, n.shape(1), precision);
    const ValueId y = scaledBy(n, "quantize_real", x, s, z);
    return n.out(0, asType(n, castTo(n, y, to, rounding), to));
  }
  n.require(isInteger(to.dtype) && byteSize(to.dtype) <= 2,
            "its result must have 16 bits or less");
  const ValueId z =
      n.has(2) ? storedOperand(n, 2) : zeros(n, n.shape(1), to.dtype);
  ValueId y = scaledBy(n, "quantize", x, s, z);
  if (to.narrow) {
    // What saturates at the storage's range does so at the smaller one.
    const int64_t count = int64_t(1) << to.narrow->bits;
    const int64_t low = isSigned(to.dtype) ? -count / 2 : 0;
    y = n.apply("clip", {y}, {{"low", low}, {"high", low + count - 1}});
  }
  n.out(0, asType(n, y, to));
}

static void convertDequantize(Node &n) {
  const ElementType from = operandType(n, 0);
  const ValueId scale = n.in(1);
  const DType type = n.type(scale).dtype;
  const DType to = elementType(n, "output_dtype", {type}).dtype;
  n.require(isFloat(type) && isFloat(to), "its scale is no float");
  if (from.narrow && from.narrow->isFloat()) {
    const ValueId z = n.has(2) ? widen(n, storedOperand(n, 2), from, type)
                               : zeros(n, n.shape(1), type);
    const ValueId x = widen(n, storedOperand(n, 0), from, type);
    return n.out(0, n.cast(scaledBy(n, "dequantize_real", x, scale, z), to));
  }
  n.require(isInteger(from.dtype) && byteSize(from.dtype) <= 4,
            "its operand has the wrong type");
  const ValueId z =
      n.has(2) ? storedOperand(n, 2) : zeros(n, n.shape(1), from.dtype);
  n.out(0, scaledBy(n, "dequantize", storedOperand(n, 0), scale, z,
                    {{"to", to}}));
}

static void convertDynamicQuantize(Node &n) {
  const auto results = n.applyAll("quantize_dynamic", {n.in(0)});
  for (size_t i = 0; i < 3; ++i)
    n.out(i, results[i]);
}

/// The integers less their zero point, in 32 bits; `axis` where there are
/// several.
static ValueId unbias(Node &n, ValueId x, ValueId z, int64_t axis) {
  if (z == noValue)
    return n.cast(x, DType::I32);
  if (elementCount(n.type(z).shape) == 1)
    return n.apply("unbias_scalar", {x, n.reshape(z, {})});
  n.require(n.type(z).rank() == 1, "a zero point has the wrong shape");
  return n.apply("unbias_axis", {x, z}, {{"axis", axis}});
}

static ValueId operandOr(Node &n, size_t i) {
  return n.has(i) ? n.in(i) : noValue;
}

static void convertMatMulInteger(Node &n) {
  n.require(n.rank(0) >= 2 && n.rank(1) >= 2, "its operands must be matrices");
  n.out(0, n.matmul(unbias(n, n.in(0), operandOr(n, 2), n.rank(0) - 2),
                    unbias(n, n.in(1), operandOr(n, 3), n.rank(1) - 1)));
}

static void convertConvInteger(Node &n) {
  n.out(0, n.convolution(unbias(n, n.in(0), operandOr(n, 2), 1),
                         unbias(n, n.in(1), operandOr(n, 3), 0)));
}

/// y * (sa * sb / sy) + zy, rounded, in f32 whatever the scales' type; sb may
/// be a scale per element of the axis.
static ValueId requantize(Node &n, ValueId y, ValueId sa, ValueId sb,
                          ValueId sy, ValueId zy, int64_t axis) {
  const auto scalar = [&](ValueId v) {
    n.require(elementCount(n.type(v).shape) == 1, "a scale must be one number");
    return n.reshape(v, {});
  };
  for (ValueId *scale : {&sa, &sb, &sy})
    *scale = n.cast(*scale, DType::F32);
  const bool single = elementCount(n.type(sb).shape) == 1;
  n.require(single || n.type(sb).rank() == 1, "a scale has the wrong shape");
  const ValueId scale =
      n.apply("div", {n.apply("mul", {scalar(sa), single ? scalar(sb) : sb}),
                      scalar(sy)});
  if (single)
    return n.apply("requantize", {y, scale, scalar(zy)});
  return n.apply("requantize_axis", {y, scale, scalar(zy)}, {{"axis", axis}});
}

static void convertQLinearMatMul(Node &n) {
  n.require(n.rank(0) >= 2 && n.rank(3) >= 2, "its operands must be matrices");
  const ValueId y = n.matmul(unbias(n, n.in(0), n.in(2), n.rank(0) - 2),
                             unbias(n, n.in(3), n.in(5), n.rank(3) - 1));
  n.out(0, requantize(n, y, n.in(1), n.in(4), n.in(6), n.in(7),
                      n.type(y).rank() - 1));
}

static void convertQLinearConv(Node &n) {
  ValueId y = n.convolution(unbias(n, n.in(0), n.in(2), 1),
                            unbias(n, n.in(3), n.in(5), 0));
  if (n.has(8))
    y = n.apply("add_channel", {y, n.in(8)});
  n.out(0, requantize(n, y, n.in(1), n.in(4), n.in(6), n.in(7), 1));
}

std::vector<Row> smex::frontend::quantizationRows() {
  return {
      {"QuantizeLinear", 10, convertQuantize},
      {"DequantizeLinear", 10, convertDequantize},
      {"DynamicQuantizeLinear", 11, convertDynamicQuantize},
      {"MatMulInteger", 10, convertMatMulInteger},
      {"ConvInteger", 10, convertConvInteger},
      {"QLinearMatMul", 10, convertQLinearMatMul},
      {"QLinearConv", 10, convertQLinearConv},
  };
}
