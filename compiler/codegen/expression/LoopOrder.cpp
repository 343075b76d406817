#include "compiler/codegen/expression/LoopOrder.h"

#include "compiler/codegen/expression/Conditions.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

constexpr double gather = 8;

double costOf(const tdl::Expr &read, int variable) {
  bool outer = false;
  for (size_t d = 0; d + 1 < read.children.size(); ++d)
    outer |= uses(read.children[d], variable);
  if (outer)
    return gather;
  if (read.children.empty() || !uses(read.children.back(), variable))
    return 0.1;
  // A quotient moves as what is divided does, only slower.
  const ExprRef &last = read.children.back();
  const bool divided = last->kind == ExprKind::Binary &&
                       last->binary == tdl::BinaryOp::FloorDiv &&
                       last->children[1]->kind == ExprKind::Int &&
                       last->children[1]->integer > 0;
  const auto linear = linearIn(divided ? last->children[0] : last, variable);
  if (!linear)
    return gather;
  const int64_t divisor = divided ? last->children[1]->integer : 1;
  const int64_t stride =
      std::max<int64_t>(std::abs(linear->factor) / divisor, 1);
  return stride > 4 ? gather : double(stride) + (linear->factor < 0);
}

/// A bound of a reduction's loop depends on the variable, which must then be
/// outside of that loop: `row[v] <= e`.
bool boundsReduction(const tdl::Lambda &lambda, int variable) {
  if (!lambda.guard)
    return false;
  for (const ExprRef &part : conjuncts(makeConditionsExplicit(lambda.guard))) {
    if (!uses(part, variable) || (!readsData(part) && cutOf(part, variable)))
      continue;
    for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
      if (cutOf(part, r))
        return true;
  }
  return false;
}

} // namespace

double codegen::readCost(const ExprRef &term, int variable) {
  double cost = 0;
  walk(term, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      cost += costOf(*e, variable);
  });
  return cost;
}

bool codegen::isWindow(const ExprRef &term, int output, int reduction) {
  bool found = false;
  walk(term, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read && !e->children.empty())
      found |= uses(e->children.back(), output) &&
               uses(e->children.back(), reduction);
  });
  return found;
}

ReductionOrder codegen::chooseOrder(const tdl::Lambda &lambda,
                                    const ExprRef &term) {
  ReductionOrder order;
  const int last = lambda.rank() - 1;
  double best = 0;
  int inner = -1;
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r) {
    // Windows are small: a loop over one has hardly begun when it ends.
    const double window = last >= 0 && isWindow(term, last, r) ? gather : 0;
    const double cost = readCost(term, r) + window;
    if (inner < 0 || cost <= best) {
      inner = r;
      best = cost;
    }
  }
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
    if (r != inner)
      order.reductions.push_back(r);
  order.reductions.push_back(inner);
  // Accumulators in memory are read and written once per term.
  // Where no term depends on the variable, a tile would hold the same sum over
  // and over.
  if (last >= 0 && uses(term, last) && readCost(term, last) + 1 < best &&
      !boundsReduction(lambda, last)) {
    order.output = last;
    std::sort(order.reductions.begin(), order.reductions.end());
  }
  return order;
}
