#include "dialects/tdl/lambda/IndexSum.h"

#include "dialects/tdl/lambda/RawExpr.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {
int64_t wrappingMul(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}
int64_t wrappingAdd(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
/// The smallest integer has no positive counterpart to subtract.
bool isSubtracted(int64_t factor) { return factor < 0 && factor != INT64_MIN; }

ExprRef multiple(const ExprRef &atom, int64_t factor) {
  if (factor == 1)
    return atom;
  return rawBinary(BinaryOp::Mul, DType::I64, atom, constant(factor));
}
} // namespace

void IndexSum::add(const ExprRef &e, int64_t factor) {
  if (e->kind == ExprKind::Int) {
    constant = wrappingAdd(constant, wrappingMul(e->integer, factor));
    return;
  }
  if (e->kind == ExprKind::Unary && e->unary == UnaryOp::Neg)
    return add(e->children[0], wrappingMul(factor, -1));
  if (e->kind == ExprKind::Binary) {
    const ExprRef &a = e->children[0], &b = e->children[1];
    if (e->binary == BinaryOp::Add || e->binary == BinaryOp::Sub) {
      add(a, factor);
      return add(b,
                 e->binary == BinaryOp::Add ? factor : wrappingMul(factor, -1));
    }
    if (e->binary == BinaryOp::Mul && b->kind == ExprKind::Int)
      return add(a, wrappingMul(factor, b->integer));
  }
  auto same = std::find_if(terms.begin(), terms.end(),
                           [&](const Term &t) { return equal(t.atom, e); });
  if (same == terms.end()) {
    if (factor != 0)
      terms.push_back({e, factor});
    return;
  }
  same->factor = wrappingAdd(same->factor, factor);
  if (same->factor == 0)
    terms.erase(same);
}

ExprRef IndexSum::build() const {
  const auto first =
      std::find_if(terms.begin(), terms.end(),
                   [](const Term &t) { return !isSubtracted(t.factor); });
  ExprRef sum;
  int64_t rest = constant;
  if (first != terms.end()) {
    sum = multiple(first->atom, first->factor);
  } else if (constant != 0 || terms.empty()) {
    sum = tdl::constant(constant); // 3 - i - j
    rest = 0;
  }
  for (auto term = terms.begin(); term != terms.end(); ++term) {
    if (term == first)
      continue;
    if (!isSubtracted(term->factor))
      sum = rawBinary(BinaryOp::Add, DType::I64, sum,
                      multiple(term->atom, term->factor));
    else if (!sum)
      sum = rawUnary(UnaryOp::Neg, DType::I64,
                     multiple(term->atom, -term->factor));
    else
      sum = rawBinary(BinaryOp::Sub, DType::I64, sum,
                      multiple(term->atom, -term->factor));
  }
  if (rest != 0)
    sum = rawBinary(BinaryOp::Add, DType::I64, sum, tdl::constant(rest));
  return sum;
}
