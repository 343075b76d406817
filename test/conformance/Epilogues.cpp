#include "test/conformance/Epilogues.h"

#include "compiler/memory/Passes.h"
#include "test/conformance/WrittenPlan.h"

#include <algorithm>

using namespace smex;
using namespace smex::conformance;

namespace {

/// y = max(a b + c, 0), out = max(y d, 0) + y, where c is fetched.
constexpr const char *programs = R"mlir(
tdl.lambda @product = "(x: f32[2], y: f32[2]) -> f32: lambda i, j: Sum(lambda k: x[i, k] * y[k, j])"
tdl.lambda @biased = "(x: f32[2], b: f32[1]) -> f32: lambda i, j: max(x[i, j] + b[j], 0.0)"
tdl.lambda @relu = "(x: f32[2]) -> f32: lambda i, j: max(x[i, j], 0.0)"
tdl.lambda @add = "(x: f32[2], y: f32[2]) -> f32: lambda i, j: x[i, j] + y[i, j]"

exec.program @whole ways [1] {
  %a = exec.buffer input "a" : tensor<8x8xf32> #smex.division<whole>
  %b = exec.buffer input "b" : tensor<8x8xf32> #smex.division<whole>
  %c = exec.buffer input "c" : tensor<8xf32> #smex.division<whole>
  %d = exec.buffer input "d" : tensor<8x8xf32> #smex.division<whole>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<whole>
  %q = exec.buffer temporary "q" : tensor<8x8xf32> #smex.division<whole>
  %z = exec.buffer temporary "z" : tensor<8x8xf32> #smex.division<whole>
  %out = exec.buffer temporary "out" : tensor<8x8xf32> #smex.division<whole>
  exec.compute @product(%a, %b) to %p extents [8, 8, 8] indices #smex.division<whole>
  exec.compute @biased(%p, %c) to %y extents [8, 8] indices #smex.division<whole>
  exec.compute @product(%y, %d) to %q extents [8, 8, 8] indices #smex.division<whole>
  exec.compute @relu(%q) to %z extents [8, 8] indices #smex.division<whole>
  exec.compute @add(%z, %y) to %out extents [8, 8] indices #smex.division<whole>
  exec.output "out" %out
}

exec.program @partitioned ways [2] {
  %a = exec.buffer input "a" : tensor<8x8xf32> #smex.division<part 0>
  %b = exec.buffer input "b" : tensor<8x8xf32> #smex.division<whole>
  %c = exec.buffer input "c" : tensor<8xf32> #smex.division<part 0>
  %d = exec.buffer input "d" : tensor<8x8xf32> #smex.division<whole>
  %bias = exec.buffer temporary "c" : tensor<8xf32> #smex.division<whole>
  %p = exec.buffer temporary "p" : tensor<8x8xf32> #smex.division<part 0>
  %y = exec.buffer temporary "y" : tensor<8x8xf32> #smex.division<part 0>
  %q = exec.buffer temporary "q" : tensor<8x8xf32> #smex.division<part 0>
  %z = exec.buffer temporary "z" : tensor<8x8xf32> #smex.division<part 0>
  %out = exec.buffer temporary "out" : tensor<8x8xf32> #smex.division<part 0>
  exec.fetch %c to %bias {node = "bias"}
  exec.compute @product(%a, %b) to %p extents [8, 8, 8] indices #smex.division<part 0> {node = "p"}
  exec.compute @biased(%p, %bias) to %y extents [8, 8] indices #smex.division<part 0> {node = "y"}
  exec.compute @product(%y, %d) to %q extents [8, 8, 8] indices #smex.division<part 0> {node = "q"}
  exec.compute @relu(%q) to %z extents [8, 8] indices #smex.division<part 0> {node = "z"}
  exec.compute @add(%z, %y) to %out extents [8, 8] indices #smex.division<part 0> {node = "out"}
  exec.output "out" %out
}
)mlir";

constexpr int64_t size = 8;

/// Small integers, so that sums are exact.
Tensor numbers(std::vector<int64_t> shape, int seed) {
  Tensor made = makeTensor({DType::F32, std::move(shape)});
  for (int64_t i = 0; i < int64_t(made.bytes.size()) / 4; ++i)
    made.data<float>()[i] = float((i * 7 + seed * 5 + i * i) % 5 - 2);
  return made;
}

/// max(a b + c, 0), by its formula.
Tensor biasedProduct(const Tensor &a, const Tensor &b, const float *c) {
  Tensor made = makeTensor({DType::F32, {size, size}});
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j) {
      float sum = c ? c[j] : 0;
      for (int64_t k = 0; k < size; ++k)
        sum += a.data<float>()[i * size + k] * b.data<float>()[k * size + j];
      made.data<float>()[i * size + j] = std::max(sum, 0.0f);
    }
  return made;
}

} // namespace

Result<Epilogues>
conformance::epilogues(mlir::MLIRContext &context,
                       const std::vector<std::string> &targets) {
  auto plan = planOf(context, programs, targets, /*library=*/true,
                     [](mlir::OpPassManager &perProgram) {
                       perProgram.addPass(memory::createPlanMemory());
                       perProgram.addPass(memory::createMarkEpilogues());
                       perProgram.addPass(memory::createInsertWaits());
                     });
  if (!plan)
    return plan.takeError();
  Epilogues made;
  made.plan = std::move(*plan);
  for (const plan::Instruction &each :
       made.plan.partitioned.program.instructions)
    made.count += each.epilogueOf >= 0 ? 2 : 0;
  if (made.count != 4)
    return fail("there are ", made.count, " epilogues on two workers, not 4");
  Tensor a = numbers({size, size}, 1), b = numbers({size, size}, 2),
         c = numbers({size}, 3), d = numbers({size, size}, 4);
  const Tensor y = biasedProduct(a, b, c.data<float>());
  made.output = biasedProduct(y, d, nullptr);
  for (int64_t i = 0; i < size * size; ++i)
    made.output.data<float>()[i] += y.data<float>()[i];
  made.feeds = {{std::move(a)}, {std::move(b)}, {std::move(c)}, {std::move(d)}};
  return made;
}
