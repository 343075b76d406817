// The elements of one dimension of a value, one after another: the inputs of an
// unrolled loop.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_ELEMENTS_H
#define SMEX_COMPILER_FRONTEND_ONNX_ELEMENTS_H

#include "compiler/frontend/onnx/Node.h"

namespace smex::frontend {

/// To take an element at a place is a lambda of its own for every place, and so
/// a kernel. A long dimension is first divided into groups, which are divided
/// alike: then lambdas grow with the logarithm of its extent.
class Elements {
public:
  Elements(Node &node, ValueId value, int64_t axis);

  /// Without the dimension. Groups are made when the first of their elements is
  /// asked for, so that they need not live through the whole loop.
  ValueId at(int64_t place);

private:
  Node &node;
  ValueId value;
  int64_t axis;
  /// The groups that the last element lies in, the largest first, and where
  /// they begin.
  std::vector<std::pair<int64_t, ValueId>> groups;
};

} // namespace smex::frontend

#endif
