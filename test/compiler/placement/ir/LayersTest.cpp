#include "compiler/placement/ir/Layers.h"

#include "test/compiler/partition/Models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;
using namespace smex::placement;

TEST_CASE("a layer has its weights and gradients") {
  // x . w0 . w1 . w2, each a layer, and the gradients of w1 and w2.
  Model model;
  const int x = model.tensor({16, 8});
  std::vector<int> weights, products, gradients;
  for (int layer = 0; layer < 3; ++layer) {
    weights.push_back(model.tensor({8, 8}));
    model.tensors[size_t(weights.back())].isParameter = true;
    products.push_back(
        model.matmul(layer ? products.back() : x, weights.back()));
    Operator &op = model.operators.back();
    op.name = "layer" + std::to_string(layer) + (layer == 1 ? "/x" : "");
    op.group = layer;
  }
  for (int layer : {2, 1}) {
    gradients.push_back(
        model.matmul(products[size_t(layer)], weights[size_t(layer)]));
    model.tensors[size_t(gradients.back())].gradientOf =
        products[size_t(layer) - 1];
    model.operators.back().name = "gradient of layer9/x";
    model.operators.back().group = layer;
  }
  const ModelLayers layers = layersOf(model);
  for (int layer = 0; layer < 3; ++layer) {
    CHECK(layers.ofTensor[size_t(weights[size_t(layer)])] == layer);
    CHECK(layers.ofTensor[size_t(products[size_t(layer)])] == layer);
    CHECK(layers.ofOperator[size_t(layer)] == layer);
  }
  CHECK(layers.ofTensor[size_t(x)] == 0);
  // Of a node that is in no scope of layers, the group says where it belongs.
  CHECK(layers.ofTensor[size_t(gradients[0])] == 2);
  CHECK(layers.ofTensor[size_t(gradients[1])] == 1);
}
