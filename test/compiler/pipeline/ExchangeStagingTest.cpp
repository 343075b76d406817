// What workers keep for exchanges, in random programs: what smexc check calls
// enough is enough for the rounds of each exchange
// (runtime/backends/cuda/nccl/Rounds.h), and what the compiler keeps is.
#include "test/compiler/pipeline/RandomExample.h"

#include "runtime/backends/cuda/nccl/Rounds.h"
#include "runtime/plan/Check.h"

#include <catch2/catch.hpp>

using namespace smex;
using test::Kernels;

namespace {

bool isEnough(const plan::Plan &plan) {
  for (const plan::Finding &finding : plan::check(plan))
    if (finding.kind == plan::FindingKind::Staging)
      return false;
  return true;
}

/// Whether there are rounds of each exchange, or the most that one takes.
Result<size_t> mostRounds(const plan::Partitioned &partitioned) {
  size_t most = 0;
  const auto &instructions = partitioned.program.instructions;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (plan::queueOf(instructions[i].op) == Queue::Transfers) {
      const auto rounds = nccl::roundsOf(partitioned, int(i));
      if (!rounds)
        return rounds.error();
      most = std::max(most, rounds->size());
    }
  return most;
}

} // namespace

TEST_CASE("staging that is enough for smexc check is enough for all rounds") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int few = 0, several = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    plan::Plan plan = randomExample(context, seed, Kernels::Cuda).plan;
    REQUIRE(isEnough(plan));
    REQUIRE(mostRounds(plan.partitioned));
    conformance::Random random(seed);
    for (int trial = 0; trial < 20; ++trial) {
      for (plan::Worker &worker : plan.partitioned.workers)
        worker.stagingBytes = 16 * random.below(6);
      if (!isEnough(plan)) {
        ++few;
        continue;
      }
      const auto most = mostRounds(plan.partitioned);
      INFO((most ? "" : most.error().message));
      REQUIRE(most);
      several += *most > 1;
    }
  }
  CHECK(few > 100);
  CHECK(several > 100);
}
