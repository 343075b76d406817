#include "dialects/tdl/lambda/Lambda.h"

#include <charconv>
#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

// How tightly things bind, as in Parser.cpp.
enum Level { Ternary, Or, And, Not, Compare, Sum, Term, Unary, Power, Primary };

Level levelOf(BinaryOp op, DType type) {
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return Sum;
  case BinaryOp::Mul:
  case BinaryOp::Div:
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return Term;
  case BinaryOp::Pow:
    return Power;
  case BinaryOp::And:
    return type == DType::Bool ? And : Primary;
  case BinaryOp::Or:
    return type == DType::Bool ? Or : Primary;
  default:
    return isComparison(op) ? Compare : Primary;
  }
}

/// Shortest digits that read back as the same value of the type.
std::string realText(double value, DType type) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  if (value == 0)
    return std::signbit(value) ? "-0.0" : "0";
  char text[64];
  // Digits alone would be read as an integer, and must fit one.
  const bool scientific = std::fabs(value) >= 0x1p53;
  const auto print = [&](auto number) {
    char *end = text + sizeof text;
    return std::string(text, scientific
                                 ? std::to_chars(text, end, number,
                                                 std::chars_format::scientific)
                                       .ptr
                                 : std::to_chars(text, end, number).ptr);
  };
  if (type == DType::F64)
    return print(value);
  std::string shortest = print(float(value));
  double back = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), back);
  return float(back) == float(value) ? shortest : print(value);
}

/// The least integer's digits are out of range before the sign is seen.
std::string integerText(int64_t value) {
  return value == INT64_MIN ? "-9223372036854775807 - 1"
                            : std::to_string(value);
}

/// Literals, and choices between literals, take the type of what they meet;
/// everything else has one.
bool hasOwnType(const ExprRef &e) {
  if (isConstant(e))
    return e->type == DType::Bool;
  if (e->kind == ExprKind::Select)
    return hasOwnType(e->children[1]) || hasOwnType(e->children[2]);
  return true;
}

class Printer {
public:
  explicit Printer(const Lambda &scope) : scope(scope) {}

  /// `typed`: what is around tells a literal its type.
  void print(const ExprRef &e, Level least, bool typed) {
    const Level level = levelOf(e, typed);
    if (level < least)
      text += "(";
    printBare(e, typed);
    if (level < least)
      text += ")";
  }

  std::string text;

private:
  static bool isNegative(const ExprRef &e) {
    return e->kind == ExprKind::Float
               ? std::signbit(e->real) && !std::isnan(e->real)
               : e->integer < 0;
  }
  /// A literal that needs its type spelled out.
  static bool isWrapped(const ExprRef &e, bool typed) {
    if (!isConstant(e) || e->type == DType::Bool)
      return false;
    if (e->type == DType::U64 && e->integer < 0)
      return true;
    if (typed || e->type == DType::I64)
      return false;
    // A real literal on its own is f32.
    return e->type != DType::F32 ||
           realText(e->real, e->type).find_first_of(".eni") ==
               std::string::npos;
  }
  static Level levelOf(const ExprRef &e, bool typed) {
    switch (e->kind) {
    case ExprKind::Int:
    case ExprKind::Float:
      if (isWrapped(e, typed))
        return Primary;
      if (e->kind == ExprKind::Int && e->integer == INT64_MIN)
        return Sum;
      return isNegative(e) ? Unary : Primary;
    case ExprKind::Unary:
      return e->unary == UnaryOp::Neg   ? Unary
             : e->unary == UnaryOp::Not ? Not
                                        : Primary;
    case ExprKind::Binary:
      return ::levelOf(e->binary, e->children[0]->type);
    case ExprKind::Select:
      return Ternary;
    default:
      return Primary; // reads with `else` bring their own parentheses
    }
  }

  void printBare(const ExprRef &e, bool typed) {
    switch (e->kind) {
    case ExprKind::Index:
      text += scope.indexName(e->index);
      break;
    case ExprKind::Extent:
      text += "extent(" + scope.operands[size_t(e->operand)].name + ", " +
              std::to_string(e->dim) + ")";
      break;
    case ExprKind::Int:
    case ExprKind::Float:
      printConstant(e, typed);
      break;
    case ExprKind::Read:
      printRead(e);
      break;
    case ExprKind::Unary:
      printUnary(e);
      break;
    case ExprKind::Binary:
      printBinary(e);
      break;
    case ExprKind::Select: {
      const bool known =
          typed || hasOwnType(e->children[1]) || hasOwnType(e->children[2]);
      print(e->children[1], Or, known);
      text += " if ";
      print(e->children[0], Or, true);
      text += " else ";
      print(e->children[2], Ternary, known);
      break;
    }
    case ExprKind::Cast:
      text += std::string(name(e->type)) + "(";
      print(e->children[0], Ternary, false);
      text += ")";
      break;
    case ExprKind::Opaque:
      printOpaque(e);
      break;
    }
  }

  void printConstant(const ExprRef &e, bool typed) {
    if (e->type == DType::Bool) {
      text += e->integer ? "true" : "false";
      return;
    }
    std::string digits = e->kind == ExprKind::Float ? realText(e->real, e->type)
                                                    : integerText(e->integer);
    if (isWrapped(e, typed))
      digits = std::string(name(e->type)) + "(" + digits + ")";
    text += digits;
  }

  void printList(const std::vector<ExprRef> &items) {
    for (size_t i = 0; i < items.size(); ++i) {
      text += i ? ", " : "";
      if (items[i])
        print(items[i], Ternary, true);
      else
        text += ":";
    }
  }

  void printRead(const ExprRef &e) {
    text += e->otherwise ? "(" : "";
    text += scope.operands[size_t(e->operand)].name + "[";
    printList(e->children);
    text += "]";
    if (e->otherwise) {
      text += " else ";
      print(e->otherwise, Unary, true);
      text += ")";
    }
  }

  void printUnary(const ExprRef &e) {
    if (e->unary == UnaryOp::Neg || e->unary == UnaryOp::Not) {
      text += e->unary == UnaryOp::Neg ? "-" : "not ";
      return print(e->children[0], e->unary == UnaryOp::Neg ? Unary : Not,
                   false);
    }
    text += std::string(spelling(e->unary)) + "(";
    print(e->children[0], Ternary, false);
    text += ")";
  }

  /// Two constants are a division by zero that was not folded; of two bare
  /// literals it would be refused where the text is read.
  void printLeft(const ExprRef &e, Level least, bool typed) {
    const ExprRef &a = e->children[0];
    if (isConstant(a) && isConstant(e->children[1]))
      text += std::string(name(a->type)) + "(" + integerText(a->integer) + ")";
    else
      print(a, least, typed);
  }

  void printBinary(const ExprRef &e) {
    const ExprRef &a = e->children[0], &b = e->children[1];
    const bool typed = hasOwnType(a) || hasOwnType(b);
    BinaryOp op = e->binary;
    const Level level = ::levelOf(op, a->type);
    const std::string sign(spelling(op, a->type));
    if (level == Primary) {
      text += sign + "(";
      printLeft(e, Ternary, typed);
      text += ", ";
      print(b, Ternary, typed);
      text += ")";
      return;
    }
    // Comparisons don't chain; ** groups to the right, all others to the left.
    printLeft(e, level == Compare || level == Power ? Level(level + 1) : level,
              typed);
    // Index arithmetic has no i - 1, only i + -1 (see IndexSum).
    if (op == BinaryOp::Add && b->kind == ExprKind::Int &&
        b->type == DType::I64 && b->integer < 0 && b->integer != INT64_MIN) {
      text += " - " + std::to_string(-b->integer);
      return;
    }
    text += " " + sign + " ";
    print(b, level == Power ? Unary : Level(level + 1), typed);
  }

  void printOpaque(const ExprRef &e) {
    text += "@" + e->function + "(";
    for (size_t i = 0; i < e->slices.size(); ++i) {
      text += (i ? ", " : "") +
              scope.operands[size_t(e->slices[i].operand)].name + "[";
      printList(e->slices[i].index);
      text += "]";
    }
    for (double argument : e->arguments)
      text += ", " + realText(argument, DType::F64);
    text += ")[";
    printList(e->children);
    text += "]";
  }

  const Lambda &scope;
};

std::string list(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? " " : ", ") + name;
  return text;
}

} // namespace

std::string tdl::toString(const ExprRef &e, const Lambda &scope) {
  Printer printer(scope);
  printer.print(e, Ternary, true);
  return printer.text;
}

std::string tdl::toString(const Lambda &lambda) {
  std::string text = "(";
  for (const Operand &operand : lambda.operands) {
    text += text.size() > 1 ? ", " : "";
    text += operand.name + ": " + std::string(name(operand.type)) + "[" +
            std::to_string(operand.rank) + "]";
  }
  text += ") -> " + std::string(name(lambda.result)) + ": lambda" +
          list(lambda.outputs) + ": ";
  if (lambda.reducer == Reducer::None)
    return text + toString(lambda.body, lambda);
  text += std::string(name(lambda.reducer)) + "(lambda" +
          list(lambda.reductions) + ": " + toString(lambda.body, lambda);
  if (lambda.guard)
    text += " where " + toString(lambda.guard, lambda);
  return text + ")";
}
