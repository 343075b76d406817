// What the text of a value means while a lambda is being made: something known
// already (a number, a type, a string), or an expression. Literals have no type
// of their own: they take that of the expression they meet.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_VALUE_H
#define SMEX_DIALECTS_TDL_LAMBDA_VALUE_H

#include "dialects/support/Result.h"
#include "dialects/tdl/lambda/Expr.h"

#include <optional>

namespace smex::tdl {

struct Value {
  enum Kind : uint8_t { Integer, Real, Bool, String, Type, Data };
  Kind kind = Integer;
  int64_t integer = 0; // Bool: 0 or 1
  double real = 0;
  std::string text;
  DType type{};
  ExprRef data;
  /// Data: made of literals only, as in `1 if c else 2`; takes the type of what
  /// it meets, too. Provisionally i64 or f64.
  bool isFlexible = false;

  static Value of(int64_t value) { return number(Integer, value, 0); }
  static Value of(double value) { return number(Real, 0, value); }
  static Value of(bool value) { return number(Bool, value, 0); }
  static Value of(DType type);
  static Value of(std::string text);
  /// Constants of type bool become known.
  static Value of(ExprRef data, bool isFlexible = false);

  bool isNumber() const { return kind == Integer || kind == Real; }

private:
  static Value number(Kind kind, int64_t integer, double real);
};

/// "3", "the string \"floor\"", "a value of type f32": for messages.
std::string describe(const Value &value);

/// A known integer: also a real one without a fraction, and an i64 constant.
std::optional<int64_t> knownInteger(const Value &value);
/// Known, and true or not.
std::optional<bool> knownBool(const Value &value);
std::optional<double> knownReal(const Value &value);

/// The value as an expression of a type: literals convert (0.5 can't become an
/// integer, 300 no i8), expressions must have it.
Result<ExprRef> asType(const Value &value, DType type);
/// The value as an expression: a literal as i64, f32 or bool.
Result<ExprRef> asExpr(const Value &value);
/// The value as an index: any integer type, made i64.
Result<ExprRef> asIndex(const Value &value);

/// Known integers serve as conditions, as in Python: attributes are 0 or 1.
inline Value asCondition(const Value &value) {
  return value.kind == Value::Integer ? Value::of(value.integer != 0) : value;
}

/// The operations, on known values at once. Errors don't say where.
Result<Value> applyUnary(UnaryOp op, const Value &a);
Result<Value> applyBinary(BinaryOp op, const Value &a, const Value &b);
Result<Value> applySelect(const Value &condition, const Value &a,
                          const Value &b);
/// As written: f32(v) of a literal is a constant of that type.
Result<Value> applyCast(DType type, const Value &a);
/// abs(v), max(a, b, ...), f32(v) and the like; null: there is no such
/// function.
bool isFunction(std::string_view name);
Result<Value> applyFunction(std::string_view name,
                            const std::vector<Value> &arguments);

/// inf, nan, pi, true, false and the types.
std::optional<Value> reservedValue(std::string_view name);

} // namespace smex::tdl

#endif
