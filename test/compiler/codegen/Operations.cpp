#include "test/compiler/codegen/Operations.h"

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::Scalar;
using tdl::UnaryOp;

namespace {

std::vector<double> reals(DType type, Random &random) {
  const double inf = INFINITY;
  std::vector<double> values = {0.0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                -0.5,
                                2,
                                -2,
                                3,
                                7,
                                -7,
                                2.5,
                                1.5,
                                -2.5,
                                0.1,
                                -0.1,
                                inf,
                                -inf,
                                NAN,
                                1e-3,
                                -1e-5,
                                88.7,
                                -88.7,
                                -103.9,
                                89,
                                709.7,
                                -745.1,
                                9.1,
                                10,
                                1e-20,
                                3.9,
                                5.9,
                                M_PI,
                                M_PI_2,
                                M_PI_4,
                                100.25,
                                1234567,
                                1e9,
                                3e9,
                                -1e15,
                                1e18,
                                -1e19,
                                1e22,
                                65504,
                                1e30,
                                -3e38,
                                0x1p-126,
                                0x1p-149,
                                0x1p-14,
                                0x1p-24,
                                127,
                                128,
                                -128,
                                -129,
                                255,
                                256,
                                0.999,
                                1.001,
                                0.9999999,
                                2147483647,
                                -2147483648.0,
                                4294967295.0,
                                9223372036854775807.0,
                                1e300,
                                0x1p-1074,
                                0x1.fffffep127,
                                0x1.8p70};
  for (int i = 0; i < 1000; ++i) {
    const double magnitude =
        std::ldexp(1 + random() * 0x1p-32, int(pick(random, -12, 7)));
    values.push_back(i % 2 ? magnitude : -magnitude);
  }
  for (double &v : values)
    v = tdl::roundTo(type, v);
  return values;
}

std::vector<int64_t> integers(DType type, Random &random) {
  std::vector<int64_t> values = {
      0,   1,    -1,   2,         -2,        3,         5,        7,    -7,
      8,   15,   31,   32,        63,        64,        127,      -128, 255,
      256, 1000, -999, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 60; ++i)
    values.push_back(int64_t(uint64_t(random()) << 32 | random()) >>
                     pick(random, 0, 63));
  for (int64_t &v : values)
    v = tdl::wrapTo(type, v);
  return values;
}

} // namespace

std::vector<Scalar> codegen::valuesOf(DType type, Random &random) {
  std::vector<Scalar> values;
  if (isFloat(type))
    for (double v : reals(type, random))
      values.push_back(tdl::scalarOf(v));
  else
    for (int64_t v : integers(type, random))
      values.push_back(tdl::scalarOf(v));
  return values;
}

Tensor codegen::tensorOf(DType type, const std::vector<Scalar> &values) {
  Tensor tensor = makeTensor({type, {int64_t(values.size())}});
  for (size_t i = 0; i < values.size(); ++i)
    tdl::store(type, values[i], &tensor.bytes[i * size_t(byteSize(type))]);
  return tensor;
}

tdl::Lambda codegen::unaryLambda(UnaryOp op, DType type) {
  tdl::Lambda lambda;
  lambda.operands = {{"x", type, 1}};
  lambda.outputs = {"i"};
  lambda.body = tdl::unary(op, tdl::read(0, type, {tdl::indexVar(0)}));
  lambda.result = lambda.body->type;
  return lambda;
}

tdl::Lambda codegen::binaryLambda(BinaryOp op, DType type) {
  tdl::Lambda lambda;
  lambda.operands = {{"x", type, 1}, {"y", type, 1}};
  lambda.outputs = {"i", "j"};
  lambda.body = tdl::binary(op, tdl::read(0, type, {tdl::indexVar(0)}),
                            tdl::read(1, type, {tdl::indexVar(1)}));
  lambda.result = lambda.body->type;
  return lambda;
}

tdl::Lambda codegen::castLambda(DType from, DType to) {
  tdl::Lambda lambda;
  lambda.operands = {{"x", from, 1}};
  lambda.outputs = {"i"};
  lambda.result = to;
  lambda.body = tdl::cast(to, tdl::read(0, from, {tdl::indexVar(0)}));
  return lambda;
}
