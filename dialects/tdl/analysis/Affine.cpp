#include "dialects/tdl/analysis/Affine.h"

#include "dialects/tdl/lambda/IndexSum.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

using Wide = __int128;
using Maybe = std::optional<Affine>;

std::optional<int64_t> checked(Wide value) {
  constexpr Wide limit = Wide(1) << 62;
  if (value <= -limit || value >= limit)
    return std::nullopt;
  return int64_t(value);
}

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t floorMod(int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }

Affine number(int64_t value) { return {{}, value}; }
Affine single(ExprRef atom) { return {{{std::move(atom), 1}}, 0}; }

bool isDivision(const ExprRef &e, BinaryOp op) {
  return e->kind == ExprKind::Binary && e->binary == op &&
         e->children[1]->kind == ExprKind::Int && e->children[1]->integer > 0;
}
int64_t divisor(const ExprRef &e) { return e->children[1]->integer; }

/// Longer sums are no index expressions of an operator, and not worth the time
/// that comparing all pairs of their terms would take.
constexpr size_t kTerms = 64;

/// Index variables in order, before all other atoms.
int rank(const ExprRef &atom) {
  return atom->kind == ExprKind::Index ? atom->index
                                       : std::numeric_limits<int>::max();
}

bool addTerm(Affine &a, const ExprRef &atom, int64_t factor) {
  const auto same = std::find_if(
      a.terms.begin(), a.terms.end(),
      [&](const Affine::Term &term) { return tdl::equal(term.atom, atom); });
  if (same == a.terms.end()) {
    const auto place = std::find_if(
        a.terms.begin(), a.terms.end(),
        [&](const Affine::Term &term) { return rank(term.atom) > rank(atom); });
    if (factor)
      a.terms.insert(place, {atom, factor});
    return a.terms.size() <= kTerms;
  }
  const auto sum = checked(Wide(same->factor) + factor);
  if (!sum)
    return false;
  same->factor = *sum;
  if (*sum == 0)
    a.terms.erase(same);
  return true;
}

/// An expression made by toExpr, taken apart again: its atoms are in normal
/// form already. (Normalizing them once more at every level would take time
/// exponential in the depth.)
Maybe fromExpr(const ExprRef &e) {
  const tdl::IndexSum sum = tdl::indexSum(e);
  Affine result = number(sum.constant);
  for (const tdl::IndexSum::Term &term : sum.terms)
    if (!addTerm(result, term.atom, term.factor))
      return std::nullopt;
  return result;
}

Maybe quotient(const Affine &a, int64_t m);
Maybe remainder(const Affine &a, int64_t m);

/// The sum without putting quotients and rests together again.
Maybe plainSum(Affine a, const Affine &b) {
  const auto constant = checked(Wide(a.constant) + b.constant);
  if (!constant)
    return std::nullopt;
  a.constant = *constant;
  for (const Affine::Term &term : b.terms)
    if (!addTerm(a, term.atom, term.factor))
      return std::nullopt;
  return a;
}

int64_t commonFactor(const Affine &a, int64_t start) {
  for (const Affine::Term &term : a.terms)
    start = std::gcd(start, term.factor);
  return start;
}

/// floor(rest / m), m > 1, where no term of `rest` is a multiple of m and its
/// constant is in [0, m).
Maybe quotientOfRest(Affine rest, int64_t m) {
  if (rest.isConstant())
    return number(0);
  // (g*A + c) // (g*m') = (A + c//g) // m'
  const int64_t g = commonFactor(rest, m);
  for (Affine::Term &term : rest.terms)
    term.factor /= g;
  rest.constant /= g;
  m /= g;
  const Affine::Term &first = rest.terms.front();
  if (rest.terms.size() == 1 && first.factor == 1) {
    const ExprRef atom = first.atom;
    if (isDivision(atom, BinaryOp::FloorDiv)) { // (x//k + c)//m
      const auto product = checked(Wide(divisor(atom)) * m);
      const auto shift = checked(Wide(divisor(atom)) * rest.constant);
      const auto inner = fromExpr(atom->children[0]);
      const auto sum =
          shift && inner ? plainSum(*inner, number(*shift)) : std::nullopt;
      if (product && sum)
        return single(tdl::binary(BinaryOp::FloorDiv, toExpr(*sum),
                                  tdl::constant(*product)));
    }
    if (isDivision(atom, BinaryOp::Mod) && rest.constant == 0) {
      if (divisor(atom) <= m) // x%k < k <= m
        return number(0);
      if (divisor(atom) % m == 0) { // (x%(k*m))//m = (x//m)%k
        const Maybe x = fromExpr(atom->children[0]);
        const Maybe whole = x ? quotient(*x, m) : std::nullopt;
        return whole ? remainder(*whole, divisor(atom) / m) : std::nullopt;
      }
    }
  }
  return single(
      tdl::binary(BinaryOp::FloorDiv, toExpr(rest), tdl::constant(m)));
}

Maybe quotient(const Affine &a, int64_t m) {
  Affine whole, rest;
  whole.constant = floorDiv(a.constant, m);
  rest.constant = floorMod(a.constant, m);
  // 7*i//4 is i + 3*i//4: both parts grow as 7*i does, so that an interval of
  // their sum is still exact, and the rest is that of 7*i%4.
  for (const Affine::Term &term : a.terms) {
    if (term.factor / m != 0)
      whole.terms.push_back({term.atom, term.factor / m});
    if (term.factor % m != 0)
      rest.terms.push_back({term.atom, term.factor % m});
  }
  if (m == 1)
    return whole;
  const Maybe part = quotientOfRest(std::move(rest), m);
  return part ? add(std::move(whole), *part) : std::nullopt;
}

Maybe remainder(const Affine &a, int64_t m) {
  Affine rest;
  for (const Affine::Term &term : a.terms) {
    // Only multiples of m are dropped, and the sign stays: -i % 4 is as good as
    // 3*i % 4, but its values lie closer together.
    const int64_t factor = term.factor % m;
    if (factor == 0)
      continue;
    // f*(x%k) = f*x modulo m, if f*k is a multiple of m.
    Maybe inner;
    if (isDivision(term.atom, BinaryOp::Mod) &&
        Wide(factor) * divisor(term.atom) % m == 0) {
      inner = fromExpr(term.atom->children[0]);
      if (inner)
        inner = scale(*inner, factor);
      for (size_t t = 0; inner && t < inner->terms.size();)
        if (inner->terms[t].factor % m == 0)
          inner->terms.erase(inner->terms.begin() + t);
        else
          ++t;
    }
    Maybe sum =
        plainSum(rest, inner ? *inner : Affine{{{term.atom, factor}}, 0});
    if (!sum)
      return std::nullopt;
    rest = *sum;
  }
  const auto constant = checked(Wide(rest.constant) + a.constant);
  if (!constant)
    return std::nullopt;
  rest.constant = floorMod(*constant, m);
  if (rest.isConstant())
    return rest;
  // (g*A + c) % (g*m') = g*((A + c//g) % m') + c%g
  const int64_t g = commonFactor(rest, m);
  const int64_t left = rest.constant % g;
  for (Affine::Term &term : rest.terms)
    term.factor /= g;
  rest.constant /= g;
  if (m == g)
    return number(left);
  const Affine::Term &first = rest.terms.front();
  if (rest.terms.size() == 1 && first.factor == 1 && rest.constant == 0 &&
      isDivision(first.atom, BinaryOp::Mod) && divisor(first.atom) <= m / g)
    return Affine{{{first.atom, g}}, left}; // x%k < k <= m
  return Affine{
      {{tdl::binary(BinaryOp::Mod, toExpr(rest), tdl::constant(m / g)), g}},
      left};
}

/// f*m*(x//m) + f*(x%m) = f*x, for any pair of terms.
Affine recombine(Affine a) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t t = 0; t < a.terms.size() && !changed; ++t) {
      const Affine::Term rest = a.terms[t];
      if (!isDivision(rest.atom, BinaryOp::Mod))
        continue;
      const int64_t m = divisor(rest.atom);
      const Maybe x = fromExpr(rest.atom->children[0]);
      const Maybe whole = x ? quotient(*x, m) : std::nullopt;
      const auto factor = checked(Wide(rest.factor) * m);
      if (!whole || !factor || whole->terms.size() != 1 ||
          whole->terms[0].factor != 1 || whole->constant != 0)
        continue;
      for (size_t q = 0; q < a.terms.size() && !changed; ++q) {
        if (a.terms[q].factor != *factor ||
            !tdl::equal(a.terms[q].atom, whole->terms[0].atom))
          continue;
        Affine others = a;
        others.terms.erase(others.terms.begin() + std::max(t, q));
        others.terms.erase(others.terms.begin() + std::min(t, q));
        const Maybe joined = scale(*x, rest.factor);
        const Maybe sum = joined ? plainSum(others, *joined) : std::nullopt;
        if (!sum)
          return a;
        a = *sum;
        changed = true;
      }
    }
  }
  return a;
}

Maybe binaryAffine(const ExprRef &e, const Shapes *shapes) {
  const Maybe a = affine(e->children[0], shapes);
  const Maybe b = affine(e->children[1], shapes);
  if (!a || !b)
    return std::nullopt;
  switch (e->binary) {
  case BinaryOp::Add:
    return add(*a, *b);
  case BinaryOp::Sub:
    return subtract(*a, *b);
  case BinaryOp::Mul:
    if (b->isConstant())
      return scale(*a, b->constant);
    if (a->isConstant())
      return scale(*b, a->constant);
    break;
  case BinaryOp::FloorDiv:
    if (b->isConstant() && b->constant > 0)
      return quotient(*a, b->constant);
    break;
  case BinaryOp::Mod:
    if (b->isConstant() && b->constant > 0)
      return remainder(*a, b->constant);
    break;
  default:
    break;
  }
  // Folding may leave a constant, or a multiple: (2*i) * j is (i*j) * 2.
  return fromExpr(tdl::binary(e->binary, toExpr(*a), toExpr(*b)));
}

} // namespace

int Affine::asIndex() const {
  if (terms.size() != 1 || terms[0].factor != 1 || constant != 0 ||
      terms[0].atom->kind != ExprKind::Index)
    return -1;
  return terms[0].atom->index;
}

int64_t Affine::factor(int index) const {
  for (const Term &term : terms)
    if (term.atom->kind == ExprKind::Index && term.atom->index == index)
      return term.factor;
  return 0;
}

bool Affine::usesInside(int index) const {
  return std::any_of(terms.begin(), terms.end(), [&](const Term &term) {
    return term.atom->kind != ExprKind::Index && tdl::uses(term.atom, index);
  });
}

Maybe analysis::affine(const ExprRef &e, const Shapes *shapes) {
  if (e->type != DType::I64)
    return std::nullopt;
  switch (e->kind) {
  case ExprKind::Int:
    return checked(e->integer) ? Maybe(number(e->integer)) : std::nullopt;
  case ExprKind::Extent:
    return shapes ? number((*shapes)[e->operand][e->dim]) : single(e);
  case ExprKind::Unary:
    if (e->unary == tdl::UnaryOp::Neg) {
      const Maybe a = affine(e->children[0], shapes);
      return a ? scale(*a, -1) : std::nullopt;
    }
    return single(e);
  case ExprKind::Binary:
    return binaryAffine(e, shapes);
  case ExprKind::Cast:
    if (e->children[0]->type == DType::I64)
      return affine(e->children[0], shapes);
    return single(e);
  default:
    return single(e);
  }
}

ExprRef analysis::toExpr(const Affine &a) {
  ExprRef sum;
  for (const Affine::Term &term : a.terms) {
    const ExprRef product =
        term.factor == 1
            ? term.atom
            : tdl::binary(BinaryOp::Mul, term.atom, tdl::constant(term.factor));
    sum = sum ? tdl::binary(BinaryOp::Add, sum, product) : product;
  }
  if (!sum)
    return tdl::constant(a.constant);
  if (a.constant == 0)
    return sum;
  return tdl::binary(BinaryOp::Add, sum, tdl::constant(a.constant));
}

Maybe analysis::add(Affine a, const Affine &b) {
  const Maybe sum = plainSum(std::move(a), b);
  return sum ? Maybe(recombine(*sum)) : std::nullopt;
}

Maybe analysis::scale(Affine a, int64_t factor) {
  if (factor == 0)
    return number(0);
  const auto constant = checked(Wide(a.constant) * factor);
  if (!constant)
    return std::nullopt;
  a.constant = *constant;
  for (Affine::Term &term : a.terms) {
    const auto product = checked(Wide(term.factor) * factor);
    if (!product)
      return std::nullopt;
    term.factor = *product;
  }
  return a;
}

Maybe analysis::subtract(const Affine &a, const Affine &b) {
  const Maybe negated = scale(b, -1);
  return negated ? add(a, *negated) : std::nullopt;
}

bool analysis::sameTerms(const Affine &a, const Affine &b) {
  return a.terms.size() == b.terms.size() &&
         std::all_of(
             a.terms.begin(), a.terms.end(), [&](const Affine::Term &t) {
               return std::any_of(
                   b.terms.begin(), b.terms.end(), [&](const Affine::Term &u) {
                     return t.factor == u.factor && tdl::equal(t.atom, u.atom);
                   });
             });
}

bool analysis::equal(const Affine &a, const Affine &b) {
  return a.constant == b.constant && sameTerms(a, b);
}
