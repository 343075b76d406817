// A program of the execution IR that keeps a buffer on the host for a while, on
// its whole way to a run: memory is planned, waits are inserted, and the plan
// is sound, gives the right outputs on both backends, and needs each of its
// waits.
#include "compiler/emit/Emit.h"
#include "compiler/memory/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/support/Sha256.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "test/compiler/pipeline/RandomExample.h"

#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace smex;

namespace {

/// out[i] = 2 * x[63 - i] - (x[i] + 1), on one worker, and on two, where
/// x + 1 is on the host while the other operand is computed, fetched and turned
/// round. So all four queues have something to do.
constexpr const char *programs = R"(
tdl.lambda @more = "(x: f32[1]) -> f32: lambda i: x[i] + 1.0"
tdl.lambda @twice = "(x: f32[1]) -> f32: lambda i: x[i] + x[i]"
tdl.lambda @flip = "(x: f32[1]) -> f32: lambda i: x[63 - i]"
tdl.lambda @less = "(x: f32[1], y: f32[1]) -> f32: lambda i: x[i] - y[i]"

exec.program @whole ways [1] {
  %x = exec.buffer input "x" : tensor<64xf32> #smex.division<whole>
  %more = exec.buffer temporary "more" : tensor<64xf32> #smex.division<whole>
  %twice = exec.buffer temporary "twice" : tensor<64xf32> #smex.division<whole>
  %flip = exec.buffer temporary "flip" : tensor<64xf32> #smex.division<whole>
  %out = exec.buffer temporary "out" : tensor<64xf32> #smex.division<whole>
  exec.compute @more(%x) to %more extents [64] indices #smex.division<whole>
  exec.compute @twice(%x) to %twice extents [64] indices #smex.division<whole>
  exec.compute @flip(%twice) to %flip extents [64] indices #smex.division<whole>
  exec.compute @less(%flip, %more) to %out extents [64] indices #smex.division<whole>
  exec.output "out" %out
}

exec.program @partitioned ways [2] {
  %x = exec.buffer input "x" : tensor<64xf32> #smex.division<part 0>
  %more = exec.buffer temporary "more" : tensor<64xf32> #smex.division<part 0>
  %away = exec.buffer temporary "more" : tensor<64xf32> on host #smex.division<part 0>
  %twice = exec.buffer temporary "twice" : tensor<64xf32> #smex.division<part 0>
  %all = exec.buffer temporary "twice" : tensor<64xf32> #smex.division<whole>
  %flip = exec.buffer temporary "flip" : tensor<64xf32> #smex.division<part 0>
  %back = exec.buffer temporary "more" : tensor<64xf32> #smex.division<part 0>
  %out = exec.buffer temporary "out" : tensor<64xf32> #smex.division<part 0>
  exec.compute @more(%x) to %more extents [64] indices #smex.division<part 0> {node = "more"}
  exec.to_host %more to %away {node = "more"}
  exec.compute @twice(%x) to %twice extents [64] indices #smex.division<part 0> {node = "twice"}
  exec.fetch %twice to %all {node = "flip"}
  exec.compute @flip(%all) to %flip extents [64] indices #smex.division<part 0> {node = "flip"}
  exec.from_host %away to %back {node = "more"}
  exec.compute @less(%flip, %back) to %out extents [64] indices #smex.division<part 0> {node = "out"}
  exec.output "out" %out
}
)";

plan::Plan planOf(mlir::MLIRContext &context, bool overlap) {
  mlir::DialectRegistry registry;
  pipeline::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(programs, &context);
  REQUIRE(module);
  mlir::PassManager manager(&context);
  auto &perProgram = manager.nest<exec::ProgramOp>();
  if (overlap)
    perProgram.addPass(memory::createOverlapTransfers());
  perProgram.addPass(memory::createPlanMemory());
  perProgram.addPass(memory::createInsertWaits());
  REQUIRE(mlir::succeeded(manager.run(*module)));

  emit::KernelTable kernels({"x86-64-v3"}, /*library=*/false);
  plan::Plan plan;
  plan.modelName = "by hand";
  plan.modelSha256 = sha256(programs);
  for (auto program : module->getOps<exec::ProgramOp>())
    (program.getSymName() == "whole" ? plan.unpartitioned : plan.partitioned) =
        emit::emit(program, kernels);
  plan.peakBytes = plan::totals(plan.partitioned).peakBytes;
  plan.communicationBytes = plan::totals(plan.partitioned).communicationBytes;
  plan.flops = 3 * 64; // three lambdas add or subtract
  plan.code = test::codeOf(kernels);
  return plan;
}

std::string findings(const plan::Plan &plan) {
  std::string all;
  for (const plan::Finding &finding : plan::check(plan))
    all += finding.message + "\n";
  return all;
}

/// The outputs of a run, or none if it fails.
std::vector<Tensor> run(const plan::Plan &plan, const std::string &device,
                        uint64_t seed) {
  Tensor x = makeTensor({DType::F32, {64}});
  auto *numbers = reinterpret_cast<float *>(x.bytes.data());
  std::iota(numbers, numbers + 64, -20.0f);
  auto backend = runtime::makeBackend(device);
  REQUIRE(backend);
  runtime::RunOptions options;
  options.steps = 2; // bytes of the first are there in the second
  options.device.threads = 1;
  options.device.seed = seed;
  auto result = runtime::execute(plan.partitioned, plan.code, **backend,
                                 test::NoParameters(), {{x}}, options);
  if (!result)
    return {};
  CHECK(result->peakBytes == plan.peakBytes);
  CHECK(result->communicationBytes == plan.communicationBytes);
  return result->outputs;
}

bool isRight(const std::vector<Tensor> &outputs) {
  if (outputs.size() != 1 || outputs[0].bytes.size() != 64 * sizeof(float))
    return false;
  const auto *out = reinterpret_cast<const float *>(outputs[0].bytes.data());
  for (int i = 0; i < 64; ++i)
    if (out[i] != 2.0f * float(43 - i) - (float(i - 20) + 1.0f))
      return false;
  return true;
}

/// In every order that the reference backend tries: each queue of each worker
/// comes last once.
bool isRightInAnyOrder(const plan::Plan &plan) {
  const size_t count = plan.partitioned.workers.size() * size_t(queueCount);
  for (uint64_t seed = 0; seed < count; ++seed)
    if (!isRight(run(plan, "reference", seed)))
      return false;
  return true;
}

} // namespace

TEST_CASE("moves to the host and back, from the IR to a run") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const bool overlap = GENERATE(false, true);
  CAPTURE(overlap);
  plan::Plan plan = planOf(context, overlap);
  const Status valid = plan::validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  REQUIRE(findings(plan) == "");

  const plan::Program &program = plan.partitioned.program;
  CHECK(plan::queuesOf(program).size() == size_t(queueCount));
  for (const plan::Worker &worker : plan.partitioned.workers)
    CHECK(worker.hostBytes == 128);
  CHECK(isRight(run(plan, "cpu", 0)));
  CHECK(isRightInAnyOrder(plan));
}

TEST_CASE("every wait around a move is needed") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  plan::Plan plan = planOf(context, /*overlap=*/false);
  int needed = 0;
  for (plan::Instruction &each : plan.partitioned.program.instructions)
    for (size_t w = 0; w < each.waits.size(); ++w) {
      CAPTURE(each.node, w);
      const std::vector<Wait> all = each.waits;
      each.waits.erase(each.waits.begin() + int(w));
      CHECK(findings(plan) != "");
      CHECK_FALSE(isRightInAnyOrder(plan));
      each.waits = all;
      ++needed;
    }
  CHECK(needed >= 5);
}
