// With the reference interpreter; test/end_to_end/operator_edges_test runs the
// same through the whole product.
#include "test/compiler/training/Edges.h"

#include <catch2/catch.hpp>

using namespace smex;

TEST_CASE("gradients at kinks, ties and poles are PyTorch's") {
  int compared = 0;
  for (const char *name : {"kinks", "ties", "reductions"})
    CHECK(test::gradientDifferences(
              std::string("test/compiler/training/models/edges_") + name +
                  ".json",
              [](const auto &model, const auto &inputs) {
                return test::evaluate(model, inputs);
              },
              compared) == "");
  CHECK(compared > 70);
}
