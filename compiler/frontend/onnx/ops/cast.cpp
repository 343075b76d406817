// Element types, constants, and operators that do nothing to values.
#include "compiler/frontend/onnx/Table.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

static void convertCast(Node &n) {
  // Saturation is about 8-bit floats only.
  n.ignore("saturate");
  n.ignore("round_mode");
  n.out(0, n.cast(n.in(0), n.dtype("to")));
}

static void convertCastLike(Node &n) {
  n.ignore("saturate");
  n.ignore("round_mode");
  n.out(0, n.cast(n.in(0), n.inType(1).dtype));
}

static void convertIdentity(Node &n) {
  n.require(n.has(0), "its operand is missing");
  n.out(0, n.inputs[0]); // also a sequence
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
  n.out(0, n.apply("range", {n.reshape(n.in(0), {}), n.reshape(n.in(2), {})},
                   {{"n", count}}));
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
      {"Identity", 1, convertIdentity},
      {"Constant", 1, convertConstant},
      {"ConstantOfShape", 9, convertConstantOfShape},
      {"Shape", 1, convertShape},
      {"Size", 1, convertSize},
      {"Range", 11, convertRange},
      {"EyeLike", 9, convertEyeLike},
  };
}
