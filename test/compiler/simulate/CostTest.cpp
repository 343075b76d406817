// How long a GPU takes for an instruction: what its lambda is, what it reads.
#include "compiler/simulate/Cost.h"
#include "compiler/simulate/Simulate.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "test/compiler/simulate/Plans.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>

using namespace smex;
using namespace smex::simulate;
using machines::Device;

TEST_CASE("a compute takes a launch and the longer of arithmetic and memory") {
  PlanMaker maker(1);
  maker.compute({1000}); // 1000 flops, 8000 bytes
  Machine machine = star(1);
  machine.devices[0].launchSeconds = 1;
  auto simulation = *simulate::simulate(maker.partitioned, machine);
  CHECK(simulation.stepSeconds == Approx(1 + 8000 / 1e9));
  machine.devices[0].memoryEfficiency = 0.5;
  simulation = *simulate::simulate(maker.partitioned, machine);
  CHECK(simulation.stepSeconds == Approx(1 + 16000 / 1e9));
  machine.devices[0].flops[DType::F32] = 100; // slower than memory now
  simulation = *simulate::simulate(maker.partitioned, machine);
  CHECK(simulation.stepSeconds == Approx(1 + 10));
  machine.devices[0].flops[DType::F64] = 1; // of another type
  simulation = *simulate::simulate(maker.partitioned, machine);
  CHECK(simulation.stepSeconds == Approx(1 + 10));
  CHECK(simulation.gpus[0].computeSeconds == Approx(11));
  CHECK(simulation.gpus[0].exposedSeconds == 0);
}

TEST_CASE("products reach a share of the peak that grows with their size") {
  const plan::Plan plan = plan::twoWorkers();
  Device device = roundDevice();
  device.memoryBandwidth = 1e18;
  device.contraction = {0.5, 192};
  Machine machine = star(2);
  machine.devices = {device};
  const Cost cost(plan.partitioned, machine);
  // 4 x 8 x 3 products of 2 flops: 192, half of half the peak.
  CHECK(cost.compute(0, 0).seconds == Approx(192 / (1e9 * 0.5 * 0.5)));
  // relu: 2 x 8 of two flops at the whole peak.
  CHECK(cost.compute(0, 2).seconds == Approx(32 / 1e9));
  machine.devices[0].contraction.rampSeconds = 1e-3;
  const Cost ramped(plan.partitioned, machine);
  CHECK(ramped.compute(0, 0).seconds == Approx(192 / (1e9 * 0.5 * 0.5) + 1e-3));
  CHECK(ramped.compute(0, 2).seconds == Approx(32 / 1e9));
}

TEST_CASE("an epilogue costs what it reads besides the product") {
  plan::Partitioned whole = plan::twoWorkers().unpartitioned;
  Device device = roundDevice();
  device.launchSeconds = 1;
  device.flops[DType::F32] = 1e18;
  Machine machine = star(1);
  machine.devices = {device};
  const Cost apart(whole, machine);
  // 4 x 6 and 6 x 8 elements to 4 x 8; these and 8 to as many.
  CHECK(apart.compute(0, 0).seconds == Approx(4 * (24 + 48 + 32) / 1e9));
  CHECK(apart.compute(0, 1).seconds == Approx(4 * (32 + 8 + 32) / 1e9));
  const double seconds = simulate::simulate(whole, machine)->stepSeconds;
  whole.program.instructions[1].epilogueOf = 0;
  const Cost together(whole, machine);
  CHECK(together.compute(0, 0).seconds == Approx(4 * (24 + 48 + 32 + 8) / 1e9));
  CHECK(together.isDoneBefore(0, 1));
  CHECK(simulate::simulate(whole, machine)->stepSeconds ==
        Approx(seconds - 1 - 4 * (32 + 32) / 1e9));
  // Where the GPUs' library does not have the product, its code does one thing.
  plan::Kernel &product =
      whole.program.kernels[size_t(whole.program.instructions[0].kernel)];
  product.symbol = "kernel_1";
  product.generatedFor = {"sm_80"};
  CHECK_FALSE(Cost(whole, machine).isDoneBefore(0, 1));
  CHECK(Cost(whole, machine).compute(0, 1).seconds ==
        apart.compute(0, 1).seconds);
}

TEST_CASE("what a lambda is on a GPU comes from its structure") {
  const auto lambda = [](const char *text) { return *tdl::parseLambda(text); };
  const auto of = [&](const char *text) { return workOf(lambda(text)); };
  CHECK(of("(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: "
           "x0[i0, r0] * x1[r0, i1])") == Work::Contraction);
  // The gradients of a convolution.
  CHECK(of("(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, "
           "r1: x0[r0, i0, r1] * (x1[r0, i1, r1 + i2 - 1] else 0.0))") ==
        Work::Convolution);
  const char *strided =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, r1: "
      "x0[i0, r0, (i2 - r1) // 2] * x1[r0, i1, r1] where (i2 - r1) // 2 >= 0 "
      "and (i2 - r1) % 2 == 0)";
  CHECK(of(strided) == Work::Convolution);
  CHECK(countedShare(lambda(strided)) == 0.5);
  CHECK(countedShare(lambda(
            "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda r0: "
            "x0[i0 // 2, r0] * x1[r0, i1 // 3] where i0 % 2 < 1 and i1 % 3 < "
            "2)")) == Approx(1 / 3.0));
  // An attention's scores inside of its sum of values.
  std::string score;
  for (int c = 0; c < 8; ++c) {
    const std::string at = std::to_string(c) + "])";
    score +=
        (c ? " + f32(x0[i0, " : "f32(x0[i0, ") + at + " * f32(x1[r0, " + at;
  }
  CHECK(of(("(x0: f16[2], x1: f16[2]) -> f16: lambda i0, i1: Sum(lambda r0: "
            "f16(" +
            score + ") * x1[r0, i1])")
               .c_str()) == Work::Nested);
  CHECK(of("(x0: f32[1]) -> f32: lambda i0: x0[i0] * x0[i0]") == Work::Memory);
  CHECK(of("(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0])") ==
        Work::Memory);
  CHECK(of("(x0: f32[2], x1: f32[1]) -> f32: lambda i0: Sum(lambda r0: x0[i0, "
           "r0] * x1[i0])") == Work::Memory);
  CHECK(of("(x0: f32[2], x1: f32[2]) -> f32: lambda i0: Max(lambda r0: x0[i0, "
           "r0] * x1[i0, r0])") == Work::Memory);
}

TEST_CASE("each edge counts for one node") {
  const auto of = [](const char *text) {
    return sharedOut(*tdl::parseLambda(text));
  };
  const char *const key =
      "(x0: f32[2], x1: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[r0, "
      "i1] where i64(x1[r0]) == i0)";
  CHECK(of(key) == 0);
  CHECK(of("(x0: f32[2], x1: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: "
           "x0[r0, i0] where i64(x1[i1]) <= r0 and r0 < i64(x1[i1 + 1]))") ==
        1);
  // The gradient of embedded tokens, each of which is of one word.
  CHECK(of("(x0: f32[3], x1: i64[2]) -> f32: lambda i0, i1: Sum(lambda r0, r1: "
           "x0[r0, r1, i1] where (x1[r0, r1] + 7 if x1[r0, r1] < 0 else x1[r0, "
           "r1]) - i0 == 0)") == 0);
  CHECK(!of("(x0: f32[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where r0 <= "
            "i0)"));
  CHECK(!of("(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[i0, r0] where "
            "(i0 - r0) % 2 == 0)"));
  CHECK(!of("(x0: f32[1]) -> f32: lambda i0: x0[i0]"));
}

TEST_CASE("a gather reads what its places say, and again what no cache holds") {
  const char *neighbours =
      "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: "
      "Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < "
      "i64(x2[i0 + 1]))";
  CHECK(gathers(*tdl::parseLambda(neighbours)) == std::vector<int>{0, 1, 0});
  CHECK(gathers(*tdl::parseLambda(
            "(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, "
            "k] * b[k, j])")) == std::vector<int>{0, 0});

  Device device = roundDevice();
  CHECK(gatheredBytes(device, 100, 1000) == 100);   // less than all
  CHECK(gatheredBytes(device, 9000, 1000) == 1000); // no cache is known
  device.cacheBytes = 1000;
  CHECK(gatheredBytes(device, 9000, 1000) == 1000);
  device.cacheBytes = 0;
  CHECK(gatheredBytes(device, 9000, 1000) == 9000);

  // Against a cache of the least recently used, row by row.
  std::mt19937 random(1);
  for (const size_t held : {100, 500, 900}) {
    CAPTURE(held);
    std::list<int> recent;
    int missed = 0;
    for (int access = 0; access < 50000; ++access) {
      const int row = int(random() % 1000);
      const auto found = std::find(recent.begin(), recent.end(), row);
      if (found != recent.end())
        recent.erase(found);
      else
        ++missed;
      recent.push_front(row);
      if (recent.size() > held)
        recent.pop_back();
    }
    device.cacheBytes = int64_t(held) * 64;
    CHECK(gatheredBytes(device, 50000 * 64, 1000 * 64) / 64 ==
          Approx(missed).epsilon(0.06));
  }

  // 7 edges, of which a half of the vertices has one half, 4 numbers each; the
  // sums, all places and the bounds of 3 vertices are read once.
  const plan::Plan plan = plan::neighbours();
  Machine machine = star(2);
  machine.devices = {roundDevice()};
  machine.devices[0].flops[DType::F32] = 1e18;
  CHECK(Cost(plan.partitioned, machine).compute(0, 1).seconds ==
        Approx((3.5 * 4 * 4 + 3 * 4 * 4 + 7 * 4 + 4 * 4) / 1e9));
}
