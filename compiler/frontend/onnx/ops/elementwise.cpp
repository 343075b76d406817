// Element-wise operators: most have the same name and attributes here.
#include "compiler/frontend/onnx/Table.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

static void convertMean(Node &n) {
  ValueId sum = n.in(0);
  for (size_t i = 1; i < n.inputs.size(); ++i)
    sum = n.apply("add", {sum, n.in(i)});
  if (n.inputs.size() > 1)
    sum = n.apply("divide", {sum}, {{"by", double(n.inputs.size())}});
  n.out(0, sum);
}

static void convertMod(Node &n) {
  const bool sign = n.integer("fmod", 0) != 0;
  n.out(0, n.apply(sign ? "fmod" : "mod", {n.in(0), n.in(1)}));
}

static void convertPow(Node &n) {
  const DType base = n.inType(0).dtype, exponent = n.inType(1).dtype;
  if (base == exponent)
    return n.out(0, n.apply("pow", {n.in(0), n.in(1)}));
  // The result has the base's type, but 2 ** 0.5 is not 2 ** 0, and an exponent
  // keeps its precision.
  const bool wider = isFloat(exponent) &&
                     (!isFloat(base) || byteSize(exponent) > byteSize(base));
  const DType type = !wider ? base : isFloat(base) ? exponent : DType::F64;
  n.out(0,
        n.cast(n.apply("pow", {n.cast(n.in(0), type), n.cast(n.in(1), type)}),
               base));
}

static void convertBitShift(Node &n) {
  const std::string direction = n.text("direction");
  n.require(direction == "LEFT" || direction == "RIGHT",
            "direction must be LEFT or RIGHT");
  n.out(0, n.apply(direction == "LEFT" ? "shift_left" : "shift_right",
                   {n.in(0), n.in(1)}));
}

static void convertClip6(Node &n) {
  n.out(0, n.apply("clip", {n.in(0)},
                   {{"low", n.real("min", -INFINITY)},
                    {"high", n.real("max", INFINITY)}}));
}

static void convertClip(Node &n) {
  const auto bound = [&](size_t i) { return n.reshape(n.in(i), {}); };
  if (n.has(1) && n.has(2))
    n.out(0, n.apply("clip_between", {n.in(0), bound(1), bound(2)}));
  else if (n.has(1) || n.has(2))
    n.out(0, n.has(1) ? n.apply("clip_below", {n.in(0), bound(1)})
                      : n.apply("clip_above", {n.in(0), bound(2)}));
  else
    n.out(0, n.in(0));
}

std::vector<Row> smex::frontend::elementwiseRows() {
  return {
      {"Abs", 6, plain("abs")},
      {"Neg", 6, plain("neg")},
      {"Sign", 9, plain("sign")},
      {"Floor", 6, plain("floor")},
      {"Ceil", 6, plain("ceil")},
      {"Round", 11, plain("round")},
      {"Reciprocal", 6, plain("reciprocal")},
      {"Exp", 6, plain("exp")},
      {"Log", 6, plain("log")},
      {"Sqrt", 6, plain("sqrt")},
      {"Erf", 9, plain("erf")},
      {"Sin", 7, plain("sin")},
      {"Cos", 7, plain("cos")},
      {"Tan", 7, plain("tan")},
      {"Asin", 7, plain("asin")},
      {"Acos", 7, plain("acos")},
      {"Atan", 7, plain("atan")},
      {"Sinh", 9, plain("sinh")},
      {"Cosh", 9, plain("cosh")},
      {"Tanh", 6, plain("tanh")},
      {"Asinh", 9, plain("asinh")},
      {"Acosh", 9, plain("acosh")},
      {"Atanh", 9, plain("atanh")},
      {"Not", 1, plain("logical_not")},
      {"BitwiseNot", 18, plain("bitwise_not")},
      {"IsNaN", 9, plain("is_nan")},
      {"IsInf", 10, direct("is_inf")},
      {"Add", 7, plain("add")},
      {"Sub", 7, plain("sub")},
      {"Mul", 7, plain("mul")},
      {"Div", 7, plain("div")},
      {"Mod", 10, convertMod},
      {"Pow", 7, convertPow},
      {"Max", 6, chained("max")},
      {"Min", 6, chained("min")},
      {"Sum", 6, chained("add")},
      {"Mean", 6, convertMean},
      {"Equal", 7, plain("equal")},
      {"Less", 7, plain("less")},
      {"LessOrEqual", 12, plain("less_or_equal")},
      {"Greater", 7, plain("greater")},
      {"GreaterOrEqual", 12, plain("greater_or_equal")},
      {"And", 7, plain("logical_and")},
      {"Or", 7, plain("logical_or")},
      {"Xor", 7, plain("logical_xor")},
      {"BitwiseAnd", 18, plain("bitwise_and")},
      {"BitwiseOr", 18, plain("bitwise_or")},
      {"BitwiseXor", 18, plain("bitwise_xor")},
      {"BitShift", 11, convertBitShift},
      {"Where", 9, plain("where")},
      {"Clip", 6, convertClip6},
      {"Clip", 11, convertClip},
  };
}
