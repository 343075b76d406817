#include "dialects/tdl/lambda/Simplify.h"

#include "dialects/tdl/lambda/IndexSum.h"
#include "dialects/tdl/lambda/RawExpr.h"

#include <numeric>

using namespace smex;
using namespace smex::tdl;

namespace {

int64_t floorMod(int64_t a, int64_t positive) {
  const int64_t rest = a % positive;
  return rest < 0 ? rest + positive : rest;
}

int64_t floorDiv(int64_t a, int64_t positive) {
  return a / positive - (a % positive < 0);
}

bool isBinary(const ExprRef &e, BinaryOp op) {
  return e->kind == ExprKind::Binary && e->binary == op;
}

class Simplifier {
public:
  explicit Simplifier(const std::vector<Interval> &indices)
      : indices(indices) {}

  ExprRef run(const ExprRef &e) {
    if (e->kind != ExprKind::Binary || e->children[0]->type != DType::I64)
      return e;
    const ExprRef &a = e->children[0], &b = e->children[1];
    if (isComparison(e->binary))
      return compare(e);
    switch (e->binary) {
    case BinaryOp::FloorDiv:
      return isDivisor(b) ? divide(a, b->integer) : e;
    case BinaryOp::Mod:
      return isDivisor(b) ? modulo(a, b->integer) : e;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return rejoin(e);
    case BinaryOp::Min:
    case BinaryOp::Max:
      return extremum(e);
    default:
      return e;
    }
  }

private:
  static bool isDivisor(const ExprRef &e) {
    return e->kind == ExprKind::Int && e->integer > 0;
  }
  std::optional<Range> range(const ExprRef &e) const {
    return rangeOf(e, indices);
  }

  /// A sum taken apart: multiples of a divisor, and the rest, whose constant is
  /// less than it.
  struct Parts {
    IndexSum multiples, rest; // multiples: divided already
  };
  std::optional<Parts> split(const ExprRef &e, int64_t divisor) const {
    Parts parts;
    const IndexSum sum = indexSum(e);
    for (const IndexSum::Term &term : sum.terms) {
      const bool divides = term.factor % divisor == 0;
      if (divides)
        parts.multiples.terms.push_back({term.atom, term.factor / divisor});
      else
        parts.rest.terms.push_back(term);
    }
    parts.rest.constant = floorMod(sum.constant, divisor);
    parts.multiples.constant = floorDiv(sum.constant, divisor);
    // The parts must not wrap where the whole does not.
    if (!range(e) || !range(parts.rest.build()) ||
        !range(parts.multiples.build()))
      return std::nullopt;
    return parts;
  }

  ExprRef divide(const ExprRef &a, int64_t divisor) {
    if (const auto values = range(a)) {
      const int64_t lo = floorDiv(values->lo, divisor);
      if (lo == floorDiv(values->hi, divisor))
        return constant(lo);
    }
    int64_t product;
    if (isBinary(a, BinaryOp::FloorDiv) && isDivisor(a->children[1]) &&
        !__builtin_mul_overflow(a->children[1]->integer, divisor, &product))
      return divide(a->children[0], product);
    const auto parts = split(a, divisor);
    if (!parts)
      return quotient(a, divisor);
    if (parts->multiples.terms.empty())
      return shorten(a, divisor);
    // (4 * i + j) // 4 = i + j // 4, which often is i.
    return binary(BinaryOp::Add, parts->multiples.build(),
                  divide(parts->rest.build(), divisor));
  }

  /// (12 * i + 4 * j + k) // 24 = (3 * i + j) // 6, where k < 4.
  ExprRef shorten(const ExprRef &a, int64_t divisor) {
    for (const IndexSum::Term &term : indexSum(a).terms) {
      const int64_t common = std::gcd(divisor, term.factor % divisor);
      if (common <= 1 || common == divisor)
        continue;
      const auto parts = split(a, common);
      const auto rest = parts ? range(parts->rest.build()) : std::nullopt;
      if (rest && rest->lo >= 0 && rest->hi < common)
        return divide(parts->multiples.build(), divisor / common);
    }
    return quotient(a, divisor);
  }

  static ExprRef quotient(const ExprRef &a, int64_t divisor) {
    return binary(BinaryOp::FloorDiv, a, constant(divisor));
  }

  ExprRef modulo(const ExprRef &a, int64_t divisor) {
    const auto values = range(a);
    if (values && values->lo >= 0 && values->hi < divisor)
      return a;
    // x % 12 % 4 = x % 4
    if (isBinary(a, BinaryOp::Mod) && isDivisor(a->children[1]) &&
        a->children[1]->integer % divisor == 0)
      return modulo(a->children[0], divisor);
    const auto parts = split(a, divisor);
    if (parts && !parts->multiples.terms.empty())
      return modulo(parts->rest.build(), divisor);
    return binary(BinaryOp::Mod, a, constant(divisor));
  }

  /// x // 4 * 4 + x % 4 = x
  ExprRef rejoin(const ExprRef &e) {
    IndexSum sum = indexSum(e);
    for (size_t m = 0; m < sum.terms.size(); ++m) {
      const IndexSum::Term rest = sum.terms[m];
      if (!isBinary(rest.atom, BinaryOp::Mod) ||
          !isDivisor(rest.atom->children[1]))
        continue;
      int64_t factor;
      if (__builtin_mul_overflow(rest.factor, rest.atom->children[1]->integer,
                                 &factor))
        continue;
      const ExprRef whole =
          divide(rest.atom->children[0], rest.atom->children[1]->integer);
      for (size_t d = 0; d < sum.terms.size(); ++d) {
        if (sum.terms[d].factor != factor || !equal(sum.terms[d].atom, whole))
          continue;
        sum.terms.erase(sum.terms.begin() + std::ptrdiff_t(std::max(m, d)));
        sum.terms.erase(sum.terms.begin() + std::ptrdiff_t(std::min(m, d)));
        sum.add(rest.atom->children[0], rest.factor);
        return rejoin(sum.build());
      }
    }
    return e;
  }

  /// `(x if c else k) == v`, which is `c and x == v` where v is never k: the
  /// number of a node, which an edge that counts for nothing does not lead to.
  /// And so for every comparison that is certain for one of the choices.
  ExprRef chosen(const ExprRef &e, size_t side) {
    const ExprRef &select = e->children[side];
    if (select->kind != ExprKind::Select)
      return nullptr;
    const auto of = [&](size_t choice) {
      std::vector<ExprRef> sides = e->children;
      sides[side] = select->children[choice];
      return run(binary(e->binary, sides[0], sides[1]));
    };
    for (size_t choice : {2, 1}) {
      const ExprRef certain = of(choice);
      if (certain->kind != ExprKind::Int)
        continue;
      // True where this choice is not taken, or where it is.
      const bool elsewhere = (choice == 2) != (certain->integer != 0);
      const ExprRef &condition = select->children[0];
      return binary(certain->integer ? BinaryOp::Or : BinaryOp::And,
                    elsewhere ? condition : unary(UnaryOp::Not, condition),
                    of(3 - choice));
    }
    return nullptr;
  }

  ExprRef compare(const ExprRef &e) {
    for (size_t side : {0, 1})
      if (ExprRef found = chosen(e, side))
        return found;
    const auto a = range(e->children[0]), b = range(e->children[1]);
    if (!a || !b)
      return e;
    const bool below = a->hi<b->lo, above = a->lo> b->hi;
    const bool notAbove = a->hi <= b->lo, notBelow = a->lo >= b->hi;
    const auto decide = [&](bool isTrue, bool isFalse) {
      return isTrue    ? constant(1, DType::Bool)
             : isFalse ? constant(0, DType::Bool)
                       : e;
    };
    switch (e->binary) {
    case BinaryOp::Lt:
      return decide(below, notBelow);
    case BinaryOp::Le:
      return decide(notAbove, above);
    case BinaryOp::Gt:
      return decide(above, notAbove);
    case BinaryOp::Ge:
      return decide(notBelow, below);
    case BinaryOp::Eq:
      return decide(notAbove && notBelow, below || above);
    default:
      return decide(below || above, notAbove && notBelow);
    }
  }

  ExprRef extremum(const ExprRef &e) {
    const auto a = range(e->children[0]), b = range(e->children[1]);
    if (!a || !b)
      return e;
    const bool isMin = e->binary == BinaryOp::Min;
    if (a->hi <= b->lo)
      return e->children[isMin ? 0 : 1];
    if (b->hi <= a->lo)
      return e->children[isMin ? 1 : 0];
    return e;
  }

  const std::vector<Interval> &indices;
};

} // namespace

ExprRef tdl::simplifyNode(const ExprRef &e,
                          const std::vector<Interval> &indices) {
  return Simplifier(indices).run(e);
}
