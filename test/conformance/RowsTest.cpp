// What rows of emulated GPUs find that nobody else looks for.
#include "test/conformance/Rows.h"
#include "test/conformance/Divided.h"

#include "dialects/tdl/lambda/Lambda.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

using namespace smex;
using namespace smex::conformance;

namespace {

const Row &rowOf(const std::string &name) {
  for (const Row &row : rows())
    if (row.name == name)
      return row;
  throw std::runtime_error("there is no row " + name);
}

std::string contents(const std::string &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("a kernel that leaves the buffer of its argument is found") {
  const std::string log = std::string(std::getenv("TEST_TMPDIR")) + "/log";
  setenv("SMEX_EMULATED_LOG", log.c_str(), 1);
  const Row &row = rowOf("cuda, one GPU");
  for (const auto &[name, value] : row.environment)
    setenv(name.c_str(), value.c_str(), 1);
  auto runner = Runner::open(row);
  if (!runner)
    FAIL(runner.error().message);

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  const auto lambda = tdl::parseLambda("(x: f32[1]) -> f32: lambda i: -x[i]");
  REQUIRE(lambda);
  Evaluated model;
  model.model.name = "negated";
  // Two inputs, so that one of them lies behind the other in the arena.
  for (const char *result : {"y", "z"}) {
    Tensor x = makeTensor({DType::F32, {64}});
    for (int i = 0; i < 64; ++i)
      x.data<float>()[i] = float(i);
    const int operand = model.add(std::string("x") + result, std::move(x));
    REQUIRE(model.apply(result, *lambda, {64}, {operand}));
  }
  Random random(1);
  DivideOptions how;
  how.ways = {1};
  how.targets = runner->targets();
  auto divided = divide(context, model, random, how);
  if (!divided)
    FAIL(divided.error().message);
  // Room behind all buffers: what leaves the last one is in the arena still.
  divided->plan.partitioned.workers.at(0).arenaBytes += 4096;
  const auto run = [&] {
    return runner->run(divided->plan, NoParameters(), divided->feeds, {});
  };
  const auto right = run();
  if (!right)
    FAIL(right.error().message);
  CHECK(right->outputs[0].bytes == divided->outputs[0].bytes);

  std::string &ptx = divided->plan.code.at(0).bytes;
  const std::string given = ptx;
  ptx = std::regex_replace(
      given, std::regex(R"((ld\.global[.a-z0-9]* \t[^\n]*\[%rd\d+)\])"),
      "$01+256]");
  REQUIRE(ptx != given);
  REQUIRE_FALSE(run());
  CHECK_THAT(contents(log), Catch::Contains("the buffer of parameter 0"));
}
