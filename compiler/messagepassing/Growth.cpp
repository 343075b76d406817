#include "compiler/messagepassing/Growth.h"

using namespace mlir;
using namespace smex;
using namespace smex::messagepassing;
using semantic::ApplyOp;
using semantic::ParameterOp;
using tdl::ExprKind;
using tdl::ExprRef;

Growth::Growth(func::FuncOp main, const tdl::LambdaSymbols &lambdas) {
  const auto rankOf = [](mlir::Value value) {
    return int(cast<RankedTensorType>(value.getType()).getRank());
  };
  for (BlockArgument input : main.getArguments())
    add(input, rankOf(input));
  for (Operation &op : main.getBody().front()) {
    if (auto apply = dyn_cast<ApplyOp>(op))
      add(apply.getResult(), int(apply.getExtents().size()));
    else if (isa<ParameterOp>(op))
      add(op.getResult(0), rankOf(op.getResult(0)));
  }
  alike.grow(count);
  for (std::vector<bool> *marks : {&ofGraph, &ofModel, &ofEdges})
    marks->resize(count);
  for (Operation &op : main.getBody().front()) {
    if (auto apply = dyn_cast<ApplyOp>(op))
      visit(apply, lambdas[apply.getLambdaAttr().getAttr()]);
    else if (auto parameter = dyn_cast<ParameterOp>(op))
      for (int d = 0; !parameter.getConstant() && d < rankOf(parameter); ++d)
        ofModel[numberOf(parameter, d)] = true;
  }
  alike.compress();
  for (std::vector<bool> *marks : {&ofGraph, &ofModel, &ofEdges}) {
    std::vector<bool> ofClasses(alike.getNumClasses());
    for (unsigned i = 0; i < count; ++i)
      if ((*marks)[i])
        ofClasses[alike[i]] = true;
    *marks = std::move(ofClasses);
  }
}

unsigned Growth::add(mlir::Value value, int dimensions) {
  first[value] = count;
  return count += unsigned(dimensions);
}

void Growth::visit(ApplyOp apply, const tdl::Lambda &lambda) {
  const mlir::Value result = apply.getResult();
  const auto reads = [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read)
      return;
    const mlir::Value operand = apply.getInputs()[size_t(e->operand)];
    for (int d = 0; d < int(e->children.size()); ++d) {
      const ExprRef &index = e->children[size_t(d)];
      if (index->kind == ExprKind::Index)
        alike.join(numberOf(operand, d), numberOf(result, index->index));
      if (!tdl::readsData(index))
        continue;
      ofGraph[numberOf(operand, d)] = true;
      mark(ofGraph, apply, index); // what the lists are along
    }
  };
  tdl::walk(lambda.body, reads);
  tdl::walk(lambda.guard, reads);
  visitGuard(apply, lambda.guard);
}

/// `key[r] == i`, by itself or with other conditions.
void Growth::visitGuard(ApplyOp apply, const ExprRef &guard) {
  tdl::walk(guard, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Binary || e->binary != tdl::BinaryOp::Eq)
      return;
    for (int side = 0; side < 2; ++side) {
      const ExprRef &key = e->children[size_t(side)],
                    &found = e->children[size_t(1 - side)];
      if (!tdl::readsData(key) || tdl::readsData(found))
        continue;
      mark(ofGraph, apply, key);
      mark(ofGraph, apply, found);
      if (found->kind == ExprKind::Index)
        mark(ofEdges, apply, key);
    }
  });
}

void Growth::mark(std::vector<bool> &marks, ApplyOp apply, const ExprRef &of) {
  tdl::walk(of, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Index)
      marks[numberOf(apply.getResult(), e->index)] = true;
  });
}

bool Growth::grows(mlir::Value value, int dimension) const {
  const unsigned of = alike[numberOf(value, dimension)];
  return ofGraph[of] && !ofModel[of];
}

int Growth::edgesOf(mlir::Value value, int dimension) const {
  const unsigned of = alike[numberOf(value, dimension)];
  return ofEdges[of] && !ofModel[of] ? int(of) : -1;
}
