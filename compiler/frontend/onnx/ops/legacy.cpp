// Operators as they were before opset 7: broadcasting had to be asked for, and
// was from one operand only.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

/// The second operand, its dimensions at those of the first from `axis` on.
static ValueId aligned(Node &n) {
  const bool broadcasts = n.integer("broadcast", 0) != 0;
  n.ignore("consumed_inputs");
  const int64_t left = n.rank(0), right = n.rank(1);
  if (!n.hasAttribute("axis") || !broadcasts)
    return n.in(1);
  const int64_t axis = n.axis(n.integer("axis"), left);
  n.require(axis + right <= left, "its second operand does not fit at axis");
  std::vector<int64_t> shape = n.shape(1);
  shape.resize(left - axis, 1);
  return n.reshape(n.in(1), shape);
}

static Convert binary(const char *op) {
  return [op](Node &n) { n.out(0, n.apply(op, {n.in(0), aligned(n)})); };
}

/// A slope per channel.
static void convertPRelu(Node &n) {
  std::vector<int64_t> shape = n.shape(1);
  if (shape.size() == 1 && n.rank(0) > 2)
    shape.resize(n.rank(0) - 1, 1);
  n.out(0, n.apply("prelu", {n.in(0), n.reshape(n.in(1), shape)}));
}

static void convertBatchNorm(Node &n) {
  n.require(n.integer("is_test", 0) != 0, "training is not supported");
  n.require(n.integer("spatial", 1) != 0, "spatial = 0 is not supported");
  n.ignore("momentum");
  n.out(0, n.apply("batch_norm", {n.in(0), n.in(1), n.in(2), n.in(3), n.in(4)},
                   {{"epsilon", n.real("epsilon", 1e-5)}}));
}

std::vector<Row> smex::frontend::legacyRows() {
  return {
      {"Add", 6, binary("add")},
      {"Sub", 6, binary("sub")},
      {"Mul", 6, binary("mul")},
      {"Div", 6, binary("div")},
      {"Pow", 1, binary("pow")},
      {"And", 1, binary("logical_and")},
      {"Or", 1, binary("logical_or")},
      {"Xor", 1, binary("logical_xor")},
      {"Equal", 1, binary("equal")},
      {"Less", 1, binary("less")},
      {"Greater", 1, binary("greater")},
      {"PRelu", 6, convertPRelu},
      {"BatchNormalization", 6, convertBatchNorm},
  };
}
