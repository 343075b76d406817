// Every kind of division, mixed at random, by the cuda backend on GPUs that are
// emulated (test/emulated/cuda): outputs are those of the lambdas on whole
// tensors, to the bit, and the bytes that a run counts are those of the
// definition. The emulated driver takes streams in any order that events allow,
// and stops at what it finds of races, bounds and bytes that nobody has
// written.
#include "test/compiler/pipeline/RandomExample.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace smex;
using test::Kernels;
using test::RandomExample;

TEST_CASE("divisions of every kind on GPUs: right, and as counted") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto backend = runtime::makeBackend("cuda");
  if (!backend)
    FAIL(backend.error().message);
  const auto devices = (*backend)->devices(4);
  REQUIRE(!devices.empty());
  REQUIRE(devices.front().find("emulated") != std::string::npos);
  const char *seeds = std::getenv("SMEX_TEST_SEED");
  const uint64_t begin = std::strtoull(seeds ? seeds : "0", nullptr, 10);
  for (uint64_t seed = begin; seed < begin + 60; ++seed) {
    const RandomExample example = randomExample(context, seed, Kernels::Cuda);
    INFO("seed " << seed << "\n" << example.decided);
    if (Status accepted = (*backend)->accepts(example.plan); !accepted)
      FAIL(accepted.error().message);
    runtime::RunOptions options;
    options.steps = 2;
    options.device.trace = seed % 2;
    requireRight(example,
                 runtime::execute(example.plan.partitioned, example.plan.code,
                                  **backend, test::NoParameters(),
                                  example.feeds, options));
  }
}
