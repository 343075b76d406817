#include "compiler/messagepassing/Interchange.h"

#include <algorithm>

using namespace smex;
using namespace smex::messagepassing;
using analysis::Composition;
using analysis::Instance;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

bool readsOperand(const ExprRef &e, int operand) {
  bool found = false;
  tdl::walk(e, [&](const ExprRef &node) {
    found |= (node->kind == ExprKind::Read || node->kind == ExprKind::Extent) &&
             node->operand == operand;
    for (const tdl::Expr::Slice &slice : node->slices)
      found |= slice.operand == operand;
  });
  return found;
}

ExprRef zero(DType type) { return tdl::constant(0.0, type); }

/// a (op) b, where null is 0 and the operation is a sum or a difference.
ExprRef added(BinaryOp op, const ExprRef &a, const ExprRef &b) {
  if (!b)
    return a;
  if (!a)
    return op == BinaryOp::Add ? b : tdl::unary(tdl::UnaryOp::Neg, b);
  return tdl::binary(op, a, b);
}

class Splitting {
public:
  explicit Splitting(int operand) : operand(operand) {}

  std::optional<Affine> split(const ExprRef &e) {
    if (!readsOperand(e, operand))
      return Affine{nullptr, e};
    switch (e->kind) {
    case ExprKind::Read:
      return read(e);
    case ExprKind::Unary:
      return e->unary == tdl::UnaryOp::Neg ? negated(*e) : std::nullopt;
    case ExprKind::Binary:
      return binary(*e);
    case ExprKind::Select:
      return select(*e);
    default:
      return std::nullopt;
    }
  }

  /// Of all reads, which are the same.
  ExprRef only;

private:
  std::optional<Affine> read(const ExprRef &e) {
    if (e->operand != operand || e->otherwise || (only && !tdl::equal(only, e)))
      return std::nullopt;
    for (const ExprRef &index : e->children)
      if (readsOperand(index, operand))
        return std::nullopt;
    only = e;
    return Affine{tdl::constant(1.0, e->type), nullptr};
  }

  std::optional<Affine> negated(const tdl::Expr &e) {
    const auto of = split(e.children[0]);
    if (!of)
      return std::nullopt;
    return Affine{added(BinaryOp::Sub, nullptr, of->slope),
                  of->rest ? added(BinaryOp::Sub, nullptr, of->rest) : nullptr};
  }

  std::optional<Affine> binary(const tdl::Expr &e) {
    const auto a = split(e.children[0]);
    const auto b = a ? split(e.children[1]) : std::nullopt;
    if (!b)
      return std::nullopt;
    if (e.binary == BinaryOp::Add || e.binary == BinaryOp::Sub)
      return Affine{added(e.binary, a->slope, b->slope),
                    added(e.binary, a->rest, b->rest)};
    const auto both = [&](const ExprRef &x, const ExprRef &y) {
      return x && y ? tdl::binary(e.binary, x, y) : nullptr;
    };
    if (e.binary == BinaryOp::Mul && (!a->slope || !b->slope))
      return a->slope ? Affine{both(a->slope, b->rest), both(a->rest, b->rest)}
                      : Affine{both(a->rest, b->slope), both(a->rest, b->rest)};
    if (e.binary == BinaryOp::Div && !b->slope)
      return Affine{both(a->slope, b->rest), both(a->rest, b->rest)};
    return std::nullopt;
  }

  std::optional<Affine> select(const tdl::Expr &e) {
    if (readsOperand(e.children[0], operand))
      return std::nullopt;
    const auto yes = split(e.children[1]);
    const auto no = yes ? split(e.children[2]) : std::nullopt;
    if (!no)
      return std::nullopt;
    const auto either = [&](const ExprRef &x, const ExprRef &y) -> ExprRef {
      if (!x && !y)
        return nullptr;
      return tdl::select(e.children[0], x ? x : zero(e.type),
                         y ? y : zero(e.type));
    };
    return Affine{either(yes->slope, no->slope), either(yes->rest, no->rest)};
  }

  const int operand;
};

std::optional<Affine> affineIn(const ExprRef &value, int operand,
                               ExprRef &only) {
  Splitting splitting(operand);
  const auto made = splitting.split(value);
  if (!made || !made->slope)
    return std::nullopt;
  only = splitting.only;
  return made;
}

/// The lambda with room for more outputs behind its own: index variables that
/// come after these have higher numbers now.
ExprRef withOutputs(const ExprRef &e, const tdl::Lambda &lambda, int count) {
  std::vector<ExprRef> now;
  for (int i = 0; i < lambda.indexCount(); ++i)
    now.push_back(tdl::indexVar(i < lambda.rank() ? i : i + count));
  return tdl::substitute(e, now);
}

/// The lambda without an operand, which it does not read.
std::optional<Composition> without(tdl::Lambda lambda, int operand) {
  Composition made;
  const auto renumber = [&](const ExprRef &e) -> ExprRef {
    if (e->kind == ExprKind::Read && e->operand > operand)
      return tdl::read(e->operand - 1, e->type, e->children, e->otherwise);
    if (e->kind == ExprKind::Extent && e->operand > operand)
      return tdl::extentOf(e->operand - 1, e->dim);
    return nullptr;
  };
  for (int i = 0; i < int(lambda.operands.size()); ++i)
    if (i != operand)
      made.operands.push_back({false, i});
  lambda.operands.erase(lambda.operands.begin() + operand);
  lambda.guard = tdl::transform(lambda.guard, renumber);
  lambda.body = tdl::transform(lambda.body, renumber);
  made.lambda = tdl::canonicalize(std::move(lambda));
  if (!tdl::verify(made.lambda))
    return std::nullopt;
  return made;
}

bool isSum(const tdl::Lambda &lambda) {
  return lambda.reducer == tdl::Reducer::Sum &&
         (lambda.result == DType::F32 || lambda.result == DType::F64) &&
         lambda.body->kind != ExprKind::Opaque;
}

} // namespace

std::optional<Affine> messagepassing::affineIn(const ExprRef &value,
                                               int operand) {
  ExprRef only;
  return ::affineIn(value, operand, only);
}

std::optional<Interchanged>
messagepassing::interchange(Instance consumer, int operand, Instance producer,
                            const std::vector<int> &same) {
  const tdl::Lambda &outer = consumer.lambda, &inner = producer.lambda;
  if (!isSum(outer) || !isSum(inner) || inner.result != outer.result ||
      readsOperand(outer.guard, operand))
    return std::nullopt;
  ExprRef only;
  const auto affine = ::affineIn(outer.body, operand, only);
  if (!affine)
    return std::nullopt;

  Interchanged made;
  made.added = int(inner.reductions.size());
  const int rank = outer.rank();
  tdl::Lambda map = inner; // whose reductions are outputs
  map.outputs.insert(map.outputs.end(), inner.reductions.begin(),
                     inner.reductions.end());
  map.reductions.clear();
  map.reducer = tdl::Reducer::None;
  if (inner.guard)
    map.body = tdl::select(inner.guard, inner.body, zero(inner.result));
  map.guard = nullptr;

  tdl::Lambda terms = outer;
  std::vector<ExprRef> index;
  for (const ExprRef &e : only->children)
    index.push_back(withOutputs(e, outer, made.added));
  for (int i = 0; i < made.added; ++i) {
    index.push_back(tdl::indexVar(rank + i));
    terms.outputs.push_back(inner.reductions[size_t(i)]);
  }
  terms.operands[size_t(operand)].rank += made.added;
  terms.guard = withOutputs(outer.guard, outer, made.added);
  terms.body =
      tdl::binary(BinaryOp::Mul, withOutputs(affine->slope, outer, made.added),
                  tdl::read(operand, inner.result, std::move(index)));
  made.extents = consumer.extents;
  made.extents.insert(made.extents.begin() + rank,
                      producer.extents.begin() + inner.rank(),
                      producer.extents.end());
  auto composed = analysis::compose({terms, made.extents}, operand,
                                    {map, producer.extents}, same);
  if (!composed)
    return std::nullopt;
  made.terms = std::move(*composed);
  if (affine->rest) {
    tdl::Lambda rest = outer;
    rest.body = affine->rest;
    made.rest = without(std::move(rest), operand);
    if (!made.rest)
      return std::nullopt;
  }
  return made;
}

tdl::Lambda messagepassing::sumOfLast(DType type, int rank, int count) {
  tdl::Lambda made;
  made.operands = {{"x", type, rank}};
  made.result = type;
  made.reducer = tdl::Reducer::Sum;
  std::vector<ExprRef> index;
  for (int i = 0; i < rank; ++i) {
    (i < rank - count ? made.outputs : made.reductions)
        .push_back("i" + std::to_string(i));
    index.push_back(tdl::indexVar(i));
  }
  made.body = tdl::read(0, type, std::move(index));
  return tdl::canonicalize(std::move(made));
}

tdl::Lambda messagepassing::sumOf(DType type, int rank, int tensors) {
  tdl::Lambda made;
  made.result = type;
  std::vector<ExprRef> index;
  for (int i = 0; i < rank; ++i) {
    made.outputs.push_back("i" + std::to_string(i));
    index.push_back(tdl::indexVar(i));
  }
  for (int t = 0; t < tensors; ++t) {
    made.operands.push_back({"x" + std::to_string(t), type, rank});
    const ExprRef term = tdl::read(t, type, index);
    made.body = made.body ? tdl::binary(BinaryOp::Add, made.body, term) : term;
  }
  return tdl::canonicalize(std::move(made));
}
