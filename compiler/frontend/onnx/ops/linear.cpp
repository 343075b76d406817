// Matrix products.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

ValueId Node::matmul(ValueId a, ValueId b) {
  const auto rankA = type(a).rank(), rankB = type(b).rank();
  if (rankA == 0 || rankB == 0)
    refuse("an operand has no dimensions");
  const char *op = rankA == 1   ? rankB == 1 ? "dot" : "matmul_vector_matrix"
                   : rankB == 1 ? "matmul_matrix_vector"
                                : "matmul";
  return apply(op, {a, b});
}

static void convertMatMul(Node &n) { n.out(0, n.matmul(n.in(0), n.in(1))); }

static void convertGemm(Node &n) {
  const double alpha = n.real("alpha", 1.0), beta = n.real("beta", 1.0);
  const int64_t transA = n.integer("transA", 0) != 0,
                transB = n.integer("transB", 0) != 0;
  n.ignore("broadcast"); // opset 6
  n.require(n.rank(0) == 2 && n.rank(1) == 2, "its operands must be matrices");
  if (n.shape(0)[transA ? 0 : 1] != n.shape(1)[transB ? 1 : 0])
    n.refuse(toString(n.inType(0)), " and ", toString(n.inType(1)),
             " cannot be multiplied");
  ValueId y = n.apply("gemm", {n.in(0), n.in(1)},
                      {{"transA", transA}, {"transB", transB}});
  if (n.has(2) && beta != 0)
    y = alpha == 1 && beta == 1 ? n.apply("add", {y, n.in(2)})
                                : n.apply("gemm_epilogue", {y, n.in(2)},
                                          {{"alpha", alpha}, {"beta", beta}});
  else if (alpha != 1)
    y = n.apply("scale", {y}, {{"by", alpha}});
  n.out(0, y);
}

std::vector<Row> smex::frontend::linearRows() {
  return {
      {"MatMul", 1, convertMatMul},
      {"Gemm", 6, convertGemm},
  };
}
