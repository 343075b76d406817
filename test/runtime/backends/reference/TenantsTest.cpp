#include "runtime/backends/reference/Tenants.h"

#include "runtime/plan/Regions.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::runtime;

namespace {

/// Runs a plan's list, of which `skipped` (worker, instruction) writes nothing:
/// the first complaint.
Status run(const plan::Plan &plan, std::pair<int, int> skipped = {-1, -1}) {
  const plan::Partitioned &part = plan.partitioned;
  const int workers = int(part.workers.size());
  std::vector<Tenants> tenants;
  for (int w = 0; w < workers; ++w) {
    tenants.emplace_back(part, w, part.workers[size_t(w)].arenaBytes);
    tenants.back().begin();
  }
  for (int i = 0; i < int(part.program.instructions.size()); ++i) {
    const plan::Instruction &instruction = part.program.instructions[size_t(i)];
    for (int w = 0; w < workers; ++w) {
      for (int operand : instruction.operands)
        if (Status there = tenants[size_t(w)].check(operand); !there)
          return there;
      if (instruction.op == plan::Opcode::Compute)
        continue;
      for (const Piece &piece : plan::piecesOf(part, w, i))
        if (Status there =
                tenants[size_t(piece.worker)].check(instruction.from);
            !there)
          return there;
    }
    for (int w = 0; w < workers; ++w)
      if (skipped != std::pair(w, i))
        tenants[size_t(w)].moveIn(instruction.to);
  }
  for (const Tenants &each : tenants)
    if (Status there = each.end(); !there)
      return there;
  return {};
}

} // namespace

TEST_CASE(
    "a sound plan finds all in its place, memory that is used again too") {
  for (const plan::Plan &plan : {plan::twoWorkers(), plan::twoDivided()}) {
    const Status ran = run(plan);
    INFO((ran ? "" : ran.error().message));
    CHECK(ran);
  }
}

TEST_CASE("whatever is not written is missed") {
  const plan::Plan plan = plan::twoWorkers();
  const int instructions = int(plan.partitioned.program.instructions.size());
  for (int w : {0, 1})
    for (int i = 0; i < instructions; ++i) {
      CAPTURE(w, i);
      const Status ran = run(plan, {w, i});
      REQUIRE_FALSE(ran);
      CHECK_THAT(ran.error().message,
                 Catch::Contains("is not in its place on worker " +
                                 std::to_string(w)));
    }
}

TEST_CASE("who reads after the memory was used again is too late") {
  const plan::Plan plan = plan::twoWorkers();
  const plan::Partitioned &part = plan.partitioned;
  Tenants tenants(part, 0, part.workers[0].arenaBytes);
  tenants.begin();
  // z is in the memory of x, the last one that is written.
  const int x = part.program.inputs[0].buffer;
  CHECK(tenants.check(x));
  tenants.moveIn(part.program.instructions.back().to);
  CHECK_FALSE(tenants.check(x));
  // The next step's input is there again.
  tenants.begin();
  CHECK(tenants.check(x));
}
