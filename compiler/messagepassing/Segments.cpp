#include "compiler/messagepassing/Segments.h"

#include "dialects/tdl/lambda/Conjuncts.h"

#include <algorithm>

using namespace smex;
using namespace smex::messagepassing;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

bool isVariable(const ExprRef &e, int index) {
  return e->kind == ExprKind::Index && e->index == index;
}

/// The value that a cast of integers is made of.
const ExprRef &withoutCast(const ExprRef &e) {
  const bool integers = e->kind == ExprKind::Cast && isInteger(e->type) &&
                        isInteger(e->children[0]->type);
  return integers ? e->children[0] : e;
}

/// list[variable], of a known list.
bool isElement(const ExprRef &e, const Known &known) {
  return e->kind == ExprKind::Read && known[size_t(e->operand)] &&
         e->children.size() == 1 && e->children[0]->kind == ExprKind::Index &&
         !e->otherwise;
}

/// Both sides of an equation, also of `a - b == 0`.
std::optional<std::pair<ExprRef, ExprRef>> sidesOf(const ExprRef &part) {
  if (part->kind != ExprKind::Binary || part->binary != BinaryOp::Eq)
    return std::nullopt;
  const ExprRef &a = part->children[0], &b = part->children[1];
  if (b->kind == ExprKind::Int && b->integer == 0 &&
      a->kind == ExprKind::Binary && a->binary == BinaryOp::Sub)
    return std::pair(a->children[0], a->children[1]);
  return std::pair(a, b);
}

std::optional<Segmentation> keyOf(const tdl::Lambda &lambda, const Known &known,
                                  const ExprRef &part) {
  const auto sides = sidesOf(part);
  if (!sides)
    return std::nullopt;
  for (auto [side, output] : {*sides, std::pair(sides->second, sides->first)}) {
    const ExprRef &key = withoutCast(side);
    if (isElement(key, known) && key->children[0]->index >= lambda.rank() &&
        output->kind == ExprKind::Index && output->index < lambda.rank())
      return Segmentation{key->operand, output->index, key->children[0]->index};
  }
  return std::nullopt;
}

/// What a comparison of a known list's element is for all of them.
std::optional<bool> certain(const ExprRef &e, const Known &known) {
  if (e->kind != ExprKind::Binary || !tdl::isComparison(e->binary))
    return std::nullopt;
  const ExprRef &element = withoutCast(e->children[0]);
  const ExprRef &bound = e->children[1];
  if (element->kind != ExprKind::Read || element->otherwise ||
      !known[size_t(element->operand)] || bound->kind != ExprKind::Int)
    return std::nullopt;
  const auto [low, high] = *known[size_t(element->operand)];
  const int64_t b = bound->integer;
  const auto decide = [](bool always, bool never) -> std::optional<bool> {
    return always  ? std::optional(true)
           : never ? std::optional(false)
                   : std::nullopt;
  };
  switch (e->binary) {
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

/// Whether an opaque function or an extent asks for more than elements.
bool onlyReads(const tdl::Lambda &lambda) {
  bool only = true;
  for (const ExprRef &root : {lambda.guard, lambda.body})
    tdl::walk(root, [&](const ExprRef &e) {
      only &= e->kind != ExprKind::Opaque && e->kind != ExprKind::Extent;
    });
  return only;
}

class Rewriter {
public:
  Rewriter(const tdl::Lambda &lambda, const Segmentation &by,
           const Known &known, bool ascending, DType numbers)
      : lambda(lambda), by(by), known(known), ascending(ascending),
        numbers(numbers) {}

  std::optional<Segmented> run() {
    made.lambda = lambda;
    made.lambda.operands.clear();
    std::vector<ExprRef> rest;
    bool isKey = true; // the first part of the guard that says so
    for (const ExprRef &part : tdl::conjuncts(lambda.guard)) {
      const auto found = keyOf(lambda, known, part);
      if (isKey && found && found->key == by.key &&
          found->variable == by.variable && found->term == by.term)
        isKey = false;
      else
        rest.push_back(moved(part));
    }
    made.lambda.body = moved(lambda.body);
    const ExprRef v = tdl::indexVar(by.variable);
    const ExprRef k = tdl::indexVar(by.term);
    const ExprRef first = element({Source::Kind::Offsets}, v);
    const ExprRef last =
        element({Source::Kind::Offsets},
                tdl::binary(BinaryOp::Add, v, tdl::constant(1)));
    if (rest.empty() && isCount())
      return count(first, last);
    ExprRef guard =
        tdl::binary(BinaryOp::And, tdl::binary(BinaryOp::Le, first, k),
                    tdl::binary(BinaryOp::Lt, k, last));
    for (const ExprRef &part : rest)
      guard = tdl::binary(BinaryOp::And, guard, part);
    made.lambda.guard = guard;
    return finished();
  }

private:
  /// An element of one of the new lists, as an index.
  ExprRef element(Source source, ExprRef index) {
    return tdl::cast(DType::I64, tdl::read(operand(source, {"", numbers, 1}),
                                           numbers, {std::move(index)}));
  }

  int operand(const Source &source, const tdl::Operand &type) {
    const auto found = std::find_if(
        made.operands.begin(), made.operands.end(), [&](const Source &other) {
          return other.kind == source.kind && other.of == source.of;
        });
    if (found != made.operands.end())
      return int(found - made.operands.begin());
    made.operands.push_back(source);
    made.lambda.operands.push_back(type);
    return int(made.operands.size()) - 1;
  }

  /// The expression where the segment's k-th term is meant.
  ExprRef moved(const ExprRef &root) {
    return tdl::rebuild(
        root, [&](const tdl::Expr &e, std::vector<ExprRef> children,
                  ExprRef otherwise, std::vector<tdl::Expr::Slice> slices) {
          if (e.kind == ExprKind::Read)
            return movedRead(e, std::move(children), std::move(otherwise));
          if (e.kind == ExprKind::Index && e.index == by.term && !ascending)
            return element({Source::Kind::Order}, tdl::indexVar(by.term));
          return tdl::withChildren(e, std::move(children), std::move(otherwise),
                                   std::move(slices));
        });
  }

  ExprRef movedRead(const tdl::Expr &e, std::vector<ExprRef> children,
                    ExprRef otherwise) {
    const bool ofTerm = known[size_t(e.operand)] && e.children.size() == 1 &&
                        isVariable(e.children[0], by.term) && !e.otherwise;
    if (!ofTerm)
      return tdl::read(operand({Source::Kind::Same, e.operand},
                               lambda.operands[size_t(e.operand)]),
                       e.type, std::move(children), std::move(otherwise));
    // The key of a term of segment v is v.
    const ExprRef value = e.operand == by.key
                              ? tdl::indexVar(by.variable)
                              : element({Source::Kind::Gathered, e.operand},
                                        tdl::indexVar(by.term));
    return tdl::cast(e.type, value);
  }

  /// A sum of as many equal terms as the segment has.
  bool isCount() const {
    return lambda.reducer == tdl::Reducer::Sum &&
           lambda.reductions.size() == 1 &&
           !tdl::uses(made.lambda.body, by.term);
  }

  std::optional<Segmented> count(const ExprRef &first, const ExprRef &last) {
    const DType type = made.lambda.result;
    made.counts = true;
    made.lambda.reducer = tdl::Reducer::None;
    made.lambda.reductions.clear();
    made.lambda.guard = nullptr;
    const ExprRef number =
        tdl::cast(type, tdl::binary(BinaryOp::Sub, last, first));
    const ExprRef &body = made.lambda.body;
    const bool one = (body->kind == ExprKind::Int && body->integer == 1) ||
                     (body->kind == ExprKind::Float && body->real == 1);
    made.lambda.body = one ? number : tdl::binary(BinaryOp::Mul, body, number);
    return finished();
  }

  /// Without operands that only what is gone has read.
  void dropUnread() {
    std::vector<bool> isRead(made.operands.size());
    for (const ExprRef &root : {made.lambda.guard, made.lambda.body})
      tdl::walk(root, [&](const ExprRef &e) {
        if (e->kind == ExprKind::Read)
          isRead[size_t(e->operand)] = true;
      });
    std::vector<int> numbers;
    Segmented kept;
    for (size_t i = 0; i < isRead.size(); ++i) {
      numbers.push_back(int(kept.operands.size()));
      if (!isRead[i])
        continue;
      kept.operands.push_back(made.operands[i]);
      kept.lambda.operands.push_back(made.lambda.operands[i]);
    }
    const auto renumber = [&](const ExprRef &e) -> ExprRef {
      if (e->kind != ExprKind::Read)
        return nullptr;
      return tdl::read(numbers[size_t(e->operand)], e->type, e->children,
                       e->otherwise);
    };
    made.lambda.guard = tdl::transform(made.lambda.guard, renumber);
    made.lambda.body = tdl::transform(made.lambda.body, renumber);
    made.operands = std::move(kept.operands);
    made.lambda.operands = std::move(kept.lambda.operands);
  }

  std::optional<Segmented> finished() {
    dropUnread();
    made.lambda = tdl::canonicalize(std::move(made.lambda));
    if (!tdl::verify(made.lambda))
      return std::nullopt;
    return std::move(made);
  }

  const tdl::Lambda &lambda;
  const Segmentation &by;
  const Known &known;
  const bool ascending;
  const DType numbers;
  Segmented made;
};

} // namespace

tdl::Lambda messagepassing::withoutCertain(const tdl::Lambda &lambda,
                                           const Known &known) {
  const auto fold = [&](const ExprRef &e) -> ExprRef {
    const auto value = certain(e, known);
    return value ? tdl::constant(int64_t(*value), DType::Bool) : nullptr;
  };
  tdl::Lambda made = lambda;
  made.guard = tdl::transform(lambda.guard, fold);
  made.body = tdl::transform(lambda.body, fold);
  if (made.guard && made.guard->kind == ExprKind::Int && made.guard->integer)
    made.guard = nullptr;
  return tdl::canonicalize(std::move(made));
}

std::optional<Segmentation>
messagepassing::segmentation(const tdl::Lambda &lambda, const Known &known) {
  if (!lambda.guard || !onlyReads(lambda))
    return std::nullopt;
  for (const ExprRef &part : tdl::conjuncts(lambda.guard))
    if (auto found = keyOf(lambda, known, part))
      return found;
  return std::nullopt;
}

std::optional<Segmented>
messagepassing::segmented(const tdl::Lambda &lambda, const Segmentation &by,
                          const Known &known, bool ascending, DType numbers) {
  return Rewriter(lambda, by, known, ascending, numbers).run();
}
