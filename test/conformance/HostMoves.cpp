#include "test/conformance/HostMoves.h"

#include "compiler/memory/Passes.h"
#include "test/conformance/WrittenPlan.h"

#include <string>

using namespace smex;
using namespace smex::conformance;

namespace {

/// out[i] = 2 * x[63 - i] - (x[i] + 1), on one worker, and on several, where
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

exec.program @partitioned ways [WORKERS] {
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

} // namespace

Result<HostMoves>
conformance::hostMoves(mlir::MLIRContext &context, bool overlap, int workers,
                       const std::vector<std::string> &targets) {
  std::string text = programs;
  const std::string place = "WORKERS";
  text.replace(text.find(place), place.size(), std::to_string(workers));
  auto plan = planOf(context, text.c_str(), targets, /*library=*/false,
                     [&](mlir::OpPassManager &perProgram) {
                       if (overlap)
                         perProgram.addPass(memory::createOverlapTransfers());
                       perProgram.addPass(memory::createPlanMemory());
                       perProgram.addPass(memory::createInsertWaits());
                     });
  if (!plan)
    return plan.takeError();
  HostMoves made;
  made.plan = std::move(*plan);
  made.plan.flops = 3 * 64; // three lambdas add or subtract
  Tensor x = makeTensor({DType::F32, {64}});
  made.output = makeTensor({DType::F32, {64}});
  for (int i = 0; i < 64; ++i) {
    x.data<float>()[i] = float(i - 20);
    made.output.data<float>()[i] =
        2.0f * float(43 - i) - (float(i - 20) + 1.0f);
  }
  made.feeds = {{std::move(x)}};
  return made;
}
