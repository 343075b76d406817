// Operators that ONNX's cases leave out or barely touch: models of one node
// whose outputs "y" should be what parameters "expected y" hold.
#include "test/compiler/frontend/evaluate.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace smex;

TEST_CASE("operators") {
  int count = 0;
  for (const auto &file : std::filesystem::directory_iterator(
           "test/compiler/frontend/models/operators")) {
    INFO(file.path());
    ++count;
    auto model = frontend::importModel(file.path(), {});
    if (!model)
      FAIL(model.error().message);
    auto outputs = test::evaluate(*model, {});
    if (!outputs)
      FAIL(outputs.error().message);
    for (const auto &[name, expected] : *outputs)
      if (const std::string prefix = "expected "; name.rfind(prefix, 0) == 0)
        CHECK(test::difference(outputs->at(name.substr(prefix.size())),
                               expected) == "");
  }
  CHECK(count > 20);
}
