// Operators at their edges through the whole product: the values of
// test/compiler/frontend/models/operators/edges_*.json, and the gradients of
// test/compiler/training/models/edges_*.json.
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/training/Edges.h"
#include "test/end_to_end/EdgeParts.h"
#include "test/end_to_end/Harness.h"

#include <catch2/catch.hpp>

using namespace smex;

namespace {

void checkPart(const frontend::Model &model,
               const std::map<std::string, Tensor> &inputs,
               const std::map<std::string, Tensor> &known, int64_t gpus) {
  const auto outputs = test::runPartitioned(model, inputs, gpus);
  if (!outputs)
    FAIL(outputs.error().message);
  REQUIRE(!outputs->empty());
  for (const auto &[name, value] : *outputs) {
    INFO(name);
    CHECK(test::difference(value, known.at("expected " + name)) == "");
  }
}

} // namespace

TEST_CASE("operators at their edges") {
  const auto files = test::edgesIn("test/compiler/frontend/models/operators");
  CHECK(files.size() > 4);
  for (const std::string &file : files)
    for (int64_t gpus : {1, 3}) {
      INFO(file << ", " << gpus << " GPUs");
      test::visitEdgeParts(
          file, [&](const auto &model, const auto &inputs, const auto &known) {
            checkPart(model, inputs, known, gpus);
          });
    }
}

TEST_CASE("gradients at their edges") {
  const auto files = test::edgesIn("test/compiler/training/models");
  CHECK(files.size() > 2);
  for (const std::string &file : files)
    for (int64_t gpus : {1, 3}) {
      // Slopes of one element each are cut alike whatever they are.
      if (gpus > 1 && file.find("kinks") != std::string::npos)
        continue;
      INFO(file << ", " << gpus << " GPUs");
      int compared = 0;
      CHECK(test::gradientDifferences(
                file,
                [&](const auto &model, const auto &inputs) {
                  return test::runPartitioned(model, inputs, gpus);
                },
                compared) == "");
      CHECK(compared > 10);
    }
}
