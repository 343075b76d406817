#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Value.h"

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

Error refused(std::string_view operation, const std::string &type) {
  return fail("'", operation, "' is not defined for ", type);
}

Value provisional(const Value &value, DType type) {
  return Value::of(*asType(value, type), true);
}

/// Both as expressions of one type.
struct Pair {
  ExprRef a, b;
  bool isFlexible = false;
};

Result<Pair> meet(Value a, Value b) {
  const bool typedA = a.kind == Value::Data && !a.isFlexible;
  const bool typedB = b.kind == Value::Data && !b.isFlexible;
  if (typedA && typedB && a.data->type != b.data->type)
    return fail(name(a.data->type), " and ", name(b.data->type),
                " don't mix: cast one of them");
  if (typedA || typedB) {
    const DType type = typedA ? a.data->type : b.data->type;
    Result<ExprRef> left = asType(a, type);
    if (!left)
      return left.takeError();
    Result<ExprRef> right = asType(b, type);
    if (!right)
      return right.takeError();
    return Pair{*left, *right};
  }
  // Only literals so far: as reals if one of them is.
  const auto isReal = [](const Value &v) {
    return v.kind == Value::Real ||
           (v.kind == Value::Data && isFloat(v.data->type));
  };
  const bool bools = a.kind == Value::Bool || b.kind == Value::Bool;
  const DType type = bools                    ? DType::Bool
                     : isReal(a) || isReal(b) ? DType::F64
                                              : DType::I64;
  Result<ExprRef> left = asType(a, type);
  if (!left)
    return left.takeError();
  Result<ExprRef> right = asType(b, type);
  if (!right)
    return right.takeError();
  return Pair{*left, *right, !bools};
}

Result<Value> knownIntegers(BinaryOp op, int64_t a, int64_t b) {
  const std::string_view sign = spelling(op, DType::I64);
  const auto overflow = [&] {
    return fail(a, " ", sign, " ", b, " overflows");
  };
  int64_t r;
  switch (op) {
  case BinaryOp::Add:
    if (__builtin_add_overflow(a, b, &r))
      return overflow();
    return Value::of(r);
  case BinaryOp::Sub:
    if (__builtin_sub_overflow(a, b, &r))
      return overflow();
    return Value::of(r);
  case BinaryOp::Mul:
    if (__builtin_mul_overflow(a, b, &r))
      return overflow();
    return Value::of(r);
  case BinaryOp::Div:
    return Value::of(double(a) / double(b));
  case BinaryOp::Pow: {
    if (b < 0)
      return Value::of(std::pow(double(a), double(b)));
    // Other bases overflow within 63 steps; these never do.
    if (a == 0 || a == 1 || a == -1)
      return Value::of(int64_t(b == 0 ? 1 : a == -1 && b % 2 == 0 ? 1 : a));
    r = 1;
    for (int64_t i = 0; i < b; ++i)
      if (__builtin_mul_overflow(r, a, &r))
        return overflow();
    return Value::of(r);
  }
  default:
    break;
  }
  Scalar result;
  if (!evaluate(op, DType::I64, scalarOf(a), scalarOf(b), result))
    return fail("division of ", a, " by zero");
  if (isComparison(op))
    return Value::of(result.integer != 0);
  return Value::of(result.integer);
}

Result<Value> knownReals(BinaryOp op, double a, double b) {
  if (!accepts(op, DType::F64))
    return refused(spelling(op, DType::I64), "fractions");
  Scalar result;
  evaluate(op, DType::F64, scalarOf(a), scalarOf(b), result);
  if (isComparison(op))
    return Value::of(result.integer != 0);
  return Value::of(result.real);
}

Result<Value> knownBools(BinaryOp op, bool a, bool b) {
  if (!accepts(op, DType::Bool))
    return refused(spelling(op, DType::I64), "bool");
  Scalar result;
  evaluate(op, DType::Bool, scalarOf(int64_t(a)), scalarOf(int64_t(b)), result);
  return Value::of(result.integer != 0);
}

} // namespace

Result<Value> tdl::applyUnary(UnaryOp op, const Value &a) {
  const bool tests = op == UnaryOp::IsNan || op == UnaryOp::IsInf;
  const bool rounds = op >= UnaryOp::Floor && op <= UnaryOp::Trunc;
  switch (a.kind) {
  case Value::Integer:
    if (op == UnaryOp::Not)
      return refused("not", "numbers");
    if (op == UnaryOp::Neg || op == UnaryOp::Abs) {
      if (a.integer == INT64_MIN)
        return fail("-(", a.integer, ") overflows");
      const bool negates = op == UnaryOp::Neg || a.integer < 0;
      return Value::of(negates ? -a.integer : a.integer);
    }
    if (rounds)
      return a;
    if (tests)
      return Value::of(false);
    if (accepts(op, DType::I64))
      return Value::of(evaluate(op, DType::I64, scalarOf(a.integer)).integer);
    return applyUnary(op, Value::of(double(a.integer)));
  case Value::Real: {
    if (!accepts(op, DType::F64))
      return refused(spelling(op), "fractions");
    const Scalar result = evaluate(op, DType::F64, scalarOf(a.real));
    if (tests)
      return Value::of(result.integer != 0);
    // What has been rounded may serve as an extent.
    const Value value = Value::of(result.real);
    if (auto whole = knownInteger(value); rounds && whole)
      return Value::of(*whole);
    return value;
  }
  case Value::Bool:
    if (op != UnaryOp::Not)
      return refused(spelling(op), "bool");
    return Value::of(a.integer == 0);
  case Value::Data: {
    const DType type = a.data->type;
    const bool isWhole = rounds || tests;
    if (accepts(op, type) || (isWhole && isInteger(type)))
      return Value::of(unary(op, a.data), a.isFlexible && !tests);
    if (a.isFlexible && type == DType::I64 && accepts(op, DType::F64))
      return applyUnary(op, provisional(a, DType::F64));
    return refused(spelling(op), std::string(name(type)));
  }
  default:
    return fail("expected a number, got ", describe(a));
  }
}

Result<Value> tdl::applyBinary(BinaryOp op, const Value &a, const Value &b) {
  if (a.kind == b.kind && (a.kind == Value::String || a.kind == Value::Type) &&
      (op == BinaryOp::Eq || op == BinaryOp::Ne)) {
    const bool same = a.text == b.text && a.type == b.type;
    return Value::of(same == (op == BinaryOp::Eq));
  }
  if (a.kind == Value::Integer && b.kind == Value::Integer) {
    if (!accepts(op, DType::I64))
      return knownReals(op, double(a.integer), double(b.integer));
    if (op == BinaryOp::Div && b.integer == 0)
      return fail("division of ", a.integer, " by zero");
    return knownIntegers(op, a.integer, b.integer);
  }
  if (a.isNumber() && b.isNumber())
    return knownReals(op, *knownReal(a), *knownReal(b));
  if (a.kind == Value::Bool && b.kind == Value::Bool)
    return knownBools(op, a.integer, b.integer);
  // A known number is no condition, even if one side would decide alone.
  Result<Pair> pair = meet(a, b);
  if (!pair)
    return pair.takeError();
  // 1 / 2 is 0.5, and so it is where one of the two depends on a condition.
  if (pair->isFlexible && op == BinaryOp::Div && !isFloat(pair->a->type))
    return applyBinary(op, provisional(a, DType::F64),
                       provisional(b, DType::F64));
  const DType type = pair->a->type;
  if (!accepts(op, type)) {
    if (pair->isFlexible && accepts(op, DType::F64))
      return applyBinary(op, provisional(a, DType::F64),
                         provisional(b, DType::F64));
    return refused(spelling(op, type), std::string(name(type)));
  }
  return Value::of(binary(op, pair->a, pair->b),
                   pair->isFlexible && !isComparison(op));
}

Result<Value> tdl::applySelect(const Value &condition, const Value &a,
                               const Value &b) {
  if (auto known = knownBool(condition))
    return *known ? a : b;
  Result<ExprRef> test = asType(condition, DType::Bool);
  if (!test)
    return test.takeError();
  Result<Pair> pair = meet(a, b);
  if (!pair)
    return pair.takeError();
  return Value::of(select(*test, pair->a, pair->b), pair->isFlexible);
}

Result<Value> tdl::applyCast(DType type, const Value &a) {
  switch (a.kind) {
  case Value::Integer:
    return Value::of(cast(type, constant(a.integer)));
  case Value::Real:
    return Value::of(cast(type, constant(a.real, DType::F64)));
  case Value::Bool:
    return Value::of(cast(type, constant(a.integer, DType::Bool)));
  case Value::Data: {
    Result<ExprRef> typed = asExpr(a);
    if (!typed)
      return typed.takeError();
    return Value::of(cast(type, *typed));
  }
  default:
    return fail("expected a number, got ", describe(a));
  }
}

namespace {

std::optional<UnaryOp> unaryFunction(std::string_view name) {
  for (int i = int(UnaryOp::BitNot); i <= int(UnaryOp::IsInf); ++i)
    if (spelling(UnaryOp(i)) == name)
      return UnaryOp(i);
  return std::nullopt;
}

std::optional<BinaryOp> binaryFunction(std::string_view name) {
  for (BinaryOp op : {BinaryOp::Min, BinaryOp::Max, BinaryOp::Atan2,
                      BinaryOp::Rem, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor,
                      BinaryOp::Shl, BinaryOp::Shr})
    if (spelling(op, DType::I64) == name)
      return op;
  if (name == "xor")
    return BinaryOp::Xor;
  return std::nullopt;
}

} // namespace

bool tdl::isFunction(std::string_view name) {
  return parseDType(name) || unaryFunction(name) || binaryFunction(name);
}

Result<Value> tdl::applyFunction(std::string_view name,
                                 const std::vector<Value> &arguments) {
  const auto count = [&](std::string_view expected) {
    return fail(name, " takes ", expected, ", got ", arguments.size());
  };
  if (auto type = parseDType(name)) {
    if (arguments.size() != 1)
      return count("one value");
    return applyCast(*type, arguments[0]);
  }
  if (auto op = unaryFunction(name)) {
    if (arguments.size() != 1)
      return count("one value");
    return applyUnary(*op, arguments[0]);
  }
  const auto op = binaryFunction(name);
  if (!op)
    return fail("there is no function '", name, "'");
  const bool many = *op == BinaryOp::Min || *op == BinaryOp::Max;
  if (arguments.size() < 2 || (arguments.size() > 2 && !many))
    return count(many ? "two values or more" : "two values");
  Value result = arguments[0];
  for (size_t i = 1; i < arguments.size(); ++i) {
    Result<Value> next = applyBinary(*op, result, arguments[i]);
    if (!next)
      return next;
    result = *next;
  }
  return result;
}
