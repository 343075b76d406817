#include "compiler/messagepassing/Lists.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::messagepassing;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;
using tdl::Range;

namespace {

bool isZero(const ExprRef &e) {
  return e->kind == ExprKind::Int && e->integer == 0;
}

bool isPlain(const ExprRef &e, const Element &element, const Known &known) {
  const auto found = elementOf(e, known);
  return found && found->operand == element.operand &&
         found->row == element.row && found->wrap == 0 &&
         tdl::equal(found->index, element.index);
}

/// `list[e] + n if list[e] < 0 else list[e]`
std::optional<Element> wrappedElementOf(const ExprRef &e, const Known &known) {
  const ExprRef &condition = e->children[0], &negative = e->children[1];
  auto element = elementOf(e->children[2], known);
  if (!element || element->wrap != 0 || condition->kind != ExprKind::Binary ||
      condition->binary != BinaryOp::Lt || !isZero(condition->children[1]) ||
      !isPlain(condition->children[0], *element, known))
    return std::nullopt;
  if (negative->kind != ExprKind::Binary || negative->binary != BinaryOp::Add ||
      !isPlain(negative->children[0], *element, known))
    return std::nullopt;
  const ExprRef &extent = negative->children[1];
  if (extent->kind != ExprKind::Int || extent->integer < 0)
    return std::nullopt;
  element->wrap = extent->integer;
  return element;
}

/// What a comparison of a known list's element is for all of them.
std::optional<bool> certain(BinaryOp comparison, Range range, int64_t b) {
  const auto [low, high] = range;
  const auto decide = [](bool always, bool never) -> std::optional<bool> {
    return always  ? std::optional(true)
           : never ? std::optional(false)
                   : std::nullopt;
  };
  switch (comparison) {
  case BinaryOp::Lt:
    return decide(high < b, low >= b);
  case BinaryOp::Le:
    return decide(high <= b, low > b);
  case BinaryOp::Gt:
    return decide(low > b, high <= b);
  case BinaryOp::Ge:
    return decide(low >= b, high < b);
  case BinaryOp::Ne:
    return decide(b < low || b > high, low == b && high == b);
  case BinaryOp::Eq:
    return decide(low == b && high == b, b < low || b > high);
  default:
    return std::nullopt;
  }
}

/// Whether the operation gives its first operand, an element, for all of them.
bool isIdentity(BinaryOp op, Range range, int64_t b) {
  return (op == BinaryOp::Min && range.hi <= b) ||
         (op == BinaryOp::Max && range.lo >= b) ||
         (op == BinaryOp::Mod && range.lo >= 0 && range.hi < b);
}

/// The expression, simpler; null where it stays.
ExprRef folded(const ExprRef &e, const Known &known) {
  if (e->kind != ExprKind::Binary || e->children[1]->kind != ExprKind::Int)
    return nullptr;
  const auto element = elementOf(e->children[0], known);
  if (!element)
    return nullptr;
  const Range range = rangeOf(*element, known);
  const int64_t b = e->children[1]->integer;
  if (isIdentity(e->binary, range, b))
    return e->children[0];
  const auto value = certain(e->binary, range, b);
  return value ? tdl::constant(int64_t(*value), DType::Bool) : nullptr;
}

} // namespace

bool messagepassing::holds(DType type, Range range) {
  const int bits = int(8 * byteSize(type)) - (isSigned(type) ? 1 : 0);
  if (isUnsigned(type) && range.lo < 0)
    return false;
  return bits >= 63 ||
         (range.hi < int64_t(1) << bits && range.lo >= -(int64_t(1) << bits));
}

std::optional<Element> messagepassing::elementOf(const ExprRef &e,
                                                 const Known &known) {
  if (e->kind == ExprKind::Cast && isInteger(e->type)) {
    auto element = elementOf(e->children[0], known);
    return element && holds(e->type, rangeOf(*element, known))
               ? std::move(element)
               : std::nullopt;
  }
  if (e->kind == ExprKind::Select)
    return wrappedElementOf(e, known);
  if (e->kind != ExprKind::Read || !known[size_t(e->operand)] || e->otherwise)
    return std::nullopt;
  const std::vector<ExprRef> &index = e->children;
  if (index.size() == 1)
    return Element{e->operand, 0, index[0]};
  if (index[0]->kind != ExprKind::Int)
    return std::nullopt;
  return Element{e->operand, index[0]->integer, index[1]};
}

Range messagepassing::rangeOf(const Element &element, const Known &known) {
  const Range plain = *known[size_t(element.operand)];
  if (element.wrap == 0 || plain.lo >= 0)
    return plain;
  const Range negative = {plain.lo + element.wrap,
                          std::min<int64_t>(plain.hi, -1) + element.wrap};
  if (plain.hi < 0)
    return negative;
  return {std::min<int64_t>(negative.lo, 0), std::max(negative.hi, plain.hi)};
}

/// The expression where the condition is known.
static ExprRef where(const ExprRef &e, const ExprRef &condition, bool holds) {
  return tdl::transform(e, [&](const ExprRef &part) {
    return tdl::equal(part, condition) ? tdl::constant(holds, DType::Bool)
                                       : nullptr;
  });
}

/// Whether the terms of a sum have a condition of their own, the same for all
/// results, without which they are 0.
static bool addsNothing(const tdl::Lambda &lambda) {
  const ExprRef &body = lambda.body;
  if (lambda.reducer != tdl::Reducer::Sum || !lambda.guard ||
      body->kind != ExprKind::Select ||
      !tdl::equal(body->children[2],
                  tdl::identity(lambda.reducer, lambda.result)))
    return false;
  for (int i = 0; i < lambda.rank(); ++i)
    if (tdl::uses(body->children[0], i))
      return false;
  return true;
}

tdl::Lambda messagepassing::withoutCertain(const tdl::Lambda &lambda,
                                           const Known &known) {
  const auto fold = [&](const ExprRef &e) -> ExprRef {
    if (e->kind != ExprKind::Select)
      return folded(e, known);
    const ExprRef &condition = e->children[0];
    return tdl::select(condition, where(e->children[1], condition, true),
                       where(e->children[2], condition, false));
  };
  tdl::Lambda made = lambda;
  made.guard = tdl::transform(lambda.guard, fold);
  made.body = tdl::transform(lambda.body, fold);
  if (addsNothing(made)) { // where the condition does not hold
    made.guard = tdl::binary(BinaryOp::And, made.guard, made.body->children[0]);
    const ExprRef term = made.body->children[1];
    made.body = term;
  }
  if (made.guard && made.guard->kind == ExprKind::Int && made.guard->integer)
    made.guard = nullptr;
  return tdl::canonicalize(std::move(made));
}

std::optional<tdl::Lambda>
messagepassing::narrowed(const tdl::Lambda &lambda, const Known &known,
                         const std::vector<bool> &chosen) {
  std::vector<bool> fits = chosen;
  for (size_t i = 0; i < fits.size(); ++i)
    fits[i] = fits[i] && known[i] && lambda.operands[i].rank == 1 &&
              lambda.operands[i].type == DType::I64 &&
              holds(DType::I32, *known[i]);
  for (const ExprRef &root : {lambda.guard, lambda.body})
    tdl::walk(root, [&](const ExprRef &e) {
      if (e->kind == ExprKind::Extent ||
          (e->kind == ExprKind::Read && e->otherwise))
        fits[size_t(e->operand)] = false;
      for (const tdl::Expr::Slice &slice : e->slices)
        fits[size_t(slice.operand)] = false;
    });
  if (std::find(fits.begin(), fits.end(), true) == fits.end())
    return std::nullopt;
  const auto read = [&](const ExprRef &e) -> ExprRef {
    if (e->kind != ExprKind::Read || e->type != DType::I64 ||
        !fits[size_t(e->operand)])
      return nullptr;
    return tdl::cast(DType::I64,
                     tdl::read(e->operand, DType::I32, e->children));
  };
  tdl::Lambda made = lambda;
  for (size_t i = 0; i < fits.size(); ++i)
    if (fits[i])
      made.operands[i].type = DType::I32;
  made.guard = tdl::transform(lambda.guard, read);
  made.body = tdl::transform(lambda.body, read);
  made = tdl::canonicalize(std::move(made));
  if (!tdl::verify(made))
    return std::nullopt;
  return made;
}
