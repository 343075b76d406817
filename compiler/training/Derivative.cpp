#include "compiler/training/Derivative.h"

using namespace smex;
using namespace smex::tdl;

namespace {

bool isNumber(const ExprRef &e, double value) {
  return e->kind == ExprKind::Float && e->real == value;
}

ExprRef number(double value, const ExprRef &like) {
  return tdl::constant(value, like->type);
}
ExprRef add(const ExprRef &a, const ExprRef &b) {
  return binary(BinaryOp::Add, a, b);
}
ExprRef subtract(const ExprRef &a, const ExprRef &b) {
  return binary(BinaryOp::Sub, a, b);
}
// Null is zero, and stays it.
ExprRef multiply(const ExprRef &a, const ExprRef &b) {
  return a ? binary(BinaryOp::Mul, a, b) : a;
}
ExprRef divide(const ExprRef &a, const ExprRef &b) {
  return a ? binary(BinaryOp::Div, a, b) : a;
}
ExprRef negate(const ExprRef &a) { return a ? unary(UnaryOp::Neg, a) : a; }
ExprRef square(const ExprRef &a) { return multiply(a, a); }
ExprRef orZero(const ExprRef &slope, const ExprRef &like) {
  return slope ? slope : number(0, like);
}

bool sameElement(const ExprRef &a, const ExprRef &b) {
  if (a->kind != ExprKind::Read || a->operand != b->operand)
    return false;
  for (size_t d = 0; d < a->children.size(); ++d)
    if (!equal(a->children[d], b->children[d]))
      return false;
  return true;
}

/// The slope of a unary function at `a`, null where it is flat.
ExprRef slopeOf(UnaryOp op, const ExprRef &a) {
  const ExprRef one = number(1, a);
  switch (op) {
  case UnaryOp::Neg:
    return number(-1, a);
  case UnaryOp::Abs:
    return unary(UnaryOp::Sign, a);
  case UnaryOp::Exp:
    return unary(UnaryOp::Exp, a);
  case UnaryOp::Sqrt:
    return divide(number(0.5, a), unary(UnaryOp::Sqrt, a));
  case UnaryOp::Erf: // 2 / sqrt(pi)
    return multiply(number(1.1283791670955126, a),
                    unary(UnaryOp::Exp, negate(square(a))));
  case UnaryOp::Sin:
    return unary(UnaryOp::Cos, a);
  case UnaryOp::Cos:
    return negate(unary(UnaryOp::Sin, a));
  case UnaryOp::Tan:
    return add(one, square(unary(UnaryOp::Tan, a)));
  case UnaryOp::Asin:
    return divide(one, unary(UnaryOp::Sqrt, subtract(one, square(a))));
  case UnaryOp::Acos:
    return divide(number(-1, a),
                  unary(UnaryOp::Sqrt, subtract(one, square(a))));
  case UnaryOp::Atan:
    return divide(one, add(one, square(a)));
  case UnaryOp::Sinh:
    return unary(UnaryOp::Cosh, a);
  case UnaryOp::Cosh:
    return unary(UnaryOp::Sinh, a);
  case UnaryOp::Tanh:
    return subtract(one, square(unary(UnaryOp::Tanh, a)));
  case UnaryOp::Asinh:
    return divide(one, unary(UnaryOp::Sqrt, add(square(a), one)));
  case UnaryOp::Acosh:
    return divide(one, unary(UnaryOp::Sqrt, subtract(square(a), one)));
  case UnaryOp::Atanh:
    return divide(one, subtract(one, square(a)));
  case UnaryOp::Log: // slopeOfLog
  case UnaryOp::Not:
  case UnaryOp::BitNot:
  case UnaryOp::Sign:
  case UnaryOp::Floor:
  case UnaryOp::Ceil:
  case UnaryOp::Round:
  case UnaryOp::Trunc:
  case UnaryOp::IsNan:
  case UnaryOp::IsInf:
    return nullptr;
  }
  return nullptr;
}

/// u, where e is 1 + exp(u) or exp(u) + 1.
ExprRef exponentOf(const ExprRef &e) {
  if (e->kind != ExprKind::Binary || e->binary != BinaryOp::Add)
    return nullptr;
  for (int side : {0, 1}) {
    const ExprRef &other = e->children[size_t(1 - side)];
    const ExprRef &part = e->children[size_t(side)];
    if (isNumber(other, 1) && part->kind == ExprKind::Unary &&
        part->unary == UnaryOp::Exp)
      return part->children[0];
  }
  return nullptr;
}

/// log(b): db / b. Of 1 + exp(u), du / (1 + exp(-u)): no infinity is divided by
/// another where exp(u) is out of range.
ExprRef slopeOfLog(const ExprRef &b, const ExprRef &db, const ExprRef &target) {
  const ExprRef u = exponentOf(b);
  if (!u)
    return divide(db, b);
  const bool negated = u->kind == ExprKind::Unary && u->unary == UnaryOp::Neg;
  const ExprRef minus = negated ? u->children[0] : negate(u);
  return divide(training::derivative(u, target),
                add(number(1, b), unary(UnaryOp::Exp, minus)));
}

/// a / b: da / b - db * (a / b) / b, where no square is out of range. Of b = 1
/// + exp(u), du * (a / b) * (1 - 1 / b): of the logistic function, y * (1 - y).
ExprRef slopeOfQuotient(const ExprRef &a, const ExprRef &b, const ExprRef &da,
                        const ExprRef &db, const ExprRef &target) {
  using training::product;
  ExprRef shrinks;
  if (const ExprRef u = exponentOf(b); u && db)
    shrinks = product(product(training::derivative(u, target), divide(a, b)),
                      subtract(number(1, b), divide(number(1, b), b)));
  else if (db)
    shrinks = divide(product(db, divide(a, b)), b);
  return training::sum(divide(da, b), negate(shrinks));
}

/// a ** b: b * a ** (b - 1) by a, which is 0 for b = 0; a ** b * log(a) by b,
/// which is 0 at a = 0 unless b is negative.
ExprRef slopeOfPower(const ExprRef &a, const ExprRef &b, const ExprRef &da,
                     const ExprRef &db) {
  ExprRef slope;
  if (da) {
    const bool isSquare = b->kind == ExprKind::Float && b->real == 2;
    const ExprRef power =
        isSquare ? a : binary(BinaryOp::Pow, a, subtract(b, number(1, b)));
    slope = multiply(training::product(da, b), power);
    if (slope && !isConstant(b)) // not 0 times infinity
      slope =
          select(binary(BinaryOp::Eq, b, number(0, b)), number(0, a), slope);
  }
  if (db) {
    const ExprRef zero = number(0, a);
    const ExprRef grows =
        multiply(binary(BinaryOp::Pow, a, b), unary(UnaryOp::Log, a));
    const ExprRef isFlat = binary(BinaryOp::And, binary(BinaryOp::Eq, a, zero),
                                  binary(BinaryOp::Ge, b, zero));
    slope = training::sum(slope,
                          training::product(db, select(isFlat, zero, grows)));
  }
  return slope;
}

/// The slope of the operand that is taken. Where both are equal, two variables
/// have half of it each; one that meets a bound, which is no variable, has
/// none.
ExprRef slopeOfExtremum(BinaryOp op, const ExprRef &a, const ExprRef &b,
                        const ExprRef &da, const ExprRef &db) {
  const BinaryOp wins = op == BinaryOp::Max ? BinaryOp::Gt : BinaryOp::Lt;
  const ExprRef zero = number(0, a);
  if (!db && !readsData(b))
    return select(binary(wins, a, b), da, zero);
  if (!da && !readsData(a))
    return select(binary(wins, b, a), db, zero);
  const ExprRef half = multiply(number(0.5, a), training::sum(da, db));
  return select(binary(wins, a, b), orZero(da, a),
                select(binary(wins, b, a), orZero(db, b), half));
}

ExprRef slopeOf(BinaryOp op, const ExprRef &a, const ExprRef &b,
                const ExprRef &da, const ExprRef &db) {
  using training::product;
  using training::sum;
  switch (op) {
  case BinaryOp::Add:
    return sum(da, db);
  case BinaryOp::Sub:
    return sum(da, negate(db));
  case BinaryOp::Mul:
    return sum(product(da, b), product(db, a));
  case BinaryOp::Pow:
    return slopeOfPower(a, b, da, db);
  case BinaryOp::Min:
  case BinaryOp::Max:
    return slopeOfExtremum(op, a, b, da, db);
  case BinaryOp::Mod:
    return sum(da, negate(product(db, binary(BinaryOp::FloorDiv, a, b))));
  case BinaryOp::Rem:
    return sum(da, negate(product(db, unary(UnaryOp::Trunc, divide(a, b)))));
  case BinaryOp::Atan2: {
    const ExprRef norm = add(square(a), square(b));
    return sum(divide(product(da, b), norm),
               negate(divide(product(db, a), norm)));
  }
  default:
    return nullptr; // integers, comparisons, steps
  }
}

/// Within the operand's extents.
ExprRef inRange(const Expr &read) {
  ExprRef all;
  for (size_t d = 0; d < read.children.size(); ++d) {
    const ExprRef &at = read.children[d];
    const ExprRef here =
        binary(BinaryOp::And, binary(BinaryOp::Ge, at, constant(0)),
               binary(BinaryOp::Lt, at, extentOf(read.operand, int(d))));
    all = all ? binary(BinaryOp::And, all, here) : here;
  }
  return all;
}

} // namespace

ExprRef training::product(const ExprRef &a, const ExprRef &b) {
  if (!a || !b || isNumber(a, 0) || isNumber(b, 0))
    return nullptr;
  return isNumber(a, 1) ? b : isNumber(b, 1) ? a : multiply(a, b);
}

ExprRef training::sum(const ExprRef &a, const ExprRef &b) {
  return !a ? b : !b ? a : add(a, b);
}

ExprRef training::derivative(const ExprRef &e, const ExprRef &target) {
  if (!isFloat(e->type))
    return nullptr;
  switch (e->kind) {
  case ExprKind::Read: {
    if (sameElement(e, target))
      return number(1, e);
    const ExprRef outside =
        e->otherwise ? derivative(e->otherwise, target) : nullptr;
    const ExprRef inside = outside ? inRange(*e) : nullptr;
    return inside ? select(inside, number(0, e), outside) : outside;
  }
  case ExprKind::Unary: {
    const ExprRef inner = derivative(e->children[0], target);
    if (inner && e->unary == UnaryOp::Log)
      return slopeOfLog(e->children[0], inner, target);
    const ExprRef slope = inner ? slopeOf(e->unary, e->children[0]) : nullptr;
    return slope ? product(inner, slope) : nullptr;
  }
  case ExprKind::Binary: {
    const ExprRef &a = e->children[0], &b = e->children[1];
    const ExprRef da = derivative(a, target), db = derivative(b, target);
    if (e->binary == BinaryOp::Div)
      return slopeOfQuotient(a, b, da, db, target);
    return da || db ? slopeOf(e->binary, a, b, da, db) : nullptr;
  }
  case ExprKind::Select: {
    const ExprRef yes = derivative(e->children[1], target);
    const ExprRef no = derivative(e->children[2], target);
    return yes || no ? select(e->children[0], orZero(yes, e), orZero(no, e))
                     : nullptr;
  }
  case ExprKind::Cast: {
    const ExprRef inner = derivative(e->children[0], target);
    return inner ? cast(e->type, inner) : nullptr;
  }
  default:
    return nullptr;
  }
}

std::vector<ExprRef> training::differentiableReads(const tdl::Lambda &lambda,
                                                   int operand) {
  std::vector<ExprRef> reads;
  if (!isFloat(lambda.operands[size_t(operand)].type))
    return reads;
  walk(lambda.body, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read || e->operand != operand)
      return;
    for (const ExprRef &known : reads)
      if (sameElement(known, e))
        return;
    if (derivative(lambda.body, e))
      reads.push_back(e);
  });
  return reads;
}
