// A fetch of more pieces than a grid has rows, which is what the scattered rows
// of a large graph are, by the whole backend on an emulated GPU, whose driver
// refuses what a grid cannot be.
#include "test/runtime/backends/cuda/OnGpus.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;

TEST_CASE("a fetch has as many pieces as it needs") {
  const int64_t rows = 66000;
  runtime::ProgramBuilder builder(2);
  const Box all = {{0, rows}};
  const int tensor = builder.tensor("x", {rows});
  const int from = builder.buffer(tensor, {all, all}),
            to = builder.buffer(tensor, {all, Box::absent(1)});
  std::vector<Piece> pieces;
  for (int64_t row = 0; row < rows; ++row)
    pieces.push_back({int(row % 2), {{row, row + 1}}});
  builder.move("rows", plan::Opcode::Fetch, from, to, {pieces, {}}, {});
  plan::Program &program = builder.result.program;
  program.parameters.push_back({"x", from});
  program.outputs.push_back({"y", to});
  REQUIRE(test::knowLaunches(builder.result, {"sm_80", ""}, 1));

  // Every element is the number of its worker.
  const runtime::NumberParameters numbers(rows);
  runtime::RunOptions options;
  for (const auto &result :
       test::runOnGpus(builder.result, {}, numbers, {}, options, 1)) {
    INFO((result ? "" : result.error().message));
    REQUIRE(result);
    const auto *elements =
        reinterpret_cast<const float *>(result->outputs.at(0).bytes.data());
    int64_t wrong = 0;
    for (int64_t row = 0; row < rows; ++row)
      wrong += elements[row] != float(row % 2);
    CHECK(wrong == 0);
  }
}
