#include "dialects/tdl/analysis/Bounds.h"

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;
using Instruction = IntervalProgram::Instruction;

namespace {

/// A longer program is not worth the search's time (nor, for expressions that
/// double at each level, ours).
constexpr size_t kLongest = 512;

void push(std::vector<Instruction> &out, Instruction::Code code,
          int64_t value = 0) {
  out.push_back({code, value});
}

void append(std::vector<Instruction> &out,
            const std::vector<Instruction> &more) {
  out.insert(out.end(), more.begin(), more.end());
}

/// Meets with all numbers v such that factor * v + constant >= 0.
void meetConstant(std::vector<Instruction> &out, int64_t factor,
                  int64_t constant) {
  // The factor is 1 or -1: inequalities have no common divisor.
  push(out, Instruction::Const, factor > 0 ? -constant : constant);
  push(out, factor > 0 ? Instruction::AtLeast : Instruction::AtMost);
  push(out, Instruction::Meet);
}

bool isNegated(const Affine &a, const Affine &b) {
  const auto negated = scale(b, -1);
  return negated && sameTerms(a, *negated);
}

} // namespace

std::optional<IntervalProgram> Bounds::value(const ExprRef &e) const {
  IntervalProgram program;
  if (!expression(program.code, e, Use::All))
    return std::nullopt;
  return program;
}

std::vector<std::vector<IntervalProgram>> Bounds::feasibility() const {
  std::vector<std::vector<IntervalProgram>> all;
  for (const Affine &inequality : known) {
    std::vector<IntervalProgram> tests(1);
    // Inequalities about the same atom alone must have values in common.
    if (inequality.terms.size() == 1) {
      if (atom(tests[0].code, inequality.terms[0].atom, Use::Single))
        all.push_back(std::move(tests));
      continue;
    }
    if (!sum(tests[0].code, inequality, Use::Single))
      continue;
    meetConstant(tests[0].code, 1, 0);
    for (const Affine::Term &term : inequality.terms) {
      IntervalProgram narrowed;
      if (atom(narrowed.code, term.atom, Use::All))
        tests.push_back(std::move(narrowed));
    }
    all.push_back(std::move(tests));
  }
  return all;
}

bool Bounds::expression(Instructions &out, const ExprRef &e, Use use) const {
  if (out.size() > kLongest)
    return false;
  const auto normal = affine(e, &shapes);
  return normal && sum(out, *normal, use);
}

bool Bounds::sum(Instructions &out, const Affine &a, Use use) const {
  bool first = true;
  for (const Affine::Term &term : a.terms) {
    if (!atom(out, term.atom, use))
      return false;
    if (term.factor != 1 && term.factor != -1) {
      push(out, Instruction::Const, term.factor);
      push(out, Instruction::Mul);
    } else if (term.factor == -1 && first) {
      push(out, Instruction::Const, -1);
      push(out, Instruction::Mul);
    }
    if (!first)
      push(out, term.factor == -1 ? Instruction::Sub : Instruction::Add);
    first = false;
  }
  if (first || a.constant != 0) {
    push(out, Instruction::Const, a.constant);
    if (!first)
      push(out, Instruction::Add);
  }
  if (use == Use::All && a.terms.size() > 1)
    for (const Affine &inequality : known) {
      // a + difference >= 0, or difference - a >= 0
      if (sameTerms(a, inequality))
        meetConstant(out, 1, inequality.constant - a.constant);
      else if (isNegated(a, inequality))
        meetConstant(out, -1, inequality.constant + a.constant);
    }
  return true;
}

bool Bounds::atom(Instructions &out, const ExprRef &e, Use use) const {
  if (!plainAtom(out, e, use))
    return false;
  if (use == Use::None)
    return true;
  // First what numbers alone say, so that every use of an atom starts alike.
  for (const Affine &inequality : known)
    if (inequality.terms.size() == 1 && tdl::equal(inequality.terms[0].atom, e))
      meetConstant(out, inequality.terms[0].factor, inequality.constant);
  if (use == Use::All)
    for (const Affine &inequality : known)
      for (const Affine::Term &term : inequality.terms)
        if (inequality.terms.size() > 1 && tdl::equal(term.atom, e))
          bySum(out, inequality, e, term.factor);
  return true;
}

/// Meets with what factor*e + rest >= 0 leaves of e: e >= ceil(-rest / factor),
/// or e <= floor(rest / -factor).
void Bounds::bySum(Instructions &out, const Affine &inequality,
                   const ExprRef &e, int64_t factor) const {
  auto rest = subtract(inequality, Affine{{{e, factor}}, 0});
  if (rest && factor > 0)
    rest = scale(*rest, -1);
  if (rest && factor > 0)
    rest = add(*rest, Affine{{}, factor - 1});
  Instructions bound;
  if (!rest || !sum(bound, *rest, Use::Single))
    return;
  append(out, bound);
  if (factor != 1 && factor != -1) {
    push(out, Instruction::Const, factor > 0 ? factor : -factor);
    push(out, Instruction::FloorDiv);
  }
  push(out, factor > 0 ? Instruction::AtLeast : Instruction::AtMost);
  push(out, Instruction::Meet);
}

bool Bounds::plainAtom(Instructions &out, const ExprRef &e, Use use) const {
  switch (e->kind) {
  case ExprKind::Index:
    push(out, Instruction::Index, e->index);
    return true;
  case ExprKind::Binary:
    return binary(out, e, use);
  case ExprKind::Select:
    return branches(out, e, use);
  case ExprKind::Unary: // |x| is the larger of x and -x
    if (e->unary != tdl::UnaryOp::Abs || !expression(out, e->children[0], use))
      return false;
    push(out, Instruction::Const, 0);
    if (!expression(out, e->children[0], use))
      return false;
    push(out, Instruction::Sub);
    push(out, Instruction::Max);
    return true;
  case ExprKind::Cast:
    if (e->children[0]->type != DType::Bool)
      return false;
    push(out, Instruction::Const, 0);
    push(out, Instruction::Const, 1);
    push(out, Instruction::Hull);
    return true;
  default:
    return false;
  }
}

bool Bounds::binary(Instructions &out, const ExprRef &e, Use use) const {
  const ExprRef &divisor = e->children[1];
  if (e->binary == BinaryOp::Div)
    return truncatingDivision(out, e, use);
  const size_t start = out.size();
  if (expression(out, e->children[0], use) && expression(out, divisor, use))
    switch (e->binary) {
    case BinaryOp::Mul:
      push(out, Instruction::Mul);
      return true;
    case BinaryOp::FloorDiv:
      push(out, Instruction::FloorDiv);
      return true;
    case BinaryOp::Mod:
      push(out, Instruction::Mod);
      return true;
    case BinaryOp::Min:
      push(out, Instruction::Min);
      return true;
    case BinaryOp::Max:
      push(out, Instruction::Max);
      return true;
    default:
      return false;
    }
  out.resize(start);
  if (e->binary != BinaryOp::Mod || divisor->kind != ExprKind::Int ||
      divisor->integer <= 0)
    return false;
  push(out, Instruction::Const, 0);
  push(out, Instruction::Const, divisor->integer - 1);
  push(out, Instruction::Hull);
  return true;
}

/// x / m, m > 0, is x//m for x >= 0 and -(-x//m) for x < 0: together
/// max(x//m, min(-(-x//m), 0)), which grows with x throughout.
bool Bounds::truncatingDivision(Instructions &out, const ExprRef &e,
                                Use use) const {
  const ExprRef &x = e->children[0], &m = e->children[1];
  if (m->kind != ExprKind::Int || m->integer <= 0 || !expression(out, x, use))
    return false;
  push(out, Instruction::Const, m->integer);
  push(out, Instruction::FloorDiv);
  // -(-x//m) = (x + m - 1)//m
  if (!expression(out, x, use))
    return false;
  push(out, Instruction::Const, m->integer - 1);
  push(out, Instruction::Add);
  push(out, Instruction::Const, m->integer);
  push(out, Instruction::FloorDiv);
  push(out, Instruction::Const, 0);
  push(out, Instruction::Min);
  push(out, Instruction::Max);
  return true;
}

/// A select has the values of either branch, each under its condition.
bool Bounds::branches(Instructions &out, const ExprRef &e, Use use) const {
  bool first = true;
  for (int branch = 0; branch < 2; ++branch)
    for (const Conjunction &all :
         both({known}, conditions(e->children[0], branch == 0, shapes))) {
      const Bounds inside(all, shapes);
      if (!inside.expression(out, e->children[1 + branch], use))
        return false;
      for (const auto &tests : inside.feasibility()) {
        append(out, tests.front().code);
        push(out, Instruction::When);
      }
      if (!first)
        push(out, Instruction::Hull);
      first = false;
    }
  return !first;
}
