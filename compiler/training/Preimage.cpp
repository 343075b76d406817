#include "compiler/training/Preimage.h"

#include "dialects/tdl/lambda/Simplify.h"

#include <algorithm>
#include <optional>

using namespace smex;
using namespace smex::tdl;
using analysis::Affine;
using training::Preimage;

namespace {

/// Variables are numbered: the element's coordinates, the lambda's index
/// variables, then new ones. `known` are the first and the last kind.
class Solver {
public:
  Solver(const ExprRef &read, const std::vector<int64_t> &indexExtents,
         const analysis::Shapes &shapes,
         const std::vector<std::pair<ExprRef, ExprRef>> &given)
      : shapes(shapes), rank(int(read->children.size())),
        count(int(indexExtents.size())) {
    extents = shapes[size_t(read->operand)];
    extents.insert(extents.end(), indexExtents.begin(), indexExtents.end());
    solved.resize(extents.size());
    std::vector<ExprRef> shifted;
    for (int i = 0; i < count; ++i)
      shifted.push_back(indexVar(rank + i));
    for (int d = 0; d < rank; ++d)
      equations.push_back(binary(BinaryOp::Sub,
                                 substitute(read->children[size_t(d)], shifted),
                                 indexVar(d)));
    for (const auto &[left, right] : given)
      equations.push_back(binary(BinaryOp::Sub, substitute(left, shifted),
                                 substitute(right, shifted)));
  }

  Preimage solve() {
    while (!equations.empty())
      if (!solveOne(/*exactly=*/true) && !completeHalf(/*pairs=*/true) &&
          !solveOne(/*exactly=*/false) && !completeHalf(/*pairs=*/false))
        leaveAsCondition();
    while (completeHalf(true) || completeHalf(false))
      while (!equations.empty())
        if (!solveOne(true) && !solveOne(false))
          leaveAsCondition();
    return result();
  }

private:
  /// A term of an equation that has unknown variables in it.
  struct Unknown {
    ExprRef atom;
    int64_t factor;
    int variable;                // of an index variable, else -1
    std::optional<int64_t> size; // its values are 0 .. size - 1
  };
  struct Terms {
    std::vector<Unknown> unknown;
    Affine known;
  };
  /// What is known of value // divisor and value % divisor.
  struct Half {
    ExprRef value;
    int64_t divisor;
    ExprRef quotient, rest;
  };
  bool isUnknown(int variable) const {
    return variable >= rank && variable < rank + count &&
           !solved[size_t(variable)];
  }
  bool hasUnknown(const ExprRef &e) const {
    bool found = false;
    walk(e, [&](const ExprRef &part) {
      found |= part->kind == ExprKind::Index && isUnknown(part->index);
    });
    return found;
  }

  std::optional<Range> rangeOf(const ExprRef &e) const {
    std::vector<Interval> indices;
    for (int64_t extent : extents)
      indices.push_back({0, std::max<int64_t>(extent, 1)});
    return tdl::rangeOf(e, indices);
  }

  static bool isDivision(const ExprRef &e, BinaryOp op) {
    return e->kind == ExprKind::Binary && e->binary == op &&
           e->children[1]->kind == ExprKind::Int && e->children[1]->integer > 0;
  }

  std::optional<Terms> termsOf(const ExprRef &equation) const {
    const auto sum = analysis::affine(equation, &shapes);
    if (!sum)
      return std::nullopt;
    Terms terms;
    terms.known.constant = sum->constant;
    for (const Affine::Term &term : sum->terms) {
      if (!hasUnknown(term.atom)) {
        terms.known.terms.push_back(term);
        continue;
      }
      Unknown unknown{term.atom, term.factor, -1, std::nullopt};
      const auto range = rangeOf(term.atom);
      if (term.atom->kind == ExprKind::Index)
        unknown.variable = term.atom->index;
      if (range && range->lo >= 0 &&
          (unknown.variable >= 0 || isDivision(term.atom, BinaryOp::FloorDiv) ||
           isDivision(term.atom, BinaryOp::Mod)))
        unknown.size = range->hi + 1;
      terms.unknown.push_back(unknown);
    }
    return terms;
  }

  /// 0 <= e < size.
  void require(const ExprRef &e, int64_t size) {
    const auto range = rangeOf(e);
    if (!range || range->lo < 0)
      conditions.push_back(binary(BinaryOp::Ge, e, constant(0)));
    if (!range || range->hi >= size)
      conditions.push_back(binary(BinaryOp::Lt, e, constant(size)));
  }
  void requireZero(const ExprRef &e) {
    if (e->kind != ExprKind::Int || e->integer != 0)
      conditions.push_back(binary(BinaryOp::Eq, e, constant(0)));
  }
  ExprRef normal(const ExprRef &e) const {
    const auto sum = analysis::affine(e, &shapes);
    return sum ? analysis::toExpr(*sum) : e;
  }

  void assign(const Unknown &unknown, const ExprRef &given) {
    const ExprRef value = normal(given);
    if (unknown.variable < 0) {
      const int64_t divisor = unknown.atom->children[1]->integer;
      const bool isRest = unknown.atom->binary == BinaryOp::Mod;
      if (isRest)
        require(value, divisor);
      Half &half = halfOf(unknown.atom->children[0], divisor);
      (isRest ? half.rest : half.quotient) = value;
      return;
    }
    require(value, extents[size_t(unknown.variable)]);
    solved[size_t(unknown.variable)] = value;
    std::vector<ExprRef> values(extents.size());
    values[size_t(unknown.variable)] = value;
    const auto put = [&](ExprRef &e) { e = substitute(e, values); };
    for (ExprRef &e : equations)
      put(e);
    for (ExprRef &e : solved)
      put(e);
    for (ExprRef &e : conditions)
      put(e);
    for (Half &half : halves)
      put(half.value), put(half.quotient), put(half.rest);
  }

  Half &halfOf(const ExprRef &value, int64_t divisor) {
    for (Half &half : halves)
      if (half.divisor == divisor && equal(half.value, value))
        return half;
    halves.push_back({value, divisor, nullptr, nullptr});
    return halves.back();
  }

  /// v // 256 is (v // 16) // 16: with (v // 16) % 16 it is v // 16, and so a
  /// number of three digits and more is known by its digits.
  void joinDigits() {
    const auto isDivided = [](const Half &inner, const Half &outer) {
      const ExprRef &e = inner.value;
      return isDivision(e, BinaryOp::FloorDiv) &&
             equal(e->children[0], outer.value) &&
             outer.divisor % inner.divisor == 0 &&
             e->children[1]->integer == outer.divisor / inner.divisor;
    };
    for (size_t outer = 0; outer < halves.size(); ++outer) {
      if (!halves[outer].quotient || halves[outer].rest)
        continue;
      for (Half &inner : halves) {
        if (inner.quotient || !isDivided(inner, halves[outer]))
          continue;
        inner.quotient = halves[outer].quotient;
        halves.erase(halves.begin() + int64_t(outer--));
        break;
      }
    }
  }

  /// From a quotient and a rest, or one of them and a new variable, an equation
  /// for the value that was divided.
  bool completeHalf(bool pairs) {
    joinDigits();
    for (size_t h = 0; h < halves.size(); ++h) {
      Half half = halves[h];
      if ((half.quotient && half.rest) != pairs)
        continue;
      halves.erase(halves.begin() + int64_t(h));
      if (!half.rest)
        half.rest = newVariable(half.divisor);
      if (!half.quotient) {
        const auto range = rangeOf(half.value);
        const int64_t high = range ? range->hi : 0;
        if (!range || range->lo < 0) {
          conditions.push_back(
              binary(BinaryOp::Eq,
                     binary(BinaryOp::Mod, half.value, constant(half.divisor)),
                     half.rest));
          return true;
        }
        half.quotient = newVariable(high / half.divisor + 1);
      }
      equations.push_back(binary(
          BinaryOp::Sub, half.value,
          binary(BinaryOp::Add,
                 binary(BinaryOp::Mul, half.quotient, constant(half.divisor)),
                 half.rest)));
      return true;
    }
    return false;
  }

  ExprRef newVariable(int64_t extent) {
    extents.push_back(extent);
    solved.push_back(nullptr);
    return indexVar(int(extents.size()) - 1);
  }

  /// Solves an equation, if there is one that can be: `exactly`, if that leaves
  /// none of its variables free.
  bool solveOne(bool exactly) {
    for (size_t e = 0; e < equations.size(); ++e) {
      const auto terms = termsOf(equations[e]);
      if (!terms)
        continue;
      const bool done = terms->unknown.empty() || mixedRadix(*terms, e) ||
                        (!exactly && solveForOne(*terms, e));
      if (!done)
        continue;
      if (terms->unknown.empty()) {
        equations.erase(equations.begin() + int64_t(e));
        requireZero(analysis::toExpr(terms->known));
      }
      return true;
    }
    return false;
  }

  /// c0*a0 + c1*a1 + .. = T where each factor exceeds all that the terms after
  /// it can come to: a0 = T // c0, a1 = T % c0 // c1, ..
  bool mixedRadix(const Terms &terms, size_t equation) {
    std::vector<Unknown> digits = terms.unknown;
    const bool negative = digits[0].factor < 0;
    for (Unknown &digit : digits) {
      if ((digit.factor < 0) != negative || !digit.size)
        return false;
      digit.factor = std::abs(digit.factor);
    }
    std::stable_sort(
        digits.begin(), digits.end(),
        [](const Unknown &a, const Unknown &b) { return a.factor > b.factor; });
    int64_t below = 0; // the most that later digits come to
    for (size_t i = digits.size(); i-- > 0;) {
      if (digits[i].factor <= below || *digits[i].size > int64_t(1) << 31)
        return false;
      below += digits[i].factor * std::max<int64_t>(*digits[i].size - 1, 0);
    }
    const auto target = analysis::scale(terms.known, negative ? 1 : -1);
    if (!target)
      return false;
    equations.erase(equations.begin() + int64_t(equation));
    ExprRef rest = analysis::toExpr(*target);
    std::vector<std::pair<Unknown, ExprRef>> assigned;
    for (const Unknown &digit : digits) {
      const ExprRef factor = constant(digit.factor);
      assigned.emplace_back(digit,
                            normal(binary(BinaryOp::FloorDiv, rest, factor)));
      rest = normal(binary(BinaryOp::Mod, rest, factor));
    }
    requireZero(rest);
    for (auto &[digit, value] : assigned) {
      if (digit.variable < 0) // of no half if it is out of range
        require(value, *digit.size);
      assign(digit, value);
    }
    return true;
  }

  /// For the index variable with the largest range that occurs nowhere else in
  /// the equation; the others are free.
  bool solveForOne(const Terms &terms, size_t equation) {
    const Unknown *best = nullptr;
    for (const Unknown &unknown : terms.unknown) {
      if (unknown.variable < 0 || occursInside(terms, unknown.variable))
        continue;
      if (!best ||
          extents[size_t(unknown.variable)] > extents[size_t(best->variable)])
        best = &unknown;
    }
    if (!best)
      return false;
    Affine rest = terms.known;
    for (const Unknown &unknown : terms.unknown)
      if (&unknown != best)
        rest.terms.push_back({unknown.atom, unknown.factor});
    const auto target = analysis::scale(rest, best->factor > 0 ? -1 : 1);
    if (!target)
      return false;
    const Unknown chosen = *best;
    equations.erase(equations.begin() + int64_t(equation));
    const ExprRef value = analysis::toExpr(*target);
    const ExprRef factor = constant(std::abs(chosen.factor));
    requireZero(normal(binary(BinaryOp::Mod, value, factor)));
    assign(chosen, binary(BinaryOp::FloorDiv, value, factor));
    return true;
  }

  bool occursInside(const Terms &terms, int variable) const {
    for (const Unknown &unknown : terms.unknown)
      if (unknown.variable != variable && uses(unknown.atom, variable))
        return true;
    return false;
  }

  void leaveAsCondition() {
    requireZero(equations.back());
    equations.pop_back();
  }

  Preimage result() const {
    Preimage done;
    std::vector<ExprRef> numbers; // of all variables, in the end
    for (int d = 0; d < rank; ++d)
      numbers.push_back(indexVar(d));
    for (int v = rank; v < int(extents.size()); ++v) {
      numbers.push_back(nullptr);
      if (solved[size_t(v)])
        continue;
      numbers.back() = indexVar(rank + int(done.free.size()));
      const bool isIndex = v < rank + count;
      done.free.push_back({extents[size_t(v)], isIndex ? v - rank : -1});
    }
    for (int v = rank; v < rank + count; ++v)
      done.values.push_back(solved[size_t(v)]
                                ? substitute(solved[size_t(v)], numbers)
                                : numbers[size_t(v)]);
    for (const ExprRef &condition : conditions)
      done.conditions.push_back(substitute(condition, numbers));
    return done;
  }

  const analysis::Shapes &shapes;
  const int rank, count;
  std::vector<int64_t> extents;   // of all variables
  std::vector<ExprRef> solved;    // null: unknown, or known by itself
  std::vector<ExprRef> equations; // each is 0
  std::vector<ExprRef> conditions;
  std::vector<Half> halves;
};

} // namespace

Preimage
training::preimage(const ExprRef &read, const std::vector<int64_t> &extents,
                   const analysis::Shapes &shapes,
                   const std::vector<std::pair<ExprRef, ExprRef>> &equations) {
  return Solver(read, extents, shapes, equations).solve();
}
