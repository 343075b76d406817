#include "test/compiler/training/FiniteDifferences.h"

#include "compiler/training/Adjoint.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <cmath>

using namespace smex;
using test::FiniteDifferences;

namespace {

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

Result<tdl::Lambda> widened(const tdl::Lambda &lambda) {
  std::string text = toString(lambda);
  for (const char *type : {"bf16", "f16", "f32"})
    text = replaceAll(std::move(text), type, "f64");
  return tdl::parseLambda(text);
}

Result<Tensor> widened(const Tensor &tensor) {
  if (!isFloat(tensor.type.dtype))
    return tensor;
  const size_t rank = tensor.type.shape.size();
  tdl::Lambda convert;
  convert.operands = {{"x", tensor.type.dtype, int(rank)}};
  convert.result = DType::F64;
  std::vector<tdl::ExprRef> index;
  for (size_t d = 0; d < rank; ++d) {
    convert.outputs.push_back("i" + std::to_string(d));
    index.push_back(tdl::indexVar(int(d)));
  }
  convert.body =
      tdl::cast(DType::F64, tdl::read(0, tensor.type.dtype, std::move(index)));
  return tdl::interpret(convert, tensor.type.shape, {&tensor});
}

double dot(const Tensor &a, const Tensor &b) {
  double sum = 0;
  for (int64_t i = 0; i < *elementCount(a.type.shape); ++i)
    sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

} // namespace

double FiniteDifferences::draw() {
  const double size = 0.2 + 0.8 * double(random() % 9973) / 9973;
  return random() % 2 ? size : -size;
}

Tensor FiniteDifferences::drawTensor(const std::vector<int64_t> &shape) {
  Tensor tensor = makeTensor({DType::F64, shape});
  for (int64_t i = 0; i < *elementCount(shape); ++i)
    tensor.data<double>()[i] = draw();
  return tensor;
}

std::string
FiniteDifferences::check(const tdl::Lambda &given,
                         const std::vector<int64_t> &extents,
                         const std::vector<const Tensor *> &values) {
  random.seed(seed);
  const auto lambda = widened(given);
  if (!lambda)
    return lambda.error().message;
  std::vector<Tensor> operands;
  std::vector<const Tensor *> pointers;
  for (const Tensor *tensor : values) {
    auto wide = widened(*tensor);
    if (!wide)
      return wide.error().message;
    if (wide->type.dtype == DType::F64)
      for (int64_t i = 0; i < *elementCount(wide->type.shape); ++i) {
        double &value = wide->data<double>()[i];
        value += 0.003 * std::abs(draw()) * (value < 0 ? -1 : 1);
      }
    operands.push_back(std::move(*wide));
  }
  for (const Tensor &tensor : operands)
    pointers.push_back(&tensor);
  auto y = tdl::interpret(*lambda, extents, pointers);
  if (!y)
    return y.error().message;
  for (int64_t i = 0; i < *elementCount(y->type.shape); ++i)
    if (!std::isfinite(y->data<double>()[i]))
      return ""; // a case about infinities: no slope to speak of
  const Tensor dy = drawTensor(y->type.shape);
  for (size_t operand = 0; operand < operands.size(); ++operand)
    if (operands[operand].type.dtype == DType::F64) {
      const std::string problem =
          checkOperand(*lambda, extents, pointers, *y, dy, int(operand));
      if (!problem.empty())
        return "operand " + std::to_string(operand) + ": " + problem;
    }
  return "";
}

std::string FiniteDifferences::checkOperand(
    const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
    std::vector<const Tensor *> operands, const Tensor &y, const Tensor &dy,
    int operand) {
  analysis::Shapes shapes;
  for (const Tensor *tensor : operands)
    shapes.push_back(tensor->type.shape);
  auto adjoint = training::adjoint(lambda, extents, shapes, operand);
  if (!adjoint) {
    refused.insert(adjoint.error().message);
    return lambda.body->kind == tdl::ExprKind::Opaque ? ""
                                                      : adjoint.error().message;
  }
  const Tensor v = drawTensor(shapes[size_t(operand)]);
  const double h = 1e-6;
  const auto at = [&](double step) -> Result<Tensor> {
    Tensor moved = *operands[size_t(operand)];
    for (int64_t i = 0; i < *elementCount(moved.type.shape); ++i)
      moved.data<double>()[i] += step * v.data<double>()[i];
    auto list = operands;
    list[size_t(operand)] = &moved;
    return tdl::interpret(lambda, extents, list);
  };
  const auto above = at(h), below = at(-h);
  if (!above || !below)
    return "cannot be evaluated nearby";
  const double expected = (dot(dy, *above) - dot(dy, *below)) / (2 * h);

  operands.push_back(&y);
  operands.push_back(&dy);
  // The interpreter takes a second for this many points.
  for (const tdl::Application &made : adjoint->applications)
    if (elementCount(made.extents).value_or(INT64_MAX) > 10'000'000) {
      ++large;
      return "";
    }
  std::vector<Tensor> results;
  results.reserve(adjoint->applications.size());
  for (const tdl::Application &made : adjoint->applications) {
    std::vector<const Tensor *> read;
    for (int source : made.operands)
      read.push_back(source >= 0 ? operands[size_t(source)]
                                 : &results[size_t(~source)]);
    auto value = tdl::interpret(made.lambda, made.extents, read);
    if (!value)
      return toString(made.lambda) + ": " + value.error().message;
    results.push_back(std::move(*value));
  }
  double got = 0, size = 1e-6;
  for (int source : adjoint->results) {
    const Tensor &part = results[size_t(~source)];
    if (part.type.shape != v.type.shape)
      return "the gradient has another shape";
    got += dot(part, v);
    size += std::sqrt(dot(part, part) * dot(v, v));
  }
  ++(adjoint->results.empty() ? flat : gradients);
  if (std::abs(got - expected) <= 1e-5 * (size + std::abs(expected)))
    return "";
  std::string text = "slope " + std::to_string(expected) + " measured, " +
                     std::to_string(got) + " computed by";
  for (const tdl::Application &made : adjoint->applications)
    text += "\n    " + toString(made.lambda);
  return text;
}
