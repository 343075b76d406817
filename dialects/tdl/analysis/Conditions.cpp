#include "dialects/tdl/analysis/Conditions.h"

#include <algorithm>
#include <numeric>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// More alternatives than this are not worth the search's time.
constexpr size_t kAlternatives = 16;

/// Nor more inequalities in one.
constexpr size_t kInequalities = 32;

/// Data decides what is read; a select would bring conditions of its own into
/// every use of this one.
bool isPlain(const ExprRef &e) {
  bool plain = true;
  tdl::walk(e, [&](const ExprRef &node) {
    plain &= node->kind != ExprKind::Read && node->kind != ExprKind::Opaque &&
             node->kind != ExprKind::Select;
  });
  return plain;
}

bool neverNegative(const ExprRef &atom) {
  return atom->kind == ExprKind::Index || atom->kind == ExprKind::Extent ||
         (atom->kind == ExprKind::Binary && atom->binary == BinaryOp::Mod &&
          atom->children[1]->kind == ExprKind::Int &&
          atom->children[1]->integer > 0);
}

bool alwaysTrue(const Affine &a) { // a >= 0
  return a.constant >= 0 &&
         std::all_of(a.terms.begin(), a.terms.end(), [](const Affine::Term &t) {
           return t.factor > 0 && neverNegative(t.atom);
         });
}

bool neverTrue(const Affine &a) {
  return a.constant < 0 && std::all_of(
                               a.terms.begin(), a.terms.end(),
                               [](const Affine::Term &t) {
                                 return t.factor < 0 && neverNegative(t.atom);
                               });
}

bool contradict(const Affine &a, const Affine &b) {
  const auto sum = add(a, b);
  return sum && neverTrue(*sum);
}

/// a >= 0 follows from b >= 0.
bool follows(const Affine &a, const Affine &b) {
  return sameTerms(a, b) && a.constant >= b.constant;
}

bool follows(const Conjunction &all, const Conjunction &from) {
  return std::all_of(all.begin(), all.end(), [&](const Affine &a) {
    return std::any_of(from.begin(), from.end(),
                       [&](const Affine &b) { return follows(a, b); });
  });
}

/// False if the result could never hold.
bool addInequality(Conjunction &all, const Affine &a) {
  if (alwaysTrue(a))
    return true;
  if (neverTrue(a))
    return false;
  for (const Affine &other : all)
    if (contradict(a, other))
      return false;
  for (const Affine &other : all)
    if (follows(a, other))
      return true;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Affine &b) { return follows(b, a); }),
            all.end());
  if (all.size() < kInequalities)
    all.push_back(a);
  return true;
}

void addAlternative(Conditions &alternatives, const Conjunction &added) {
  for (const Conjunction &other : alternatives)
    if (follows(other, added))
      return;
  alternatives.erase(
      std::remove_if(alternatives.begin(), alternatives.end(),
                     [&](const Conjunction &c) { return follows(added, c); }),
      alternatives.end());
  alternatives.push_back(added);
}

Conditions inequality(std::optional<Affine> a) {
  if (!a)
    return always();
  for (const Affine::Term &term : a->terms)
    if (!isPlain(term.atom))
      return always();
  int64_t g = 0;
  for (const Affine::Term &term : a->terms)
    g = std::gcd(g, term.factor);
  if (g > 1) {
    for (Affine::Term &term : a->terms)
      term.factor /= g;
    a->constant = a->constant / g - (a->constant % g < 0);
  }
  Conjunction all;
  return addInequality(all, *a) ? Conditions{all} : Conditions{};
}

/// a + shift >= 0
Conditions inequality(const Affine &a, int64_t shift) {
  return inequality(add(a, {{}, shift}));
}

Conditions comparison(BinaryOp op, const Affine &a, const Affine &b) {
  const auto less = subtract(b, a), more = subtract(a, b);
  if (!less || !more)
    return always();
  switch (op) {
  case BinaryOp::Lt:
    return inequality(*less, -1);
  case BinaryOp::Le:
    return inequality(*less);
  case BinaryOp::Gt:
    return inequality(*more, -1);
  case BinaryOp::Ge:
    return inequality(*more);
  case BinaryOp::Eq:
    return both(inequality(*less), inequality(*more));
  case BinaryOp::Ne:
    return either(inequality(*less, -1), inequality(*more, -1));
  default:
    return always();
  }
}

BinaryOp opposite(BinaryOp op) {
  switch (op) {
  case BinaryOp::Eq:
    return BinaryOp::Ne;
  case BinaryOp::Ne:
    return BinaryOp::Eq;
  case BinaryOp::Lt:
    return BinaryOp::Ge;
  case BinaryOp::Ge:
    return BinaryOp::Lt;
  case BinaryOp::Gt:
    return BinaryOp::Le;
  default:
    return BinaryOp::Gt;
  }
}

} // namespace

Conditions analysis::both(const Conditions &a, const Conditions &b) {
  if (a.size() * b.size() > kAlternatives)
    return a.size() <= b.size() ? a : b;
  Conditions result;
  for (const Conjunction &left : a)
    for (const Conjunction &right : b) {
      Conjunction all = left;
      if (std::all_of(right.begin(), right.end(),
                      [&](const Affine &x) { return addInequality(all, x); }))
        addAlternative(result, all);
    }
  return result;
}

Conditions analysis::either(Conditions a, const Conditions &b) {
  for (const Conjunction &all : b)
    addAlternative(a, all);
  return a.size() <= kAlternatives ? a : always();
}

Conditions analysis::conditions(const ExprRef &condition, bool value,
                                const Shapes &shapes) {
  if (!condition)
    return always();
  if (condition->kind == ExprKind::Int)
    return (condition->integer != 0) == value ? always() : Conditions{};
  if (condition->kind == ExprKind::Unary &&
      condition->unary == tdl::UnaryOp::Not)
    return conditions(condition->children[0], !value, shapes);
  if (condition->kind != ExprKind::Binary)
    return always();
  const ExprRef &left = condition->children[0], &right = condition->children[1];
  if (condition->binary == BinaryOp::And || condition->binary == BinaryOp::Or) {
    const Conditions a = conditions(left, value, shapes);
    const Conditions b = conditions(right, value, shapes);
    return (condition->binary == BinaryOp::And) == value ? both(a, b)
                                                         : either(a, b);
  }
  if (!tdl::isComparison(condition->binary))
    return always();
  const auto a = affine(left, &shapes), b = affine(right, &shapes);
  if (!a || !b)
    return always();
  return comparison(value ? condition->binary : opposite(condition->binary), *a,
                    *b);
}

Conditions analysis::inRange(const ExprRef &read, bool value,
                             const Shapes &shapes) {
  Conditions result = value ? always() : Conditions{};
  for (size_t d = 0; d < read->children.size(); ++d) {
    const auto index = affine(read->children[d], &shapes);
    if (!index)
      return always();
    const Affine extent = {{}, shapes[read->operand][d]}, zero;
    if (value)
      result = both(result, both(comparison(BinaryOp::Ge, *index, zero),
                                 comparison(BinaryOp::Lt, *index, extent)));
    else
      result = either(result, either(comparison(BinaryOp::Lt, *index, zero),
                                     comparison(BinaryOp::Ge, *index, extent)));
  }
  return result;
}
