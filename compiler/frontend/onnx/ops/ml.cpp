// ai.onnx.ml: what prepares features for classical models.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

static void convertBinarizer(Node &n) {
  n.out(0, n.apply("binarize", {n.in(0)},
                   {{"threshold", n.real("threshold", 0.0)}}));
}

/// Columns of the last dimension, by number.
static void convertFeatureExtractor(Node &n) {
  n.require(n.rank(0) >= 1, "its operand must have a dimension of features");
  std::vector<int64_t> shape = n.shape(0);
  if (shape.size() == 1)
    shape.insert(shape.begin(), 1);
  const int64_t count = *elementCount(n.shape(1));
  n.out(0, n.apply("gather",
                   {n.reshape(n.in(0), shape), n.reshape(n.in(1), {count})},
                   {{"axis", int64_t(shape.size()) - 1}}));
}

std::vector<Row> smex::frontend::mlRows() {
  return {{"Binarizer", 1, convertBinarizer, "ai.onnx.ml"},
          {"ArrayFeatureExtractor", 1, convertFeatureExtractor, "ai.onnx.ml"}};
}
