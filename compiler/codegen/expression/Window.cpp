#include "compiler/codegen/expression/Window.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/Scalars.h"

#include "dialects/tdl/lambda/IndexSum.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

bool isEquality(const ExprRef &e) {
  return e->kind == ExprKind::Binary && e->binary == BinaryOp::Eq &&
         e->children[0]->type == DType::I64;
}

/// a * 9 + b * 3 + c, over all reduction variables.
std::optional<std::vector<Digit>> digitsOf(const tdl::Lambda &lambda,
                                           const tdl::IndexSum &sum) {
  std::vector<Digit> digits;
  for (const tdl::IndexSum::Term &term : sum.terms) {
    if (term.atom->kind != ExprKind::Index || term.factor < 1 ||
        term.atom->index < lambda.rank())
      return std::nullopt;
    digits.push_back({term.atom->index, term.factor});
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.weight > b.weight; });
  for (size_t d = 1; d < digits.size(); ++d)
    if (digits[d - 1].weight == digits[d].weight ||
        digits[d - 1].weight % digits[d].weight != 0)
      return std::nullopt;
  if (digits.size() != lambda.reductions.size() || digits.empty() ||
      digits.back().weight != 1)
    return std::nullopt;
  return digits;
}

std::optional<Side> sideOf(const tdl::Lambda &lambda, const ExprRef &place) {
  Side side{-1, -1, 1, 0, place};
  ExprRef numerator = place;
  if (place->kind == ExprKind::Binary && place->binary == BinaryOp::FloorDiv &&
      place->children[1]->kind == ExprKind::Int) {
    numerator = place->children[0];
    side.stride = place->children[1]->integer;
  }
  const tdl::IndexSum sum = tdl::indexSum(numerator);
  side.offset = sum.constant;
  for (const tdl::IndexSum::Term &term : sum.terms) {
    if (term.atom->kind != ExprKind::Index)
      return std::nullopt;
    const int variable = term.atom->index;
    const bool isOutput = variable < lambda.rank();
    int &which = isOutput ? side.output : side.reduction;
    if (which >= 0 || term.factor != (isOutput ? 1 : -1))
      return std::nullopt;
    which = variable;
  }
  constexpr int64_t most = int64_t(1) << 30;
  if (side.output < 0 || side.reduction < 0 || side.stride < 1 ||
      side.stride > most || std::abs(side.offset) > most)
    return std::nullopt;
  return side;
}

/// The condition that a place lies on the grid: numerator % stride == 0.
bool isOnGrid(const ExprRef &part, const Side &side) {
  if (!isEquality(part) || !tdl::equal(part->children[1], tdl::constant(0)))
    return false;
  const ExprRef &rest = part->children[0];
  return rest->kind == ExprKind::Binary && rest->binary == BinaryOp::Mod &&
         tdl::equal(rest->children[0], side.place->children[0]) &&
         tdl::equal(rest->children[1], side.place->children[1]);
}

bool usesReductions(const tdl::Lambda &lambda, const ExprRef &e) {
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
    if (uses(e, r))
      return true;
  return false;
}

/// The sides of the window that the key's indices tell: one per reduction
/// variable, each with an output of its own.
std::optional<std::vector<Side>> sidesOf(const tdl::Lambda &lambda,
                                         const tdl::Expr &key) {
  std::vector<Side> sides;
  std::vector<bool> taken(size_t(lambda.indexCount()));
  for (const ExprRef &index : key.children) {
    if (!usesReductions(lambda, index))
      continue;
    const auto side = sideOf(lambda, index);
    if (!side || taken[size_t(side->output)] || taken[size_t(side->reduction)])
      return std::nullopt;
    taken[size_t(side->output)] = taken[size_t(side->reduction)] = true;
    sides.push_back(*side);
  }
  if (sides.size() != lambda.reductions.size())
    return std::nullopt;
  return sides;
}

} // namespace

std::optional<Window> codegen::findWindow(const tdl::Lambda &lambda) {
  if (!lambda.guard || accumulatorType(lambda.result) != lambda.result)
    return std::nullopt;
  std::vector<ExprRef> parts = conjuncts(lambda.guard);
  const auto keyed = std::find_if(parts.begin(), parts.end(), tdl::readsData);
  if (keyed == parts.end() || !isEquality(*keyed))
    return std::nullopt;
  const bool first = readsData((*keyed)->children[0]);
  const ExprRef key = (*keyed)->children[first ? 0 : 1];
  const tdl::IndexSum wanted = tdl::indexSum((*keyed)->children[first ? 1 : 0]);
  parts.erase(keyed);
  if (key->kind != ExprKind::Read || key->otherwise)
    return std::nullopt;
  const auto digits = digitsOf(lambda, wanted);
  const auto sides = sidesOf(lambda, *key);
  if (!digits || !sides)
    return std::nullopt;
  for (const Side &side : *sides) {
    const auto grid =
        std::find_if(parts.begin(), parts.end(), [&](const ExprRef &part) {
          return side.stride > 1 && isOnGrid(part, side);
        });
    if (grid != parts.end())
      parts.erase(grid);
    else if (side.stride > 1)
      return std::nullopt; // several i at the same place
  }

  const int count = lambda.indexCount();
  const auto byPlaces = [&](const ExprRef &e) {
    return tdl::transform(e, [&](const ExprRef &node) -> ExprRef {
      for (size_t k = 0; k < sides->size(); ++k)
        if (equal(node, (*sides)[k].place))
          return tdl::indexVar(count + int(k));
      return nullptr;
    });
  };
  const auto isByPlaces = [&](const ExprRef &e) {
    return !usesReductions(lambda, e) &&
           std::none_of(sides->begin(), sides->end(),
                        [&](const Side &side) { return uses(e, side.output); });
  };
  Window window{
      *sides, *digits,
      tdl::binary(BinaryOp::Sub, byPlaces(key), tdl::constant(wanted.constant)),
      byPlaces(makeConditionsExplicit(lambda.body))};
  ExprRef guard = tdl::constant(1, DType::Bool);
  for (const ExprRef &part : parts)
    guard = tdl::binary(BinaryOp::And, guard, byPlaces(part));
  guard = makeConditionsExplicit(guard);
  if (!isByPlaces(window.key) || !isByPlaces(window.term) || !isByPlaces(guard))
    return std::nullopt;
  // The key is read before what is left of the guard is looked at, but for what
  // the loops over places are cut at.
  for (const ExprRef &part : conjuncts(guard)) {
    bool cuts = tdl::isConstant(part);
    for (size_t k = 0; k < sides->size(); ++k)
      cuts |= !readsData(part) && cutOf(part, count + int(k)).has_value();
    if (!cuts)
      return std::nullopt;
  }
  window.term = tdl::select(guard, window.term,
                            tdl::identity(lambda.reducer, lambda.result));
  return window;
}
