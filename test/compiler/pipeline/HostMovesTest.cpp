// A program that keeps a buffer on the host for a while, on its whole way to a
// run: memory is planned, waits are inserted, and the plan is sound, gives the
// right outputs on both backends, and needs each of its waits.
#include "test/conformance/HostMoves.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "test/compiler/pipeline/RandomExample.h"

#include "compiler/codegen/cpu/Codegen.h"

#include <catch2/catch.hpp>

using namespace smex;
using conformance::HostMoves;

namespace {

HostMoves made(mlir::MLIRContext &context, bool overlap, int workers = 2) {
  conformance::loadDialects(context);
  auto moves = conformance::hostMoves(context, overlap, workers,
                                      {codegen::CodegenOptions().cpuArch});
  INFO((moves ? "" : moves.error().message));
  REQUIRE(moves);
  return std::move(*moves);
}

std::string findings(const plan::Plan &plan) {
  std::string all;
  for (const plan::Finding &finding : plan::check(plan))
    all += finding.message + "\n";
  return all;
}

/// Whether a run succeeds and is right.
bool isRight(const HostMoves &moves, const std::string &device, uint64_t seed) {
  const plan::Plan &plan = moves.plan;
  auto backend = runtime::makeBackend(device);
  REQUIRE(backend);
  runtime::RunOptions options;
  options.steps = 2; // bytes of the first are there in the second
  options.device.threads = 1;
  options.device.seed = seed;
  auto result = runtime::execute(plan.partitioned, plan.code, **backend,
                                 test::NoParameters(), moves.feeds, options);
  if (!result)
    return false;
  CHECK(result->peakBytes == plan.peakBytes);
  CHECK(result->communicationBytes == plan.communicationBytes);
  return result->outputs.size() == 1 &&
         result->outputs[0].bytes == moves.output.bytes;
}

/// In every order that the reference backend tries: each queue of each worker
/// comes last once.
bool isRightInAnyOrder(const HostMoves &moves) {
  const size_t count =
      moves.plan.partitioned.workers.size() * size_t(queueCount);
  for (uint64_t seed = 0; seed < count; ++seed)
    if (!isRight(moves, "reference", seed))
      return false;
  return true;
}

} // namespace

TEST_CASE("moves to the host and back, from the IR to a run") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const bool overlap = GENERATE(false, true);
  const int workers = GENERATE(2, 5); // 64 elements are no multiple of 5
  CAPTURE(overlap, workers);
  const HostMoves moves = made(context, overlap, workers);
  const plan::Plan &plan = moves.plan;
  const Status valid = plan::validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  REQUIRE(findings(plan) == "");

  const plan::Program &program = plan.partitioned.program;
  CHECK(plan::queuesOf(program).size() == size_t(queueCount));
  uint64_t onHosts = 0;
  for (const plan::Worker &worker : plan.partitioned.workers)
    onHosts += worker.hostBytes;
  CHECK(onHosts == 64 * 4); // each element once
  CHECK(isRight(moves, "cpu", 0));
  CHECK(isRightInAnyOrder(moves));
}

TEST_CASE("every wait around a move is needed") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  HostMoves moves = made(context, /*overlap=*/false);
  int needed = 0;
  for (plan::Instruction &each : moves.plan.partitioned.program.instructions)
    for (size_t w = 0; w < each.waits.size(); ++w) {
      CAPTURE(each.node, w);
      const std::vector<Wait> all = each.waits;
      each.waits.erase(each.waits.begin() + int(w));
      CHECK(findings(moves.plan) != "");
      CHECK_FALSE(isRightInAnyOrder(moves));
      each.waits = all;
      ++needed;
    }
  CHECK(needed >= 5);
}
