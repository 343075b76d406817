// Lambdas drawn at random, of every kind of node and type.
#ifndef SMEX_TEST_DIALECTS_TDL_LAMBDA_RANDOMLAMBDA_H
#define SMEX_TEST_DIALECTS_TDL_LAMBDA_RANDOMLAMBDA_H

#include "dialects/tdl/lambda/Lambda.h"

#include <cmath>
#include <random>

namespace smex::tdl {

class RandomLambda {
public:
  explicit RandomLambda(unsigned seed) : random(seed) {}

  int64_t below(int64_t n) {
    return int64_t(random() % uint64_t(n)); // the same on every machine
  }

  /// One operand per type, of rank 0 to 2; up to three indices and reductions.
  Lambda lambda(int depth) {
    result = Lambda();
    for (int t = 0; t <= int(DType::F64); ++t)
      result.operands.push_back(
          {"x" + std::to_string(t), DType(t), int(below(3))});
    for (int64_t n = below(3); n >= 0; --n)
      result.outputs.push_back("i" + std::to_string(result.outputs.size()));
    result.result = anyType();
    result.reducer = Reducer(below(5));
    if (result.result == DType::Bool && result.reducer != Reducer::None)
      result.reducer = Reducer::Max;
    if (result.reducer != Reducer::None) {
      for (int64_t n = below(2); n >= 0; --n)
        result.reductions.push_back("r" +
                                    std::to_string(result.reductions.size()));
      if (below(2))
        result.guard = expr(DType::Bool, depth - 1);
    }
    result.body = expr(result.result, depth);
    return result;
  }

  /// Index arithmetic over `count` variables, without data.
  ExprRef index(int count, int depth) {
    if (depth <= 0 || below(6) == 0)
      return below(4) ? indexVar(int(below(count))) : constant(below(9) - 3);
    const ExprRef a = index(count, depth - 1);
    switch (below(8)) {
    case 0:
      return binary(BinaryOp::Sub, a, index(count, depth - 1));
    case 1:
      return binary(BinaryOp::Mul, a, constant(below(8) - 2));
    case 2:
      return binary(BinaryOp::FloorDiv, a, constant(1 + below(12)));
    case 3:
      return binary(BinaryOp::Mod, a, constant(1 + below(12)));
    case 4:
      return binary(BinaryOp::Max, a, index(count, depth - 1));
    case 5:
      return binary(BinaryOp::Min, a, constant(below(8)));
    default:
      return binary(BinaryOp::Add, a, index(count, depth - 1));
    }
  }

private:
  DType anyType() { return DType(below(int64_t(DType::F64) + 1)); }

  ExprRef number(DType type) {
    switch (below(6)) {
    case 0:
      return constant(int64_t(random()), type); // any bits
    case 1:
      return constant(-0.0, type);
    case 2:
      return constant(double(below(1000)) / 8 * (below(2) ? 1 : -1), type);
    case 3:
      return isFloat(type) ? constant(below(2) ? HUGE_VAL : -HUGE_VAL, type)
                           : constant(-1, type);
    default:
      return constant(below(5) - 1, type);
    }
  }

  ExprRef readOf(DType type, int depth) {
    const Operand &operand = result.operands[size_t(type)];
    std::vector<ExprRef> index;
    for (int d = 0; d < operand.rank; ++d)
      index.push_back(expr(DType::I64, depth - 2));
    return read(int(type), type, std::move(index),
                below(3) == 0 ? expr(type, depth - 2) : nullptr);
  }

  ExprRef expr(DType type, int depth) {
    if (depth <= 0 || below(8) == 0) {
      if (type == DType::I64 && below(2))
        return indexVar(int(below(result.indexCount())));
      return below(3) ? readOf(type, depth) : number(type);
    }
    switch (below(7)) {
    case 0:
      return select(expr(DType::Bool, depth - 1), expr(type, depth - 1),
                    expr(type, depth - 1));
    case 1:
      return cast(type, expr(anyType(), depth - 1));
    case 2:
      return number(type);
    case 3:
      if (type == DType::Bool) {
        const DType of = anyType();
        const BinaryOp op = BinaryOp(int(BinaryOp::Eq) + below(6));
        if (accepts(op, of))
          return binary(op, expr(of, depth - 1), expr(of, depth - 1));
        return unary(UnaryOp::IsNan, expr(DType::F32, depth - 1));
      }
      for (;;)
        if (const UnaryOp op = UnaryOp(below(int64_t(UnaryOp::Atanh) + 1));
            accepts(op, type))
          return unary(op, expr(type, depth - 1));
    default:
      for (;;)
        if (const BinaryOp op = BinaryOp(below(int64_t(BinaryOp::Shr) + 1));
            accepts(op, type))
          return binary(op, expr(type, depth - 1), expr(type, depth - 1));
    }
  }

  std::mt19937_64 random;
  Lambda result;
};

} // namespace smex::tdl

#endif
