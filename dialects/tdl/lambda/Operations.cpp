// What the operations are called and which types they take.
#include "dialects/tdl/lambda/Expr.h"

using namespace smex;
using namespace smex::tdl;

std::string_view tdl::spelling(UnaryOp op) {
  // In the order of the enumeration.
  static constexpr std::string_view names[] = {
      "-",     "not",   "bitnot", "abs",   "sign",  "floor", "ceil",
      "round", "trunc", "exp",    "log",   "sqrt",  "erf",   "sin",
      "cos",   "tan",   "asin",   "acos",  "atan",  "sinh",  "cosh",
      "tanh",  "asinh", "acosh",  "atanh", "isnan", "isinf"};
  return names[size_t(op)];
}

std::string_view tdl::spelling(BinaryOp op, DType type) {
  const bool isBool = type == DType::Bool;
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::FloorDiv:
    return "//";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::Rem:
    return "fmod";
  case BinaryOp::Pow:
    return "**";
  case BinaryOp::Min:
    return "min";
  case BinaryOp::Max:
    return "max";
  case BinaryOp::Atan2:
    return "atan2";
  case BinaryOp::And:
    return isBool ? "and" : "bitand";
  case BinaryOp::Or:
    return isBool ? "or" : "bitor";
  case BinaryOp::Xor:
    return isBool ? "xor" : "bitxor";
  case BinaryOp::Shl:
    return "shl";
  case BinaryOp::Shr:
    return "shr";
  case BinaryOp::Eq:
    return "==";
  case BinaryOp::Ne:
    return "!=";
  case BinaryOp::Lt:
    return "<";
  case BinaryOp::Le:
    return "<=";
  case BinaryOp::Gt:
    return ">";
  case BinaryOp::Ge:
    return ">=";
  }
  return "";
}

bool tdl::isComparison(BinaryOp op) { return op >= BinaryOp::Eq; }

bool tdl::accepts(UnaryOp op, DType type) {
  switch (op) {
  case UnaryOp::Not:
    return type == DType::Bool;
  case UnaryOp::BitNot:
    return isInteger(type);
  case UnaryOp::Neg:
  case UnaryOp::Abs:
  case UnaryOp::Sign:
    return type != DType::Bool;
  default:
    return isFloat(type);
  }
}

bool tdl::accepts(BinaryOp op, DType type) {
  switch (op) {
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Xor:
    return !isFloat(type);
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    return isInteger(type);
  case BinaryOp::Atan2:
    return isFloat(type);
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Min:
  case BinaryOp::Max:
    return true;
  default:
    return type != DType::Bool;
  }
}
