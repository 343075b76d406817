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
    const auto key = elementOf(side, known);
    if (key && key->index->kind == ExprKind::Index &&
        key->index->index >= lambda.rank() && output->kind == ExprKind::Index &&
        output->index < lambda.rank())
      return Segmentation{key->operand, key->row, output->index,
                          key->index->index, key->wrap};
  }
  return std::nullopt;
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
      if (isKey && found && found->key == by.key && found->row == by.row &&
          found->wrap == by.wrap && found->variable == by.variable &&
          found->term == by.term)
        isKey = false;
      else
        rest.push_back(moved(part));
    }
    made.lambda.body = moved(lambda.body);
    const ExprRef v = tdl::indexVar(by.variable);
    const ExprRef k = tdl::indexVar(by.term);
    const ExprRef first = element({Source::Kind::Offsets}, v, numbers);
    const ExprRef last =
        element({Source::Kind::Offsets},
                tdl::binary(BinaryOp::Add, v, tdl::constant(1)), numbers);
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
  ExprRef element(Source source, ExprRef index, DType type) {
    return tdl::cast(DType::I64, tdl::read(operand(source, {"", type, 1}), type,
                                           {std::move(index)}));
  }

  int operand(const Source &source, const tdl::Operand &type) {
    const auto found = std::find_if(
        made.operands.begin(), made.operands.end(), [&](const Source &other) {
          return other.kind == source.kind && other.of == source.of &&
                 other.row == source.row && other.wrap == source.wrap;
        });
    if (found != made.operands.end())
      return int(found - made.operands.begin());
    made.operands.push_back(source);
    made.lambda.operands.push_back(type);
    return int(made.operands.size()) - 1;
  }

  /// The expression where the segment's k-th term is meant. No node has slices:
  /// see onlyReads.
  ExprRef moved(const ExprRef &e) {
    if (!e)
      return e;
    if (const auto found = elementOf(e, known);
        found && isVariable(found->index, by.term))
      return tdl::cast(e->type, elementOfTerm(*found));
    if (isVariable(e, by.term) && !ascending)
      return element({Source::Kind::Order}, tdl::indexVar(by.term), numbers);
    std::vector<ExprRef> children;
    for (const ExprRef &child : e->children)
      children.push_back(moved(child));
    ExprRef otherwise = moved(e->otherwise);
    if (e->kind == ExprKind::Read)
      return tdl::read(operand({Source::Kind::Same, e->operand},
                               lambda.operands[size_t(e->operand)]),
                       e->type, std::move(children), std::move(otherwise));
    return tdl::withChildren(*e, std::move(children), std::move(otherwise), {});
  }

  ExprRef elementOfTerm(const Element &found) {
    // The key of a term of segment v is v, which is not negative: what is v as
    // it is, is v counted from the end, too.
    if (found.operand == by.key && found.row == by.row &&
        (by.wrap == 0 || found.wrap == by.wrap))
      return tdl::indexVar(by.variable);
    const DType type =
        holds(numbers, rangeOf(found, known)) ? numbers : DType::I64;
    return element(
        {Source::Kind::Gathered, found.operand, found.row, found.wrap},
        tdl::indexVar(by.term), type);
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
