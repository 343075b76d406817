#include "runtime/executor/KeptInputs.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::runtime;

namespace {

/// y = x, then z = 2 x by way of y.
struct Doubled {
  Doubled() {
    const Box all{{0, 4}};
    x = b.buffer(b.tensor("x", {4}), {all});
    y = b.buffer(b.tensor("y", {4}), {all});
    z = b.buffer(b.tensor("z", {4}), {all});
    b.compute("copy",
              b.kernel(plan::KernelKind::Reference,
                       "(x0: f32[1]) -> f32: lambda i0: x0[i0]"),
              {x}, y, {all});
    b.compute("twice",
              b.kernel(plan::KernelKind::Reference,
                       "(x0: f32[1]) -> f32: lambda i0: x0[i0] + x0[i0]"),
              {y}, z, {all});
    b.result.program.inputs = {{"x", x}};
    b.result.program.outputs = {{"y", y}};
  }

  std::vector<bool> kept() const { return keptInputs(b.result, 0); }
  int64_t &offset(int buffer) { return plan::offsetOf(b.result, 0, buffer); }

  ProgramBuilder b{1};
  int x, y, z;
};

} // namespace

TEST_CASE("an input with a place of its own stays") {
  Doubled program;
  CHECK(program.kept() == std::vector<bool>{true});
  // Part of it is enough.
  program.offset(program.z) = program.offset(program.x) + 8;
  CHECK(program.kept() == std::vector<bool>{false});
}

TEST_CASE("an input that an instruction writes does not stay") {
  Doubled program;
  program.b.result.program.instructions[1].to = program.x;
  CHECK(program.kept() == std::vector<bool>{false});
}

TEST_CASE("an input in the workspace does not stay") {
  Doubled program;
  plan::Worker &worker = program.b.result.workers[0];
  worker.workspaceOffset = program.offset(program.x);
  worker.workspaceBytes = 64;
  CHECK(program.kept() == std::vector<bool>{false});
}

TEST_CASE("each step has the inputs that it is given") {
  const std::string device = GENERATE(as<std::string>(), "cpu", "reference");
  const bool shares = GENERATE(false, true), perStep = GENERATE(false, true);
  INFO(device << (shares ? ", shared" : "") << (perStep ? ", per step" : ""));
  Doubled program;
  if (shares)
    program.offset(program.z) = program.offset(program.x);
  RunOptions options;
  options.steps = 3;
  auto backend = makeBackend(device);
  REQUIRE(backend);
  const Feed feed = perStep ? rampFeed({3, 4}, true) : rampFeed({4});
  const auto result = execute(program.b.result, {}, **backend,
                              NumberParameters(0), {feed}, options);
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  const float *y = result->outputs[0].data<float>();
  for (int i = 0; i < 4; ++i)
    CHECK(y[i] == feed.value.data<float>()[(perStep ? 8 : 0) + i]);
}
