#include "compiler/simulate/Cost.h"
#include "compiler/simulate/Report.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Totals.h"
#include "test/compiler/simulate/Plans.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <list>
#include <random>
#include <set>

using namespace smex;
using namespace smex::simulate;
using machines::Device;
using machines::NodeKind;

static void checkTime(const Simulation &simulation, int worker, int instruction,
                      double start, double end) {
  const auto [from, to] = timeOf(simulation, worker, instruction);
  INFO("gpu" << worker << " instruction " << instruction);
  CHECK(from == Approx(start));
  CHECK(to == Approx(end));
}

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
  CHECK(cost.computeSeconds(0, 0) == Approx(192 / (1e9 * 0.5 * 0.5)));
  // relu: 2 x 8 of two flops at the whole peak.
  CHECK(cost.computeSeconds(0, 2) == Approx(32 / 1e9));
  machine.devices[0].contraction.rampSeconds = 1e-3;
  const Cost ramped(plan.partitioned, machine);
  CHECK(ramped.computeSeconds(0, 0) == Approx(192 / (1e9 * 0.5 * 0.5) + 1e-3));
  CHECK(ramped.computeSeconds(0, 2) == Approx(32 / 1e9));
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
  CHECK(apart.computeSeconds(0, 0) == Approx(1 + 4 * (24 + 48 + 32) / 1e9));
  CHECK(apart.computeSeconds(0, 1) == Approx(1 + 4 * (32 + 8 + 32) / 1e9));
  const double seconds = simulate::simulate(whole, machine)->stepSeconds;
  whole.program.instructions[1].epilogueOf = 0;
  const Cost together(whole, machine);
  CHECK(together.computeSeconds(0, 0) ==
        Approx(1 + 4 * (24 + 48 + 32 + 8) / 1e9));
  CHECK(together.computeSeconds(0, 1) == 0);
  CHECK(simulate::simulate(whole, machine)->stepSeconds ==
        Approx(seconds - 1 - 4 * (32 + 32) / 1e9));
  // Where the GPUs' library does not have the product, its code does one thing.
  plan::Kernel &product =
      whole.program.kernels[size_t(whole.program.instructions[0].kernel)];
  product.symbol = "kernel_1";
  product.generatedFor = {"sm_80"};
  CHECK(Cost(whole, machine).computeSeconds(0, 1) ==
        apart.computeSeconds(0, 1));
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
  CHECK(Cost(plan.partitioned, machine).computeSeconds(0, 1) ==
        Approx((3.5 * 4 * 4 + 3 * 4 * 4 + 7 * 4 + 4 * 4) / 1e9));
}

TEST_CASE("two flows share a link, and the longer one gets all in the end") {
  PlanMaker maker(3);
  // 250 and 750 elements into gpu0: 500 bytes/s each until 1000 bytes have
  // come, 2 s; then 2000 bytes at 1000 bytes/s.
  maker.fetch({{0, {{1, 250}, {2, 750}}}});
  const auto simulation = *simulate::simulate(maker.partitioned, star(3));
  checkTime(simulation, 0, 0, 0, 4);
  CHECK(timeOf(simulation, 1, 0).first == -1);
  CHECK(simulation.communicationBytes == 4000);
  CHECK(simulation.gpus[0].transferSeconds == Approx(4));
  CHECK(simulation.gpus[1].exposedSeconds == Approx(4));
  CHECK(simulation.links[0].backwardBytes == 4000);
  CHECK(simulation.links[0].forwardBytes == 0);
  CHECK(simulation.links[1].forwardBytes == 1000);
  CHECK(simulation.links[2].forwardBytes == 3000);
}

TEST_CASE("a flow that is slowed elsewhere leaves its share to others") {
  PlanMaker maker(4);
  // gpu3 sends 1000 bytes to each of the others, at 1000/3; so gpu0 can take
  // 2000 bytes from gpu1 at 2000/3, and all end after 3 s. Halves would
  // take 3.5.
  maker.fetch({{0, {{1, 500}, {3, 250}}}, {1, {{3, 250}}}, {2, {{3, 250}}}});
  const auto simulation = *simulate::simulate(maker.partitioned, star(4));
  for (int w : {0, 1, 2})
    checkTime(simulation, w, 0, 0, 3);
}

TEST_CASE("a link whose directions share it, and a bus that all share") {
  const auto exchange = [](const Machine &machine) {
    PlanMaker maker(4);
    maker.fetch(
        {{0, {{1, 250}}}, {1, {{0, 250}}}, {2, {{3, 250}}}, {3, {{2, 250}}}});
    return simulate::simulate(maker.partitioned, machine)->stepSeconds;
  };
  CHECK(exchange(star(4)) == Approx(1));
  CHECK(exchange(star(4, /*duplex=*/false)) == Approx(2));
  Machine bus = star(4);
  bus.nodes[4].bytesPerSecond = 1000;
  CHECK(exchange(bus) == Approx(4));
}

TEST_CASE("latencies of a route add up, and a launch comes first") {
  PlanMaker maker(2);
  maker.fetch({{0, {{1, 250}}}});
  Machine machine = star(2);
  machine.devices[0].launchSeconds = 0.5;
  machine.links[0].latencySeconds = 1;
  machine.links[1].latencySeconds = 2;
  CHECK(simulate::simulate(maker.partitioned, machine)->stepSeconds ==
        Approx(0.5 + 3 + 1));
}

TEST_CASE("own pieces of a fetch are read and written, not communicated") {
  PlanMaker maker(1);
  maker.fetch({{0, {{0, 1000}}}});
  const auto simulation = *simulate::simulate(maker.partitioned, star(1));
  CHECK(simulation.stepSeconds == Approx(8000 / 1e9));
  CHECK(simulation.communicationBytes == 0);
}

TEST_CASE("a chain of waits; who has nothing to do is not waited for") {
  PlanMaker maker(3);
  Machine machine = star(3);
  machine.devices[0].memoryBandwidth = 8; // one element per second
  maker.compute({1, 0, 2});
  maker.compute({0, 0, 5});
  maker.compute({1, 0, 0});
  maker.wait(1, plan::ofAll(0));
  maker.wait(2, plan::ofAll(1));
  const auto simulation = *simulate::simulate(maker.partitioned, machine);
  checkTime(simulation, 0, 0, 0, 1);
  checkTime(simulation, 2, 0, 0, 2);
  checkTime(simulation, 2, 1, 2, 7);
  checkTime(simulation, 0, 2, 7, 8);
  CHECK(simulation.stepSeconds == Approx(8));
  CHECK(simulation.gpus[0].exposedSeconds == Approx(6));
  CHECK(simulation.gpus[1].exposedSeconds == Approx(8));
  CHECK(simulation.gpus[2].exposedSeconds == Approx(1));
}

TEST_CASE("a worker copies while it computes, unless one waits for the other") {
  // gpu0 fetches for 1 s and computes for 3 s, then again.
  const auto twice = [](bool waits) {
    PlanMaker maker(2);
    Machine machine = star(2);
    machine.devices[0].memoryBandwidth = 8; // one element per second
    maker.fetch({{0, {{1, 250}}}});
    maker.compute({3, 0});
    maker.fetch({{0, {{1, 250}}}});
    maker.compute({3, 0});
    if (waits) {
      maker.wait(1, plan::own(0));
      maker.wait(3, plan::own(2));
    }
    return *simulate::simulate(maker.partitioned, machine);
  };
  const Simulation free = twice(false);
  checkTime(free, 0, 0, 0, 1);
  checkTime(free, 0, 1, 0, 3);
  checkTime(free, 0, 2, 1, 2);
  checkTime(free, 0, 3, 3, 6);
  CHECK(free.gpus[0].exposedSeconds == Approx(0));
  // The second fetch goes on beside the first computation, the first is
  // exposed.
  const Simulation ordered = twice(true);
  checkTime(ordered, 0, 0, 0, 1);
  checkTime(ordered, 0, 1, 1, 4);
  checkTime(ordered, 0, 2, 1, 2);
  checkTime(ordered, 0, 3, 4, 7);
  CHECK(ordered.gpus[0].computeSeconds == Approx(6));
  CHECK(ordered.gpus[0].transferSeconds == Approx(2));
  CHECK(ordered.gpus[0].exposedSeconds == Approx(1));
}

TEST_CASE("in order nothing is hidden") {
  // gpu0 fetches for 1 s and computes for 3 s, then again; gpu1, which computes
  // for 2 s, gives what the second fetch takes.
  PlanMaker maker(2);
  Machine machine = star(2);
  machine.devices[0].memoryBandwidth = 8; // one element per second
  maker.fetch({{0, {{1, 250}}}});
  maker.compute({3, 2});
  maker.fetch({{0, {{1, 250}}}});
  maker.compute({3, 0});
  maker.wait(2, plan::own(1));
  Options options;
  options.inOrder = true;
  const Simulation taken =
      *simulate::simulate(maker.partitioned, machine, options);
  checkTime(taken, 0, 0, 0, 1);
  checkTime(taken, 0, 1, 1, 4);
  checkTime(taken, 0, 2, 4, 5);
  checkTime(taken, 0, 3, 5, 8);
  checkTime(taken, 1, 1, 0, 2);
  CHECK(taken.stepSeconds == Approx(8));
  CHECK(taken.gpus[0].exposedSeconds == Approx(2));
  // Never less than where transfers overlap, and the same bytes.
  for (const plan::Plan &plan :
       {plan::twoWorkers(), plan::manyInstructions(5, 4)}) {
    const int workers = int(plan.partitioned.workers.size());
    const auto one =
        *simulate::simulate(plan.partitioned, star(workers), options);
    const auto all = *simulate::simulate(plan.partitioned, star(workers));
    CHECK(one.stepSeconds >= all.stepSeconds * (1 - 1e-9));
    CHECK(one.communicationBytes == all.communicationBytes);
  }
}

TEST_CASE("without copies only computing is left") {
  PlanMaker maker(2);
  maker.fetch({{0, {{1, 250}}}});
  maker.compute({1000, 1000});
  Options options;
  options.skipCopies = true;
  const auto simulation =
      *simulate::simulate(maker.partitioned, star(2), options);
  CHECK(simulation.stepSeconds == Approx(8000 / 1e9));
  CHECK(simulation.communicationBytes == 0);
}

TEST_CASE("bytes that cross are the plan's, to the byte") {
  for (const plan::Plan &plan :
       {plan::twoWorkers(), plan::manyInstructions(5, 4)}) {
    const auto simulation = *simulate::simulate(
        plan.partitioned, *machines::findMachine("p2.8xlarge"));
    CHECK(simulation.communicationBytes == plan.communicationBytes);
    const plan::Traffic traffic = plan::traffic(plan.partitioned);
    for (size_t w = 0; w < simulation.gpus.size(); ++w) {
      CHECK(simulation.gpus[w].receivedBytes == traffic.received[w]);
      CHECK(simulation.gpus[w].peakBytes == plan.peakBytes[w]);
    }
  }
}

TEST_CASE("each event comes after those that it waits for") {
  const plan::Plan plan = plan::manyInstructions(4, 6);
  const auto simulation =
      *simulate::simulate(plan.partitioned, *machines::findMachine("dgx-2"));
  std::map<std::pair<int, int>, const Event *> events;
  for (const Event &event : simulation.events)
    events[{event.worker, event.instruction}] = &event;
  for (const Event &event : simulation.events) {
    if (event.instruction > 0)
      CHECK(events.at({event.worker, event.instruction - 1})->end <=
            event.start);
    const plan::Program &program = plan.partitioned.program;
    for (const Wait &wait :
         program.instructions[size_t(event.instruction)].waits)
      for (int other : groupOf(program.ways, event.worker, wait.steps))
        CHECK(events.at({other, wait.instruction})->end <= event.start);
  }
}

TEST_CASE("too small a memory is said, and the simulation goes on") {
  const plan::Plan plan = plan::twoWorkers();
  Machine machine = star(2);
  machine.devices[0].memoryBytes = 575;
  const auto simulation = *simulate::simulate(plan.partitioned, machine);
  CHECK(outOfMemory(simulation, machine) == std::vector<int>{0, 1});
  CHECK_THAT(text(simulation, machine, {}),
             Catch::Contains("OUT OF MEMORY on 2 of 2 GPUs, first on gpu0"));
  CHECK(simulation.stepSeconds > 0);
}

TEST_CASE("plans that cannot be simulated") {
  const auto tooMany = simulate::simulate(PlanMaker(3).partitioned, star(2));
  REQUIRE(!tooMany);
  CHECK(tooMany.error().message == "the plan is for 3 GPUs, and star has 2");
}

TEST_CASE("the same plan takes the same time, to the bit") {
  const plan::Plan plan = plan::manyInstructions(8, 20);
  const Machine machine = *machines::findMachine("p2.8xlarge");
  const auto once = *simulate::simulate(plan.partitioned, machine);
  const auto twice = *simulate::simulate(plan.partitioned, machine);
  CHECK(json(once, machine, {}) == json(twice, machine, {}));
  CHECK(trace(once, plan.partitioned.program) ==
        trace(twice, plan.partitioned.program));
}

TEST_CASE("8 workers of 5,000 instructions take well under a second") {
  const plan::Plan plan = plan::manyInstructions(8, 1667);
  const Machine machine = *machines::findMachine("p2.8xlarge");
  const auto start = std::chrono::steady_clock::now();
  const auto simulation = simulate::simulate(plan.partitioned, machine);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  REQUIRE(simulation);
  WARN("8 x " << plan.partitioned.program.instructions.size()
              << " instructions: " << took.count() << " s");
  CHECK(took.count() < 1);
}

TEST_CASE(
    "moves to the host and back take links to it, while all else goes on") {
  const plan::Plan plan = plan::offloaded(); // 128 bytes each way, per GPU
  Machine machine = star(2);
  const auto nowhere = simulate::simulate(plan.partitioned, machine);
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().message ==
        "the plan puts data in the host's memory, to which star has no way "
        "from gpu0");
  machine.nodes.push_back({"host", NodeKind::Host});
  machine.links.push_back({2, 3, 1000, 0, true}); // beyond the switch
  const auto simulation = simulate::simulate(plan.partitioned, machine);
  REQUIRE(simulation);
  // Two GPUs share the link to the host: 256 bytes at 1000 bytes/s, each way.
  const double before = 256 / 1e9; // a compute
  checkTime(*simulation, 0, 1, before, before + 0.256);
  checkTime(*simulation, 1, 3, before + 0.256, before + 0.512);
  CHECK(simulation->links[2].forwardBytes == 256);
  CHECK(simulation->links[2].backwardBytes == 256);
  CHECK(simulation->communicationBytes == 0);
  // It is computed while the sum comes back.
  const auto [start, end] = timeOf(*simulation, 0, 2);
  CHECK(start == Approx(before + 0.256));
  CHECK(end < 0.257);
  CHECK_THAT(simulate::trace(*simulation, plan.partitioned.program),
             Catch::Contains("\"to host\"") &&
                 Catch::Contains("\"from_host\""));
}

TEST_CASE("each GPU computes at its own speed, in its own memory") {
  PlanMaker maker(2);
  maker.compute({1000, 1000}); // 8000 bytes
  Machine machine = star(2);
  machine.devices.push_back(machine.devices[0]);
  machine.devices[1].memoryBandwidth = 1e8;
  machine.devices[1].memoryBytes = 5;
  machine.nodes[1].device = 1;
  auto simulation = *simulate::simulate(maker.partitioned, machine);
  checkTime(simulation, 0, 0, 0, 8000 / 1e9);
  checkTime(simulation, 1, 0, 0, 8000 / 1e8);
  simulation.gpus[0].peakBytes = 100;
  simulation.gpus[1].peakBytes = 10;
  CHECK(outOfMemory(simulation, machine) == std::vector<int>{1});
  CHECK_THAT(text(simulation, machine, {}),
             Catch::Contains("peak memory    10 B on gpu1, of 5 B"));
}
