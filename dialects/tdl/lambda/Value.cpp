#include "dialects/tdl/lambda/Value.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::tdl;

Value Value::number(Kind kind, int64_t integer, double real) {
  Value value;
  value.kind = kind;
  value.integer = integer;
  value.real = real;
  return value;
}

Value Value::of(DType type) {
  Value value;
  value.kind = Type;
  value.type = type;
  return value;
}

Value Value::of(std::string text) {
  Value value;
  value.kind = String;
  value.text = std::move(text);
  return value;
}

Value Value::of(ExprRef data, bool isFlexible) {
  if (data->kind == ExprKind::Int && data->type == DType::Bool)
    return of(data->integer != 0);
  Value value;
  value.kind = Data;
  value.data = std::move(data);
  value.isFlexible = isFlexible;
  return value;
}

std::string tdl::describe(const Value &value) {
  switch (value.kind) {
  case Value::Integer:
    return std::to_string(value.integer);
  case Value::Real: {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value.real);
    return text;
  }
  case Value::Bool:
    return value.integer ? "true" : "false";
  case Value::String:
    return "the string \"" + value.text + "\"";
  case Value::Type:
    return "the type " + std::string(name(value.type));
  case Value::Data:
    break;
  }
  return "a value of type " + std::string(name(value.data->type));
}

std::optional<int64_t> tdl::knownInteger(const Value &value) {
  if (value.kind == Value::Integer)
    return value.integer;
  if (value.kind == Value::Real && value.real == std::trunc(value.real) &&
      std::fabs(value.real) < 0x1p63)
    return int64_t(value.real);
  if (value.kind == Value::Data && value.data->kind == ExprKind::Int &&
      value.data->type == DType::I64)
    return value.data->integer;
  return std::nullopt;
}

std::optional<bool> tdl::knownBool(const Value &value) {
  if (value.kind == Value::Bool)
    return value.integer != 0;
  return std::nullopt;
}

std::optional<double> tdl::knownReal(const Value &value) {
  if (value.kind == Value::Real)
    return value.real;
  if (value.kind == Value::Integer || value.kind == Value::Bool)
    return double(value.integer);
  if (value.kind == Value::Data && isConstant(value.data))
    return value.data->kind == ExprKind::Float
               ? value.data->real
               : convert(value.data->type, DType::F64,
                         scalarOf(value.data->integer))
                     .real;
  return std::nullopt;
}

namespace {

/// Gives a flexible expression its type: down to the literals it is made of.
ExprRef retype(const ExprRef &e, DType type) {
  if (isConstant(e))
    return cast(type, e);
  std::vector<ExprRef> children;
  for (const ExprRef &child : e->children) {
    const bool isCondition = e->kind == ExprKind::Select && children.empty();
    children.push_back(isCondition ? child : retype(child, type));
  }
  Expr typed = *e;
  typed.type = type;
  return withChildren(typed, std::move(children), nullptr, {});
}

bool literalsFit(const ExprRef &e, DType type) {
  if (e->kind == ExprKind::Float)
    return isFloat(type) || e->real == std::trunc(e->real);
  if (e->kind == ExprKind::Int)
    return isFloat(type) || wrapTo(type, e->integer) == e->integer;
  for (size_t i = e->kind == ExprKind::Select; i < e->children.size(); ++i)
    if (!literalsFit(e->children[i], type))
      return false;
  return true;
}

Error mismatch(const Value &value, DType type) {
  return fail("expected ", name(type), ", got ", describe(value));
}

} // namespace

Result<ExprRef> tdl::asType(const Value &value, DType type) {
  switch (value.kind) {
  case Value::Integer:
    // Unsigned 64-bit values above 2^63 are written u64(-1).
    if (!isFloat(type) && (wrapTo(type, value.integer) != value.integer ||
                           (type == DType::U64 && value.integer < 0)))
      return fail(value.integer, " does not fit ", name(type));
    return constant(value.integer, type);
  case Value::Real:
    if (isFloat(type))
      return constant(value.real, type);
    if (auto integer = knownInteger(value))
      return asType(Value::of(*integer), type);
    return mismatch(value, type);
  case Value::Bool:
    if (type == DType::Bool)
      return constant(value.integer, type);
    return mismatch(value, type);
  case Value::Data:
    if (value.data->type == type)
      return value.data;
    if (value.isFlexible && literalsFit(value.data, type))
      return retype(value.data, type);
    return mismatch(value, type);
  default:
    return mismatch(value, type);
  }
}

Result<ExprRef> tdl::asExpr(const Value &value) {
  switch (value.kind) {
  case Value::Integer:
    return asType(value, DType::I64);
  case Value::Real:
    return asType(value, DType::F32);
  case Value::Bool:
    return asType(value, DType::Bool);
  case Value::Data:
    if (value.isFlexible && isFloat(value.data->type))
      return retype(value.data, DType::F32);
    return value.data;
  default:
    return fail("expected a number, got ", describe(value));
  }
}

Result<ExprRef> tdl::asIndex(const Value &value) {
  if (auto integer = knownInteger(value))
    return constant(*integer);
  if (value.kind == Value::Data && isInteger(value.data->type))
    return cast(DType::I64, value.data);
  return fail("expected an integer as index, got ", describe(value));
}

std::optional<Value> tdl::reservedValue(std::string_view name) {
  if (name == "inf")
    return Value::of(std::numeric_limits<double>::infinity());
  if (name == "nan")
    return Value::of(std::numeric_limits<double>::quiet_NaN());
  if (name == "pi")
    return Value::of(3.14159265358979323846);
  if (name == "true" || name == "false")
    return Value::of(name == "true");
  if (auto type = parseDType(name))
    return Value::of(*type);
  return std::nullopt;
}
