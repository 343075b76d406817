#include "dialects/tdl/lambda/Lambda.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

/// i, j, k over operands x: f32[1], n: i64[1], b: bool[1].
Lambda scope() {
  Lambda lambda;
  lambda.operands = {
      {"x", DType::F32, 1}, {"n", DType::I64, 1}, {"b", DType::Bool, 1}};
  lambda.outputs = {"i", "j", "k"};
  return lambda;
}
std::string text(const ExprRef &e) { return toString(e, scope()); }

const ExprRef i = indexVar(0), j = indexVar(1), k = indexVar(2);
ExprRef add(ExprRef a, ExprRef b) { return binary(BinaryOp::Add, a, b); }
ExprRef sub(ExprRef a, ExprRef b) { return binary(BinaryOp::Sub, a, b); }
ExprRef mul(ExprRef a, ExprRef b) { return binary(BinaryOp::Mul, a, b); }
ExprRef c(int64_t value) { return constant(value); }

} // namespace

TEST_CASE("index sums are flat, constants to the right") {
  CHECK(text(add(i, c(0))) == "i");
  CHECK(text(add(c(3), i)) == "i + 3");
  CHECK(text(sub(i, c(3))) == "i - 3");
  CHECK(text(add(add(i, c(2)), add(j, c(3)))) == "i + j + 5");
  CHECK(text(add(add(i, c(2)), c(-2))) == "i");
  CHECK(text(sub(c(5), i)) == "5 - i");
  CHECK(text(sub(c(0), i)) == "-i");
  CHECK(text(sub(c(5), add(i, c(2)))) == "3 - i");
  CHECK(text(sub(i, sub(j, k))) == "i - j + k");
  CHECK(text(sub(i, i)) == "0");
  CHECK(text(add(i, i)) == "i * 2");
  CHECK(text(add(unary(UnaryOp::Neg, i), j)) == "j - i");
}

TEST_CASE("index products") {
  CHECK(text(mul(i, c(1))) == "i");
  CHECK(text(mul(i, c(0))) == "0");
  CHECK(text(mul(c(2), i)) == "i * 2");
  CHECK(text(mul(mul(i, c(2)), c(3))) == "i * 6");
  CHECK(text(mul(add(i, c(2)), c(3))) == "i * 3 + 6");
  CHECK(text(mul(mul(i, c(2)), j)) == "i * j * 2");
  CHECK(text(mul(sub(i, j), c(-2))) == "j * 2 - i * 2");
  CHECK(text(binary(BinaryOp::FloorDiv, i, c(1))) == "i");
  CHECK(text(binary(BinaryOp::Mod, i, c(1))) == "0");
  CHECK(text(binary(BinaryOp::FloorDiv, c(-7), c(2))) == "-4");
  // Not folded: it is an error where it is evaluated.
  CHECK(text(binary(BinaryOp::FloorDiv, c(1), c(0))) == "i64(1) // 0");
}

TEST_CASE("floats keep their meaning") {
  const ExprRef x = read(0, DType::F32, {i});
  const auto f = [](double value) { return constant(value, DType::F32); };
  CHECK(text(add(x, f(0))) == "x[i] + 0"); // -0.0 + 0.0 is 0.0
  CHECK(text(sub(x, f(0))) == "x[i] - 0");
  CHECK(text(mul(x, f(0))) == "x[i] * 0");
  CHECK(text(mul(x, f(1))) == "x[i]");
  CHECK(text(binary(BinaryOp::Div, x, f(1))) == "x[i]");
  CHECK(text(add(f(1), f(2))) == "3");
  CHECK(text(add(x, add(x, x))) == "x[i] + (x[i] + x[i])");
  CHECK(text(binary(BinaryOp::Eq, x, x)) == "x[i] == x[i]"); // not for NaN
}

TEST_CASE("constants have their type") {
  CHECK(constant(300, DType::I8)->integer == 44);
  CHECK(constant(0.1, DType::F32)->real == double(0.1f));
  CHECK(constant(5, DType::F16)->kind == ExprKind::Float);
  CHECK(constant(2.5, DType::I32)->integer == 2);
  CHECK(add(constant(200, DType::U8), constant(100, DType::U8))->integer == 44);
  CHECK(cast(DType::I32, constant(2.9, DType::F32))->integer == 2);
  CHECK(std::isnan(unary(UnaryOp::Sqrt, constant(-1.0, DType::F32))->real));
}

TEST_CASE("conditions") {
  const ExprRef b = read(2, DType::Bool, {i});
  const ExprRef yes = constant(1, DType::Bool), no = constant(0, DType::Bool);
  CHECK(text(binary(BinaryOp::And, b, yes)) == "b[i]");
  CHECK(text(binary(BinaryOp::And, no, b)) == "false");
  CHECK(text(binary(BinaryOp::Or, b, no)) == "b[i]");
  CHECK(text(binary(BinaryOp::Or, b, yes)) == "true");
  CHECK(text(select(yes, i, j)) == "i");
  CHECK(text(select(b, i, i)) == "i");
  CHECK(text(unary(UnaryOp::Not, unary(UnaryOp::Not, b))) == "b[i]");
  CHECK(text(unary(UnaryOp::IsNan, i)) == "false");
  CHECK(text(unary(UnaryOp::Floor, i)) == "i");
}

TEST_CASE("comparing, searching, rebuilding") {
  const ExprRef e = add(read(1, DType::I64, {add(i, c(1))}), j);
  CHECK(equal(e, add(read(1, DType::I64, {add(i, c(1))}), j)));
  CHECK_FALSE(equal(e, add(read(1, DType::I64, {i}), j)));
  CHECK_FALSE(equal(constant(0.0, DType::F32), constant(-0.0, DType::F32)));
  CHECK(equal(constant(NAN, DType::F32), constant(NAN, DType::F32)));
  CHECK(readsData(e));
  CHECK_FALSE(readsData(add(i, extentOf(0, 0))));
  CHECK(uses(e, 0));
  CHECK(uses(e, 1));
  CHECK_FALSE(uses(e, 2));
  const ExprRef moved = transform(e, [](const ExprRef &node) {
    return node->kind == ExprKind::Index && node->index == 0 ? c(4) : nullptr;
  });
  CHECK(text(moved) == "n[5] + j");
  CHECK(e->depth == 4);
  CHECK(e->size == 6);
}

TEST_CASE("identities of reductions") {
  CHECK(identity(Reducer::Sum, DType::F32)->real == 0);
  CHECK(identity(Reducer::Prod, DType::I8)->integer == 1);
  CHECK(identity(Reducer::Max, DType::F16)->real == -INFINITY);
  CHECK(identity(Reducer::Min, DType::F64)->real == INFINITY);
  CHECK(identity(Reducer::Max, DType::I8)->integer == -128);
  CHECK(identity(Reducer::Min, DType::I64)->integer == INT64_MAX);
  CHECK(identity(Reducer::Max, DType::U64)->integer == 0);
  CHECK(identity(Reducer::Min, DType::U64)->integer == -1);
  CHECK(identity(Reducer::Max, DType::Bool)->integer == 0);
  CHECK(identity(Reducer::Min, DType::Bool)->integer == 1);
}
