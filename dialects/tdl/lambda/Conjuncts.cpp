#include "dialects/tdl/lambda/Conjuncts.h"

using namespace smex;
using namespace smex::tdl;

static void take(const ExprRef &e, std::vector<ExprRef> &parts) {
  if (!e)
    return;
  const bool isAnd = e->kind == ExprKind::Binary &&
                     e->binary == BinaryOp::And && e->type == DType::Bool;
  if (!isAnd)
    return parts.push_back(e);
  take(e->children[0], parts);
  take(e->children[1], parts);
}

std::vector<ExprRef> tdl::conjuncts(const ExprRef &condition) {
  std::vector<ExprRef> parts;
  take(condition, parts);
  return parts;
}

ExprRef tdl::both(const ExprRef &a, const ExprRef &b) {
  return !a ? b : !b ? a : binary(BinaryOp::And, a, b);
}
