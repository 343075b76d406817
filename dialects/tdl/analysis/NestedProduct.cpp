#include "dialects/tdl/analysis/NestedProduct.h"

#include "dialects/tdl/lambda/Accumulated.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

bool isBinary(const ExprRef &e, BinaryOp op) {
  return e->kind == ExprKind::Binary && e->binary == op;
}

/// x of f32(x), a 16-bit float; else null.
ExprRef widened(const ExprRef &e) {
  const bool is = e->kind == ExprKind::Cast && e->type == DType::F32 &&
                  tdl::is16Bit(e->children[0]->type);
  return is ? e->children[0] : nullptr;
}

/// A read that f32() widens, always in range and at no place that data says;
/// else null.
ExprRef widenedRead(const ExprRef &e) {
  const ExprRef read = widened(e);
  if (!read || read->kind != ExprKind::Read || read->otherwise ||
      std::any_of(read->children.begin(), read->children.end(), tdl::readsData))
    return nullptr;
  return read;
}

void addends(const ExprRef &e, std::vector<ExprRef> &found) {
  if (!isBinary(e, BinaryOp::Add)) {
    found.push_back(e);
    return;
  }
  addends(e->children[0], found);
  addends(e->children[1], found);
}

/// The read with a variable in place of the constant that is its last index.
ExprRef along(const ExprRef &read, int variable) {
  std::vector<ExprRef> index = read->children;
  index.back() = tdl::indexVar(variable);
  return tdl::read(read->operand, read->type, std::move(index));
}

/// Sums of products of reads whose last index counts from 0 on: memory has
/// their elements side by side.
std::optional<InnerProduct> innerProduct(const ExprRef &e, int variable) {
  constexpr size_t fewest = 8;
  if (!isBinary(e, BinaryOp::Add) || e->type != DType::F32)
    return std::nullopt;
  std::vector<ExprRef> terms;
  addends(e, terms);
  if (terms.size() < fewest)
    return std::nullopt;
  InnerProduct found{e, nullptr, nullptr, int64_t(terms.size())};
  std::vector<bool> seen(terms.size());
  for (const ExprRef &term : terms) {
    if (!isBinary(term, BinaryOp::Mul))
      return std::nullopt;
    const ExprRef left = widenedRead(term->children[0]),
                  right = widenedRead(term->children[1]);
    if (!left || !right || left->type != right->type ||
        left->children.empty() || right->children.empty())
      return std::nullopt;
    const ExprRef &c = left->children.back();
    if (c->kind != ExprKind::Int || c->integer < 0 ||
        c->integer >= found.terms || seen[size_t(c->integer)] ||
        !tdl::equal(c, right->children.back()))
      return std::nullopt;
    seen[size_t(c->integer)] = true;
    const ExprRef a = along(left, variable), b = along(right, variable);
    if (!found.left) {
      found.left = a;
      found.right = b;
    } else if (!tdl::equal(found.left, a) || !tdl::equal(found.right, b)) {
      return std::nullopt;
    }
  }
  return found;
}

void findInner(const ExprRef &e, int variable,
               std::vector<InnerProduct> &found) {
  if (auto product = innerProduct(e, variable)) {
    const bool isKnown =
        std::any_of(found.begin(), found.end(), [&](const auto &other) {
          return tdl::equal(other.value, e);
        });
    if (!isKnown)
      found.push_back(std::move(*product));
    return;
  }
  for (const ExprRef &child : e->children)
    findInner(child, variable, found);
}

/// The output that the left side of an inner product has and the right one has
/// not; -1 if that is not one.
int rowOf(const InnerProduct &product, const tdl::Lambda &lambda) {
  int row = -1;
  for (int i = 0; i < lambda.rank(); ++i) {
    const bool left = tdl::uses(product.left, i);
    if (left == tdl::uses(product.right, i))
      continue;
    if (!left || row >= 0)
      return -1;
    row = i;
  }
  return row;
}

ExprRef withReads(const ExprRef &e, const NestedProduct &product,
                  int firstOperand) {
  for (size_t p = 0; p < product.inner.size(); ++p)
    if (tdl::equal(e, product.inner[p].value))
      return tdl::read(firstOperand + int(p), DType::F32, {});
  std::vector<ExprRef> children;
  for (const ExprRef &child : e->children)
    children.push_back(withReads(child, product, firstOperand));
  return tdl::withChildren(*e, std::move(children), e->otherwise, e->slices);
}

} // namespace

ExprRef analysis::factorOfInner(const NestedProduct &product,
                                int firstOperand) {
  return withReads(product.factor, product, firstOperand);
}

std::optional<NestedProduct>
analysis::matchNestedProduct(const tdl::Lambda &given) {
  using tdl::Reducer;
  if (given.guard || given.reductions.size() != 1 ||
      tdl::partialType(given.reducer, given.result) != DType::F32 ||
      (given.reducer != Reducer::Sum && given.reducer != Reducer::Max &&
       given.reducer != Reducer::Min))
    return std::nullopt;
  const tdl::Lambda lambda = tdl::accumulated(given);
  NestedProduct found;
  found.term = lambda.rank();
  found.factor = lambda.body;
  findInner(lambda.body, lambda.indexCount(), found.inner);
  if (found.inner.empty())
    return std::nullopt;
  for (InnerProduct &product : found.inner) {
    if (tdl::uses(product.left, found.term))
      std::swap(product.left, product.right);
    if (tdl::uses(product.left, found.term) ||
        !tdl::uses(product.right, found.term))
      return std::nullopt;
    const int row = rowOf(product, lambda);
    if (row < 0 || (found.row >= 0 && row != found.row))
      return std::nullopt;
    found.row = row;
  }
  for (int side : {0, 1}) {
    if (lambda.reducer != Reducer::Sum || !isBinary(lambda.body, BinaryOp::Mul))
      break;
    const ExprRef other = widenedRead(lambda.body->children[size_t(side)]),
                  factor = widened(lambda.body->children[size_t(1 - side)]);
    if (!other || !factor || factor->type != other->type ||
        !tdl::uses(other, found.term) || tdl::uses(other, found.row))
      continue;
    int columns = 0;
    for (int i = 0; i < lambda.rank(); ++i)
      if (tdl::uses(other, i) && !tdl::uses(factor, i)) {
        found.column = i;
        ++columns;
      }
    if (columns != 1)
      return std::nullopt;
    found.factor = factor;
    found.other = other;
    break;
  }
  for (int i = 0; i < lambda.rank(); ++i) {
    if (i == found.row || i == found.column)
      continue;
    // Or else each of its values would compute the same products again.
    for (const InnerProduct &product : found.inner)
      if (!tdl::uses(product.left, i) || !tdl::uses(product.right, i))
        return std::nullopt;
    found.batch.push_back(i);
  }
  return found;
}
