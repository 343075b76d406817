#include "dialects/tdl/analysis/ProductOfReads.h"

#include "dialects/tdl/lambda/Accumulated.h"

using namespace smex;
using namespace smex::analysis;
using tdl::ExprKind;
using tdl::ExprRef;

std::optional<std::pair<ExprRef, ExprRef>>
analysis::productOfReads(const tdl::Lambda &lambda) {
  const ExprRef &body = lambda.body;
  if (lambda.reducer != tdl::Reducer::Sum || lambda.operands.size() != 2 ||
      body->kind != ExprKind::Binary || body->binary != tdl::BinaryOp::Mul ||
      body->type != lambda.result)
    return std::nullopt;
  ExprRef a = body->children[0], b = body->children[1];
  if (a->kind != ExprKind::Read || b->kind != ExprKind::Read)
    return std::nullopt;
  if (a->operand == 1)
    std::swap(a, b);
  if (a->operand != 0 || b->operand != 1)
    return std::nullopt;
  return std::make_pair(a, b);
}

tdl::Lambda analysis::rounded(const tdl::Lambda &lambda) {
  tdl::Lambda made = lambda;
  const ExprRef &body = lambda.body;
  if (lambda.reducer != tdl::Reducer::Sum || lambda.result != DType::F32 ||
      body->kind != ExprKind::Binary || body->binary != tdl::BinaryOp::Mul)
    return made;
  std::vector<ExprRef> factors;
  for (const ExprRef &factor : body->children)
    if (factor->kind == ExprKind::Cast && factor->type == DType::F32 &&
        tdl::is16Bit(factor->children[0]->type))
      factors.push_back(factor->children[0]);
  if (factors.size() != 2 || factors[0]->type != factors[1]->type)
    return made;
  made.result = factors[0]->type;
  made.body = tdl::binary(body->binary, factors[0], factors[1]);
  return made;
}

bool analysis::isZero(const ExprRef &e) {
  return (e->kind == ExprKind::Float && e->real == 0) ||
         (e->kind == ExprKind::Int && e->integer == 0);
}

bool analysis::isIndex(const ExprRef &e, int index) {
  return e->kind == ExprKind::Index && e->index == index;
}
