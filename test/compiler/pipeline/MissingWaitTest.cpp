// What check() says of waits, tried: a plan that it calls sound gives the right
// results on the reference backend, in whatever order that puts instructions,
// and one that lacks a wait does not.
#include "runtime/plan/Check.h"
#include "test/compiler/pipeline/RandomExample.h"

#include <catch2/catch.hpp>

using namespace smex;
using test::Kernels;
using test::RandomExample;

namespace {

/// Whether an order of the queues shows that the plan is wrong.
bool isShown(const RandomExample &example, runtime::Backend &backend) {
  const size_t queues =
      example.plan.partitioned.workers.size() *
      size_t(plan::queuesOf(example.plan.partitioned.program).size());
  for (uint64_t seed = 0; seed < queues; ++seed) { // each comes last once
    runtime::RunOptions options;
    options.device.seed = seed;
    const auto result =
        runtime::execute(example.plan.partitioned, {}, backend,
                         test::NoParameters(), example.feeds, options);
    if (!result)
      return true;
    for (size_t o = 0; o < example.outputs.size(); ++o)
      if (result->outputs[o].bytes != example.outputs[o].bytes)
        return true;
  }
  return false;
}

bool isSound(const plan::Plan &plan) {
  for (const plan::Finding &finding : plan::check(plan))
    if (finding.kind != plan::FindingKind::Totals) // this plan has none
      return false;
  return true;
}

} // namespace

TEST_CASE("waits that a plan needs are missed, and no others") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto backend = runtime::makeBackend("reference");
  REQUIRE(backend);
  int needed = 0, spare = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomExample example = randomExample(context, seed, Kernels::None);
    INFO("seed " << seed << "\n" << example.decided);
    REQUIRE_FALSE(isShown(example, **backend));
    auto &instructions = example.plan.partitioned.program.instructions;
    for (size_t i = 0; i < instructions.size(); ++i)
      for (size_t w = 0; w < instructions[i].waits.size(); ++w) {
        CAPTURE(i, w);
        const std::vector<Wait> all = instructions[i].waits;
        instructions[i].waits.erase(instructions[i].waits.begin() + int(w));
        const bool sound = isSound(example.plan);
        CHECK(isShown(example, **backend) == !sound);
        (sound ? spare : needed) += 1;
        instructions[i].waits = all;
      }
  }
  CAPTURE(spare);
  CHECK(needed > 1000);
}
