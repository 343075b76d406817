// Element types, constants, and operators that do nothing to values.
#include "compiler/frontend/onnx/Narrow.h"
#include "compiler/frontend/onnx/Table.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

static void castElements(Node &n, ElementType to) {
  const Rounding rounding = roundingOf(n);
  const ElementType from = operandType(n, 0);
  if (from.narrow == to.narrow && from.dtype == to.dtype)
    return n.out(0, n.inputs[0]);
  ValueId x = storedOperand(n, 0);
  if (from.narrow) {
    // Between two narrow types by way of one that holds both.
    const DType wide = to.narrow ? DType::F32 : to.dtype;
    x = widen(n, x, from, wide);
  }
  n.out(0, asType(n, castTo(n, x, to, rounding), to));
}

static void convertCast(Node &n) { castElements(n, elementType(n, "to")); }

static void convertCastLike(Node &n) { castElements(n, operandType(n, 1)); }

/// The same bits as another type of the same width.
static void convertBitCast(Node &n) {
  const ElementType to = elementType(n, "to"), from = operandType(n, 0);
  const auto width = [](ElementType type) {
    return type.narrow ? type.narrow->bits : 8 * int(byteSize(type.dtype));
  };
  const auto text = [](ElementType type) {
    return std::string(type.narrow ? type.narrow->name : name(type.dtype));
  };
  const int bits = width(from);
  if (width(to) != bits)
    n.refuse("elements of type ", text(from), " have not the width of ",
             text(to));
  const ValueId stored = storedOperand(n, 0);
  if (to.dtype == from.dtype)
    return n.out(0, asType(n, stored, to));
  if (bits < 8) { // of an integer, its value is stored: not its bits
    const int64_t half = to.dtype == DType::I8 ? 1 << (bits - 1) : 0;
    const ValueId y = n.apply(
        "wrap", {n.cast(stored, DType::I64)},
        {{"half", half}, {"mask", int64_t((1 << bits) - 1)}, {"to", to.dtype}});
    return n.out(0, asType(n, y, to));
  }
  const auto shape = n.type(stored).shape;
  const ValueId x = shape.empty() ? n.reshape(stored, {1}) : stored;
  const ValueId y = n.apply("bits_" + std::string(name(to.dtype)), {x});
  n.out(0, asType(n, n.reshape(y, shape), to));
}

static void convertIdentity(Node &n) {
  n.out(0, n.has(0) ? n.inputs[0] : absentValue); // also a sequence
}

static void convertConstant(Node &n) {
  if (n.hasAttribute("value"))
    return n.out(0, n.addTensor("value"));
  const auto number = [&](std::vector<double> values,
                          std::vector<int64_t> shape) {
    n.out(0, n.addReals(values, std::move(shape)));
  };
  if (n.hasAttribute("value_float"))
    return number({n.real("value_float")}, {});
  if (n.hasAttribute("value_floats")) {
    const auto values = n.reals("value_floats");
    return number(values, {int64_t(values.size())});
  }
  if (n.hasAttribute("value_ints"))
    return n.out(0, n.addInts(n.integers("value_ints")));
  if (n.hasAttribute("value_int")) {
    Tensor value = makeTensor({DType::I64, {}});
    *value.data<int64_t>() = n.integer("value_int");
    return n.out(0, n.addConstant(std::move(value)));
  }
  if (n.hasAttribute("sparse_value"))
    return n.out(0, n.addConstant(n.sparseTensor("sparse_value")));
  n.refuse("strings are not supported");
}

static void convertConstantOfShape(Node &n) {
  Tensor value = makeTensor({DType::F32, {1}});
  if (n.hasAttribute("value"))
    value = n.tensor("value");
  n.require(elementCount(value.type.shape) == 1, "value must have one element");
  value.type.shape.clear();
  n.out(0, n.expand(n.addConstant(std::move(value)), n.constantInts(0)));
}

static void convertShape(Node &n) {
  const auto &shape = n.shape(0);
  const int64_t rank = int64_t(shape.size());
  const auto clamp = [&](int64_t at) {
    return std::max<int64_t>(0, std::min(at < 0 ? at + rank : at, rank));
  };
  const int64_t start = clamp(n.integer("start", 0));
  const int64_t end = std::max(start, clamp(n.integer("end", rank)));
  n.out(0, n.addInts({shape.begin() + start, shape.begin() + end}));
}

static void convertSize(Node &n) {
  n.out(0, n.reshape(n.addInts({*elementCount(n.shape(0))}), {}));
}

static void convertRange(Node &n) {
  const DType type = n.inType(0).dtype;
  int64_t count = 0;
  if (isFloat(type)) {
    const double start = n.constantReal(0), limit = n.constantReal(1),
                 delta = n.constantReal(2);
    const double steps = std::ceil((limit - start) / delta);
    n.require(steps < 1e15, "has too many elements");
    count = steps > 0 ? int64_t(steps) : 0;
  } else {
    const int64_t start = n.constantInt(0), limit = n.constantInt(1),
                  delta = n.constantInt(2);
    n.require(delta != 0, "delta is zero");
    // In 128 bits, where no difference overflows.
    const __int128 span = __int128(limit) - start;
    const __int128 steps = (span + delta - (delta > 0 ? 1 : -1)) / delta;
    n.require(steps < (__int128(1) << 60), "has too many elements");
    count = steps > 0 ? int64_t(steps) : 0;
  }
  // In 16 bits, terms would lose what lies below the last place of large ones.
  const bool wide = isFloat(type) && byteSize(type) == 2 &&
                    n.dtype("stash_type", DType::F32) == DType::F32;
  n.ignore("stash_type");
  const auto scalar = [&](size_t i) {
    return n.cast(n.reshape(n.in(i), {}), wide ? DType::F32 : type);
  };
  n.out(0,
        n.cast(n.apply("range", {scalar(0), scalar(2)}, {{"n", count}}), type));
}

static void convertEyeLike(Node &n) {
  n.require(n.rank(0) == 2, "its operand must be a matrix");
  n.out(0, n.apply("eye", {},
                   {{"r", n.shape(0)[0]},
                    {"c", n.shape(0)[1]},
                    {"k", n.integer("k", 0)},
                    {"to", n.dtype("dtype", n.inType(0).dtype)}}));
}

std::vector<Row> smex::frontend::castRows() {
  return {
      {"Cast", 6, convertCast},
      {"CastLike", 15, convertCastLike},
      {"BitCast", 26, convertBitCast},
      {"Identity", 1, convertIdentity},
      {"Constant", 1, convertConstant},
      {"ConstantOfShape", 9, convertConstantOfShape},
      {"Shape", 1, convertShape},
      {"Size", 1, convertSize},
      {"Range", 11, convertRange},
      {"EyeLike", 9, convertEyeLike},
  };
}
