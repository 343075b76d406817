#include "compiler/fusion/Orders.h"

#include "llvm/ADT/STLExtras.h"

using namespace smex;

std::optional<std::vector<int>> fusion::orderOfReader(const tdl::Lambda &reader,
                                                      int operand) {
  tdl::ExprRef first;
  bool same = true;
  for (const tdl::ExprRef &root : {reader.guard, reader.body})
    tdl::walk(root, [&](const tdl::ExprRef &e) {
      for (const tdl::Expr::Slice &slice : e->slices)
        same &= slice.operand != operand;
      if (e->kind == tdl::ExprKind::Extent)
        same &= e->operand != operand;
      if (e->kind != tdl::ExprKind::Read || e->operand != operand)
        return;
      same &= !e->otherwise && (!first || tdl::equal(e, first));
      first = e;
    });
  if (!first || !same)
    return std::nullopt;
  std::vector<int> order;
  for (const tdl::ExprRef &index : first->children) {
    if (index->kind != tdl::ExprKind::Index)
      return std::nullopt;
    order.push_back(int(order.size()));
  }
  const auto variable = [&](int d) {
    return first->children[size_t(d)]->index;
  };
  llvm::sort(order, [&](int a, int b) { return variable(a) < variable(b); });
  for (size_t d = 1; d < order.size(); ++d)
    if (variable(order[d - 1]) == variable(order[d]))
      return std::nullopt;
  if (llvm::is_sorted(order))
    return std::nullopt;
  return order;
}

tdl::Lambda fusion::withOutputs(const tdl::Lambda &lambda,
                                const std::vector<int> &order) {
  tdl::Lambda made = lambda;
  std::vector<tdl::ExprRef> now(size_t(lambda.indexCount()));
  for (int i = 0; i < lambda.indexCount(); ++i)
    now[size_t(i)] = tdl::indexVar(i);
  for (size_t i = 0; i < order.size(); ++i)
    now[size_t(order[i])] = tdl::indexVar(int(i));
  made.body = tdl::substitute(lambda.body, now);
  if (lambda.guard)
    made.guard = tdl::substitute(lambda.guard, now);
  return tdl::canonicalize(std::move(made));
}

tdl::Lambda fusion::readInOrder(const tdl::Lambda &reader, int operand,
                                const std::vector<int> &order) {
  const auto turn = [&](const tdl::ExprRef &e) -> tdl::ExprRef {
    if (e->kind != tdl::ExprKind::Read || e->operand != operand)
      return nullptr;
    std::vector<tdl::ExprRef> index;
    for (int d : order)
      index.push_back(e->children[size_t(d)]);
    return tdl::read(operand, e->type, std::move(index));
  };
  tdl::Lambda made = reader;
  made.body = tdl::transform(reader.body, turn);
  made.guard = tdl::transform(reader.guard, turn);
  return tdl::canonicalize(std::move(made));
}
