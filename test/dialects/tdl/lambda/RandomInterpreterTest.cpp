// The interpreter, which works on blocks of coordinates, against the plainest
// evaluation there is: one coordinate, one node at a time, by the folding of
// constants.
#include "dialects/tdl/lambda/Accumulated.h"
#include "test/dialects/tdl/lambda/RandomLambda.h"
#include "test/dialects/tdl/lambda/Tensors.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

/// A constant, or null where there is an error.
class Plain {
public:
  Plain(const std::vector<Tensor> &operands, const std::vector<int64_t> &point)
      : operands(operands), point(point) {}

  ExprRef value(const ExprRef &e) {
    switch (e->kind) {
    case ExprKind::Index:
      return constant(point[size_t(e->index)]);
    case ExprKind::Int:
    case ExprKind::Float:
      return e;
    case ExprKind::Read:
      return element(e);
    case ExprKind::Select: {
      const ExprRef condition = value(e->children[0]);
      return condition ? value(e->children[condition->integer ? 1 : 2])
                       : nullptr;
    }
    default:
      break;
    }
    const ExprRef a = value(e->children[0]);
    if (!a || e->kind == ExprKind::Cast)
      return a ? cast(e->type, a) : nullptr;
    if (e->kind == ExprKind::Unary)
      return unary(e->unary, a);
    if (a->type == DType::Bool &&
        ((e->binary == BinaryOp::And && !a->integer) ||
         (e->binary == BinaryOp::Or && a->integer)))
      return a;
    const ExprRef b = value(e->children[1]);
    const ExprRef result = b ? binary(e->binary, a, b) : nullptr;
    return result && isConstant(result) ? result : nullptr; // division by zero
  }

private:
  ExprRef element(const ExprRef &e) {
    const Tensor &operand = operands[size_t(e->operand)];
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < e->children.size(); ++d) {
      const ExprRef index = value(e->children[d]);
      if (!index)
        return nullptr;
      inside &= index->integer >= 0 && index->integer < operand.type.shape[d];
      if (inside)
        offset = offset * operand.type.shape[d] + index->integer;
    }
    if (!inside)
      return e->otherwise ? value(e->otherwise) : nullptr;
    const Scalar s =
        load(e->type, operand.bytes.data() + offset * byteSize(e->type));
    return isFloat(e->type) ? constant(s.real, e->type)
                            : constant(s.integer, e->type);
  }

  const std::vector<Tensor> &operands;
  const std::vector<int64_t> &point;
};

Scalar scalar(const ExprRef &e) {
  return isFloat(e->type) ? scalarOf(e->real) : scalarOf(e->integer);
}

constexpr int64_t side = 3; // of every operand and index

} // namespace

TEST_CASE("random lambdas have the values of their parts") {
  RandomLambda draw(11);
  int computed = 0, refused = 0;
  for (int n = 0; n < 3000; ++n) {
    Lambda lambda = draw.lambda(1 + n % 5);
    // Reads without `else` mostly in range, or all would be errors.
    const auto tame = [](const ExprRef &e) {
      return !e ? e : transform(e, [](const ExprRef &node) -> ExprRef {
        if (node->kind != ExprKind::Read || node->otherwise)
          return nullptr;
        std::vector<ExprRef> index;
        for (const ExprRef &i : node->children)
          index.push_back(binary(BinaryOp::Mod, i, constant(side)));
        return read(node->operand, node->type, std::move(index));
      });
    };
    lambda.body = tame(lambda.body);
    lambda.guard = tame(lambda.guard);
    if (!verify(lambda))
      continue; // grew too large
    std::vector<Tensor> operands;
    std::vector<const Tensor *> pointers;
    for (const Operand &operand : lambda.operands) {
      const std::vector<int64_t> shape(size_t(operand.rank), side);
      std::vector<double> data(size_t(*elementCount(shape)));
      for (double &value : data)
        value = draw.below(6) ? double(draw.below(9) - 3) : NAN;
      operands.push_back(tensor(operand.type, shape, data));
    }
    for (const Tensor &operand : operands)
      pointers.push_back(&operand);

    // In order, by the definition: every output, and for each every term.
    // Terms of sums and products of 16 bits are computed in f32.
    const DType type = lambda.result;
    const ExprRef body = accumulated(lambda).body;
    const DType wide = is16Bit(type)        ? DType::F32
                       : type == DType::F32 ? DType::F64
                                            : type;
    const size_t count = size_t(lambda.indexCount());
    Tensor expected =
        makeTensor({type, std::vector<int64_t>(size_t(lambda.rank()), side)});
    bool valid = true;
    std::vector<int64_t> point(count);
    const auto outputs = *elementCount(expected.type.shape);
    const int64_t terms = int64_t(std::pow(side, lambda.reductions.size()));
    for (int64_t output = 0; output < outputs; ++output) {
      Scalar sum = scalar(identity(lambda.reducer, wide));
      for (int64_t term = 0; term < terms; ++term) {
        int64_t rest = output * terms + term;
        for (size_t d = count; d-- > 0; rest /= side)
          point[d] = rest % side;
        Plain plain(operands, point);
        const ExprRef guard =
            lambda.guard ? plain.value(lambda.guard) : constant(1, DType::Bool);
        valid &= guard != nullptr;
        if (!guard || !guard->integer)
          continue;
        const ExprRef value = plain.value(body);
        valid &= value != nullptr;
        if (!value)
          continue;
        if (lambda.reducer == Reducer::None) {
          sum = scalar(value);
          continue;
        }
        const BinaryOp op = lambda.reducer == Reducer::Sum    ? BinaryOp::Add
                            : lambda.reducer == Reducer::Prod ? BinaryOp::Mul
                            : lambda.reducer == Reducer::Max  ? BinaryOp::Max
                                                              : BinaryOp::Min;
        const Scalar before = sum;
        evaluate(op, wide, before, convert(body->type, wide, scalar(value)),
                 sum);
      }
      store(type,
            lambda.reducer == Reducer::None ? sum : convert(wide, type, sum),
            expected.bytes.data() + output * byteSize(type));
    }

    INFO(toString(lambda));
    const auto result =
        interpret(lambda, std::vector<int64_t>(count, side), pointers);
    REQUIRE(bool(result) == valid);
    if (!result) {
      ++refused;
      continue;
    }
    ++computed;
    const std::vector<double> got = values(*result), want = values(expected);
    REQUIRE(got.size() == want.size());
    for (size_t i = 0; i < got.size(); ++i)
      if (!(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))))
        FAIL("element " << i << " is " << got[i] << ", not " << want[i]);
  }
  CHECK(computed > 1000);
  CHECK(refused > 50);
}
