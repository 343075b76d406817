#include "compiler/simulate/Cost.h"
#include "compiler/simulate/Report.h"
#include "runtime/plan/Totals.h"
#include "test/compiler/simulate/Plans.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
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

TEST_CASE("what was measured stands in the place of what is counted") {
  PlanMaker maker(2);
  maker.compute({1000, 500});
  const int second = maker.compute({2000, 1000});
  const plan::Program &program = maker.partitioned.program;
  const auto counted = *simulate::simulate(maker.partitioned, star(2));
  Options options;
  options.slowdowns.assign(program.tensors.size(), 1);
  const int buffer = program.instructions[size_t(second)].to;
  options.slowdowns[size_t(program.buffers[size_t(buffer)].tensor)] = 3;
  const auto measured =
      *simulate::simulate(maker.partitioned, star(2), options);
  for (int w : {0, 1}) {
    const auto [start, end] = timeOf(counted, w, second);
    CHECK(start > 0);
    checkTime(measured, w, second, start, start + 3 * (end - start));
  }
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
  machine.devices[0].flops[DType::F32] = 1; // one element per second
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
    machine.devices[0].flops[DType::F32] = 1; // one element per second
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

TEST_CASE("copies take memory from the kernels beside them, at both ends") {
  PlanMaker maker(3);
  maker.fetch({{0, {{1, 250}}}});
  maker.compute({500, 500, 500});
  Machine machine = star(3);
  // A kernel alone takes 4000 bytes in 2 s, and half as much in the second in
  // which 1000 bytes are copied.
  machine.devices[0].memoryBandwidth = 2000;
  auto simulation = *simulate::simulate(maker.partitioned, machine);
  checkTime(simulation, 0, 0, 0, 1);
  checkTime(simulation, 0, 1, 0, 2.5);
  checkTime(simulation, 1, 1, 0, 2.5);
  checkTime(simulation, 2, 1, 0, 2);
  // One that computes for 5 s asks for 800 bytes/s: these are there.
  machine.devices[0].flops[DType::F32] = 100;
  simulation = *simulate::simulate(maker.partitioned, machine);
  for (int w : {0, 1, 2})
    checkTime(simulation, w, 1, 0, 5);
  // And where memory is slow, copies wait for it.
  machine.devices[0].memoryBandwidth = 1000;
  simulation = *simulate::simulate(maker.partitioned, machine);
  checkTime(simulation, 0, 0, 0, 2);
  checkTime(simulation, 0, 1, 0, 5.75);
  Options options;
  options.skipCopies = true;
  simulation = *simulate::simulate(maker.partitioned, machine, options);
  checkTime(simulation, 0, 1, 0, 5);
}

TEST_CASE("the host issues one instruction after the other, ahead of its GPU") {
  PlanMaker maker(2);
  Machine machine = star(2);
  machine.devices[0].flops[DType::F32] = 1; // one element per second
  machine.devices[0].issueSeconds = 2;
  maker.compute({1, 1});
  maker.compute({3, 0}); // nothing to issue
  maker.compute({1, 1});
  maker.fetch({{0, {{1, 2}}}});
  const auto simulation = *simulate::simulate(maker.partitioned, machine);
  checkTime(simulation, 0, 0, 2, 3);
  checkTime(simulation, 0, 1, 4, 7);
  checkTime(simulation, 0, 2, 7, 8); // issued at 6
  checkTime(simulation, 1, 2, 4, 5);
  CHECK(timeOf(simulation, 0, 3).first == Approx(8));
  CHECK(simulation.gpus[0].computeSeconds == Approx(5));
}

TEST_CASE("in order nothing is hidden") {
  // gpu0 fetches for 1 s and computes for 3 s, then again; gpu1, which computes
  // for 2 s, gives what the second fetch takes.
  PlanMaker maker(2);
  Machine machine = star(2);
  machine.devices[0].flops[DType::F32] = 1; // one element per second
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
  // What the driver keeps is not there.
  machine.devices[0].memoryBytes = 676;
  CHECK(outOfMemory(simulation, machine).empty());
  machine.devices[0].reservedBytes = 101;
  CHECK(outOfMemory(simulation, machine) == std::vector<int>{0, 1});
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
