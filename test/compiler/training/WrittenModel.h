// Models that tests write as JSON, and their training steps.
#ifndef SMEX_TEST_COMPILER_TRAINING_WRITTENMODEL_H
#define SMEX_TEST_COMPILER_TRAINING_WRITTENMODEL_H

#include "dialects/support/File.h"
#include "test/compiler/training/TrainingStep.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace smex::test {

/// The training step of a model: `text` is what follows its format and version.
/// Errors are those of training; a model that cannot be read fails the test.
inline Result<frontend::Model>
trainingStepOf(const std::string &text,
               const training::TrainingOptions &options) {
  const char *folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(folder ? folder : "/tmp") + "/model.json";
  REQUIRE(writeFile(path,
                    R"({"format": "smex-model", "version": 1, )" + text + "}"));
  frontend::ImportOptions importing;
  importing.training = true;
  auto model = frontend::importModel(path, importing);
  if (!model)
    FAIL(model.error().message);
  return withTrainingStep(std::move(*model), options);
}

/// y = w, one vector of three; with mse, dw = 2 (w - labels) / 3.
inline const char *const vector = R"(
  "inputs": [{"name": "x", "type": "f32", "shape": [3]}],
  "parameters": [{"name": "w", "type": "f32", "shape": [3], "values": [1, -2, 0.5]}],
  "nodes": [{"op": "Mul", "inputs": ["x", "w"], "outputs": ["y"]}],
  "outputs": ["y"])";

/// The weights of `vector`, and labels for it.
const std::vector<double> start = {1, -2, 0.5}, target = {0.25, 1, -1};

} // namespace smex::test

#endif
