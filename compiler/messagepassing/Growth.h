// Which dimensions of tensors grow with the graph that a model works on, by
// what lambdas do with them and not by how long they are: a dimension that data
// finds an element of (nodes), or that lists have which say so (edges).
#ifndef SMEX_COMPILER_MESSAGEPASSING_GROWTH_H
#define SMEX_COMPILER_MESSAGEPASSING_GROWTH_H

#include "dialects/smex/ir/Smex.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

#include <vector>

namespace smex::messagepassing {

/// Dimensions are alike where a lambda has one index variable for both. Those
/// alike to a dimension of a parameter are as long as the model says, whatever
/// data finds there: words, classes.
class Growth {
public:
  Growth(mlir::func::FuncOp main, const tdl::LambdaSymbols &lambdas);

  bool grows(mlir::Value value, int dimension) const;
  /// An index variable of the operator.
  bool growsAlong(semantic::ApplyOp apply, int variable) const {
    return grows(apply.getResult(), variable);
  }
  /// A list along this dimension says to which result each term of some
  /// reduction belongs: it is one of edges. Dimensions that are alike have the
  /// same number; -1 for all others.
  int edgesOf(mlir::Value value, int dimension) const;

private:
  unsigned numberOf(mlir::Value value, int dimension) const {
    return first.find(value)->second + unsigned(dimension);
  }
  unsigned add(mlir::Value value, int dimensions);
  void visit(semantic::ApplyOp apply, const tdl::Lambda &lambda);
  void visitGuard(semantic::ApplyOp apply, const tdl::ExprRef &guard);
  /// All index variables in the expression.
  void mark(std::vector<bool> &marks, semantic::ApplyOp apply,
            const tdl::ExprRef &of);

  /// Of each tensor's first dimension; those of a result are followed by its
  /// operator's reductions.
  llvm::DenseMap<mlir::Value, unsigned> first;
  unsigned count = 0;
  llvm::IntEqClasses alike;
  std::vector<bool> ofGraph, ofModel, ofEdges; // of dimensions, then classes
};

} // namespace smex::messagepassing

#endif
