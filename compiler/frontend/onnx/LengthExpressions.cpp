// What an expression becomes that stands in models of several numbers of rows.
#include "compiler/frontend/onnx/LengthBinder.h"
#include "dialects/tdl/lambda/Conjuncts.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;
using tdl::BinaryOp;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

static ExprRef zero(DType type) {
  return isFloat(type) ? tdl::constant(0.0, type) : tdl::constant(0, type);
}

static bool areEqual(const std::vector<ExprRef> &es) {
  return std::all_of(es.begin(), es.end(),
                     [&](const ExprRef &e) { return tdl::equal(e, es[0]); });
}

template <typename Get>
static std::vector<ExprRef> part(const std::vector<ExprRef> &es, Get &&get) {
  std::vector<ExprRef> parts;
  for (const ExprRef &e : es)
    parts.push_back(get(*e));
  return parts;
}

ExprRef LengthBinder::countOf(size_t k) {
  auto [known, isNew] = counts.try_emplace(k, 0);
  if (isNew) {
    known->second = int(current.lambda.operands.size());
    current.lambda.operands.push_back({"n", DType::I64, 0});
    current.operands.push_back(all[0].rows[k].count);
  }
  return tdl::read(known->second, DType::I64, {});
}

ExprRef LengthBinder::toExpr(const Length &length) {
  ExprRef sum = tdl::constant(length.constant);
  for (size_t k = 0; k < length.perRow.size(); ++k)
    if (length.perRow[k] != 0)
      sum = tdl::binary(BinaryOp::Add,
                        tdl::binary(BinaryOp::Mul, countOf(k),
                                    tdl::constant(length.perRow[k])),
                        sum);
  return sum;
}

bool LengthBinder::readsCounts(const ExprRef &e) const {
  bool reads = false;
  tdl::walk(e, [&](const ExprRef &node) {
    reads |= node->kind == ExprKind::Read && node->operand >= given;
  });
  return reads;
}

void LengthBinder::unclear() const {
  refuseLengths(
      "node \"", current.node,
      "\": what it computes depends on the rows in a way that is not a "
      "multiple of their number");
}

ExprRef LengthBinder::number(const Same &es) {
  const Expr &first = *es[0];
  Numbers y;
  for (const ExprRef &e : es) {
    if (first.kind == ExprKind::Int) {
      y.push_back(e->integer);
      continue;
    }
    const double x = e->real;
    if (x != std::trunc(x) || std::fabs(x) > double(int64_t(1) << 50))
      unclear();
    y.push_back(int64_t(x));
  }
  const auto line = lineThrough(y, rows);
  if (!line || first.type == DType::Bool)
    unclear();
  const ExprRef sum = toExpr(*line);
  return first.type == DType::I64 ? sum : tdl::cast(first.type, sum);
}

ExprRef LengthBinder::merge(const Same &es) {
  if (!es[0]) {
    if (std::any_of(es.begin(), es.end(),
                    [](const ExprRef &e) { return bool(e); }))
      unclear();
    return nullptr;
  }
  const Expr &first = *es[0];
  for (const ExprRef &e : es)
    if (!e || e->kind != first.kind || e->type != first.type ||
        e->index != first.index || e->operand != first.operand ||
        e->dim != first.dim || e->unary != first.unary ||
        e->binary != first.binary || e->function != first.function ||
        e->arguments != first.arguments ||
        e->children.size() != first.children.size() ||
        e->slices.size() != first.slices.size())
      unclear();
  if (first.kind == ExprKind::Int || first.kind == ExprKind::Float)
    return areEqual(es) ? es[0] : number(es);
  if (first.kind == ExprKind::Extent) {
    const Length &length = lengthsOf(first.operand)[size_t(first.dim)];
    return length.isFixed() ? es[0] : toExpr(length);
  }
  std::vector<ExprRef> children;
  for (size_t c = 0; c < first.children.size(); ++c)
    children.push_back(
        merge(part(es, [&](const Expr &e) { return e.children[c]; })));
  ExprRef otherwise =
      merge(part(es, [](const Expr &e) { return e.otherwise; }));
  if (first.kind == ExprKind::Read)
    return element(first, std::move(children), std::move(otherwise));
  if (first.kind == ExprKind::Binary && first.type == DType::I64 &&
      (first.binary == BinaryOp::FloorDiv || first.binary == BinaryOp::Mod) &&
      readsCounts(children[1])) // of no rows, nothing counts
    children[1] = tdl::binary(BinaryOp::Max, children[1], tdl::constant(1));
  std::vector<Expr::Slice> slices = first.slices;
  for (size_t s = 0; s < slices.size(); ++s)
    for (size_t d = 0; d < slices[s].index.size(); ++d)
      slices[s].index[d] =
          merge(part(es, [&](const Expr &e) { return e.slices[s].index[d]; }));
  return tdl::withChildren(first, std::move(children), std::move(otherwise),
                           std::move(slices));
}

/// What stands for rows that there are not is also computed where it is of no
/// row that there is: then it may read out of range.
static ExprRef withinReach(const ExprRef &e) {
  return tdl::transform(e, [](const ExprRef &node) -> ExprRef {
    if (node->kind != ExprKind::Read || node->otherwise)
      return nullptr;
    return tdl::read(node->operand, node->type, node->children,
                     zero(node->type));
  });
}

const std::vector<Length> &LengthBinder::lengthsOf(int operand) const {
  return lengths[size_t(current.operands[size_t(operand)])];
}

ExprRef LengthBinder::element(const Expr &read, std::vector<ExprRef> index,
                              ExprRef otherwise) {
  ExprRef inside;
  const std::vector<Length> &shape = lengthsOf(read.operand);
  bool isOpen = false;
  for (size_t d = 0; d < index.size(); ++d) {
    isOpen |= tdl::readsData(index[d]);
    if (!otherwise || shape[d].isFixed())
      continue;
    inside = tdl::both(inside,
                       tdl::binary(BinaryOp::Lt, index[d], toExpr(shape[d])));
  }
  const ExprRef made = tdl::read(read.operand, read.type, std::move(index),
                                 otherwise ? otherwise
                                 : isOpen  ? zero(read.type)
                                           : nullptr);
  return inside ? tdl::select(inside, made, withinReach(otherwise)) : made;
}
