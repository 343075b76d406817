#include "dialects/tdl/analysis/Epilogue.h"

#include "dialects/tdl/analysis/ProductOfReads.h"

#include <array>
#include <cmath>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;
using tdl::UnaryOp;

namespace {

/// By the power of z.
using Polynomial = std::array<double, 4>;

/// a + b * tanh(u)
struct WithTanh {
  double a = 0, b = 0;
  ExprRef u;
};

std::optional<double> numberOf(const ExprRef &e) {
  if (e->kind == ExprKind::Float)
    return e->real;
  if (e->kind == ExprKind::Int)
    return double(e->integer);
  return std::nullopt;
}

bool isNear(double value, double wanted) {
  return std::abs(value - wanted) <= 1e-5 * std::abs(wanted);
}

class Matcher {
public:
  Matcher(const tdl::Lambda &lambda, int product)
      : lambda(lambda), product(product) {}

  std::optional<Epilogue> match() {
    const size_t operands = lambda.operands.size();
    if (lambda.reducer != tdl::Reducer::None || lambda.rank() < 1 ||
        operands < 1 || operands > 2 || product < 0 ||
        product >= int(operands) || !isFloat(lambda.result))
      return std::nullopt;
    for (const tdl::Operand &operand : lambda.operands)
      if (operand.type != lambda.result)
        return std::nullopt;
    Epilogue found;
    hasBias = operands == 2;
    if (hasBias) {
      found.bias = 1 - product;
      found.leading = leadingOfBias();
    }
    const ExprRef &body = within(lambda.body);
    if (hasBias && isSum(body))
      return found;
    found.activation = isRelu(body)   ? Activation::Relu
                       : isGelu(body) ? Activation::Gelu
                                      : Activation::None;
    return found.activation == Activation::None
               ? std::nullopt
               : std::optional<Epilogue>(found);
  }

private:
  /// Without conversions that lose no more than rounding the result does.
  const ExprRef &within(const ExprRef &e) const {
    if (e->kind != ExprKind::Cast || !isFloat(e->type) ||
        !isFloat(e->children[0]->type) ||
        (e->type != lambda.result &&
         byteSize(e->type) <= byteSize(lambda.result)))
      return e;
    return within(e->children[0]);
  }

  bool isProduct(const ExprRef &e) const {
    return isReadOf(e, product) && int(e->children.size()) == lambda.rank() &&
           takesLast(e, 0);
  }
  bool isBias(const ExprRef &e) const {
    if (!isReadOf(e, 1 - product))
      return false;
    const size_t leading = zerosOf(e);
    return leading < e->children.size() && takesLast(e, leading);
  }
  static size_t zerosOf(const ExprRef &read) {
    size_t leading = 0;
    while (leading < read->children.size() &&
           read->children[leading]->kind == ExprKind::Int &&
           read->children[leading]->integer == 0)
      ++leading;
    return leading;
  }
  /// That all its reads have the same, isZ() sees to.
  int leadingOfBias() const {
    int leading = -1;
    tdl::walk(lambda.body, [&](const ExprRef &e) {
      if (isReadOf(e, 1 - product))
        leading = int(zerosOf(e));
    });
    return leading;
  }
  static bool isReadOf(const ExprRef &e, int operand) {
    return e->kind == ExprKind::Read && e->operand == operand && !e->otherwise;
  }
  /// From this dimension on, the result's last index variables.
  bool takesLast(const ExprRef &read, size_t from) const {
    const size_t count = read->children.size() - from;
    if (count > size_t(lambda.rank()))
      return false;
    for (size_t d = 0; d < count; ++d)
      if (!isIndex(read->children[from + d], lambda.rank() - int(count - d)))
        return false;
    return true;
  }

  /// The product and the bias.
  bool isSum(const ExprRef &given) const {
    const ExprRef &e = within(given);
    if (e->kind != ExprKind::Binary || e->binary != BinaryOp::Add)
      return false;
    const ExprRef &left = within(e->children[0]),
                  &right = within(e->children[1]);
    return (isProduct(left) && isBias(right)) ||
           (isBias(left) && isProduct(right));
  }
  /// What is activated.
  bool isZ(const ExprRef &e) const {
    return hasBias ? isSum(e) : isProduct(within(e));
  }

  bool isRelu(const ExprRef &e) const {
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Max) {
      const ExprRef &left = within(e->children[0]),
                    &right = within(e->children[1]);
      return (isZ(left) && isZero(right)) || (isZero(left) && isZ(right));
    }
    if (e->kind != ExprKind::Select)
      return false;
    const ExprRef &condition = e->children[0];
    return condition->kind == ExprKind::Binary &&
           (condition->binary == BinaryOp::Gt ||
            condition->binary == BinaryOp::Ge) &&
           isZ(condition->children[0]) &&
           isZero(within(condition->children[1])) && isZ(e->children[1]) &&
           isZero(within(e->children[2]));
  }

  /// Factors are multiplied out as far as they are polynomials of z; the one
  /// that is none has the tanh.
  bool isGelu(const ExprRef &e) const {
    Polynomial outside = {1, 0, 0, 0};
    std::optional<WithTanh> inside;
    if (!factors(e, outside, inside) || !inside)
      return false;
    const auto u = polynomial(inside->u);
    const double scale = std::sqrt(2 / std::acos(-1.0));
    const auto isOnly = [](const Polynomial &of, int power) {
      for (int p = 0; p < 4; ++p)
        if (p != power && of[size_t(p)] != 0)
          return false;
      return true;
    };
    return u && (*u)[0] == 0 && (*u)[2] == 0 && isNear((*u)[1], scale) &&
           isNear((*u)[3], 0.044715 * scale) && isOnly(outside, 1) &&
           isNear(outside[1] * inside->a, 0.5) &&
           isNear(outside[1] * inside->b, 0.5);
  }

  bool factors(const ExprRef &given, Polynomial &outside,
               std::optional<WithTanh> &inside) const {
    const ExprRef &e = within(given);
    if (const auto own = polynomial(e)) {
      const auto all = times(outside, *own);
      if (all)
        outside = *all;
      return all.has_value();
    }
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Mul)
      return factors(e->children[0], outside, inside) &&
             factors(e->children[1], outside, inside);
    if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Div) {
      const auto divisor = numberOf(within(e->children[1]));
      if (!divisor || *divisor == 0)
        return false;
      for (double &each : outside)
        each /= *divisor;
      return factors(e->children[0], outside, inside);
    }
    if (inside)
      return false;
    inside = withTanh(e);
    return inside.has_value();
  }

  std::optional<WithTanh> withTanh(const ExprRef &given) const {
    const ExprRef &e = within(given);
    if (e->kind == ExprKind::Unary && e->unary == UnaryOp::Tanh)
      return WithTanh{0, 1, e->children[0]};
    if (e->kind != ExprKind::Binary)
      return std::nullopt;
    for (size_t side : {0, 1}) {
      const auto number = numberOf(within(e->children[side]));
      if (!number)
        continue;
      auto made = withTanh(e->children[1 - side]);
      if (!made)
        return std::nullopt;
      if (e->binary == BinaryOp::Add) {
        made->a += *number;
      } else if (e->binary == BinaryOp::Mul) {
        made->a *= *number;
        made->b *= *number;
      } else {
        return std::nullopt;
      }
      return made;
    }
    return std::nullopt;
  }

  /// Of z, up to its cube.
  std::optional<Polynomial> polynomial(const ExprRef &given) const {
    const ExprRef &e = within(given);
    if (isZ(e))
      return Polynomial{0, 1, 0, 0};
    if (const auto number = numberOf(e))
      return Polynomial{*number, 0, 0, 0};
    if (e->kind != ExprKind::Binary)
      return std::nullopt;
    const auto left = polynomial(e->children[0]);
    if (!left)
      return std::nullopt;
    if (e->binary == BinaryOp::Pow)
      return power(*left, numberOf(within(e->children[1])));
    const auto right = polynomial(e->children[1]);
    if (!right)
      return std::nullopt;
    Polynomial made = *left;
    switch (e->binary) {
    case BinaryOp::Add:
      for (size_t p = 0; p < made.size(); ++p)
        made[p] += (*right)[p];
      return made;
    case BinaryOp::Mul:
      return times(*left, *right);
    case BinaryOp::Div:
      if ((*right)[0] == 0 || *right != Polynomial{(*right)[0], 0, 0, 0})
        return std::nullopt;
      for (double &each : made)
        each /= (*right)[0];
      return made;
    default:
      return std::nullopt;
    }
  }

  static std::optional<Polynomial> power(const Polynomial &of,
                                         std::optional<double> exponent) {
    if (exponent == 2.0)
      return times(of, of);
    if (exponent != 3.0)
      return std::nullopt;
    const auto square = times(of, of);
    return square ? times(*square, of) : std::nullopt;
  }

  /// Nothing if it has a fourth power.
  static std::optional<Polynomial> times(const Polynomial &a,
                                         const Polynomial &b) {
    Polynomial made = {};
    for (size_t p = 0; p < 4; ++p)
      for (size_t q = 0; q < 4; ++q) {
        const double product = a[p] * b[q];
        if (p + q < 4)
          made[p + q] += product;
        else if (product != 0)
          return std::nullopt;
      }
    return made;
  }

  const tdl::Lambda &lambda;
  const int product;
  bool hasBias = false;
};

} // namespace

std::optional<Epilogue> analysis::matchEpilogue(const tdl::Lambda &lambda,
                                                int product) {
  return Matcher(lambda, product).match();
}
