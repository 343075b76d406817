#include "compiler/codegen/expression/Scatter.h"

#include "compiler/codegen/expression/Conditions.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprRef;

namespace {

bool contains(const std::vector<int> &list, int i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

/// `key == i` for an output i that the key does not use.
std::optional<std::pair<int, ExprRef>> keyOf(const tdl::Lambda &lambda,
                                             const ExprRef &part,
                                             const std::vector<int> &taken) {
  if (part->kind != tdl::ExprKind::Binary || part->binary != BinaryOp::Eq ||
      part->children[0]->type != DType::I64 || !readsData(part))
    return std::nullopt;
  const ExprRef difference =
      tdl::binary(BinaryOp::Sub, part->children[0], part->children[1]);
  for (int i = 0; i < lambda.rank(); ++i) {
    const auto linear = linearIn(difference, i);
    if (!linear || std::abs(linear->factor) != 1 || contains(taken, i))
      continue;
    const bool usesTaken =
        std::any_of(taken.begin(), taken.end(),
                    [&](int other) { return uses(linear->rest, other); });
    if (!usesTaken)
      return std::pair(i, linear->factor > 0
                              ? tdl::unary(tdl::UnaryOp::Neg, linear->rest)
                              : linear->rest);
  }
  return std::nullopt;
}

/// A key is read before what is left of the guard is looked at; that must not
/// be what keeps the read in range. Conditions on one index variable are met by
/// the loops already.
bool keepsRangesSafe(const tdl::Lambda &lambda, const ExprRef &part) {
  if (readsData(part))
    return true;
  for (int i = 0; i < lambda.indexCount(); ++i)
    if (cutOf(part, i))
      return i >= lambda.rank();
  return false;
}

} // namespace

std::optional<Scatter> codegen::findScatter(const tdl::Lambda &lambda) {
  if (!lambda.guard)
    return std::nullopt;
  Scatter scatter;
  ExprRef guard = tdl::constant(1, DType::Bool);
  bool safe = true;
  for (const ExprRef &part : conjuncts(makeConditionsExplicit(lambda.guard))) {
    const auto key = keyOf(lambda, part, scatter.outputs);
    const bool chosenKeysUse =
        key &&
        std::any_of(scatter.keys.begin(), scatter.keys.end(),
                    [&](const ExprRef &k) { return uses(k, key->first); });
    if (key && safe && !chosenKeysUse) {
      scatter.outputs.push_back(key->first);
      scatter.keys.push_back(key->second);
      continue;
    }
    safe &= keepsRangesSafe(lambda, part);
    guard = tdl::binary(BinaryOp::And, guard, part);
  }
  if (scatter.outputs.empty())
    return std::nullopt;
  scatter.term = tdl::select(guard, makeConditionsExplicit(lambda.body),
                             tdl::identity(lambda.reducer, lambda.result));
  return scatter;
}
