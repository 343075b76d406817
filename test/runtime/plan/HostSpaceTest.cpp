// Buffers in the host's memory, and moves to it and back.
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {
enum Buffer { x, more, onHost, twice, again, out };

template <typename Change> Plan changed(Change change) {
  Plan plan = offloaded();
  change(plan.partitioned.program);
  return plan;
}

/// What is said of the changed plan, without the file's name.
template <typename Change> std::string refused(Change change) {
  const Status status = validate(changed(change));
  const std::string start = "plan/program.json: ";
  return status ? "" : status.error().message.substr(start.size());
}
} // namespace

TEST_CASE("moves to the host are saved, loaded, shown, and in the schema") {
  const Plan loaded = readBack(offloaded());
  CHECK(loaded.partitioned.program.buffers[onHost].space == Space::Host);
  CHECK(loaded.partitioned.program.buffers[again].space == Space::Device);
  CHECK(loaded.partitioned.workers[1].hostBytes == 128);
  CHECK(loaded.partitioned.program.instructions[3].op == Opcode::FromHost);
  CHECK(loaded.hostTraffic == HostTraffic{256, 256});
  CHECK(listed(check(loaded)) == "");
  const std::string text = inspect(loaded);
  CHECK_THAT(text, Catch::Contains("host memory    128 B at most for a GPU"));
  CHECK_THAT(text, Catch::Contains("moves          256 B to the host and 256 B "
                                   "back per run"));
  CHECK_THAT(listing(loaded.partitioned, 1),
             Catch::Contains("more#2 [32:64] @0 on the host = #1; after 0"));
}

TEST_CASE("what comes back over a buffer that is still read is found") {
  // "w" comes back at any time, also while "twice" is there.
  Plan plan = offloadedParameter(false);
  CHECK(listed(check(plan)) == "");
  const int loaded = plan.partitioned.program.instructions[5].to;
  plan.partitioned.program.buffers[size_t(loaded)].offsets = {128};
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("reused: gpu0 instruction 5 (from_host, node "
                             "\"w\") writes buffer 7 of \"w\" (bytes 128 .. "
                             "256) over buffer 3 of \"twice\""));
}

TEST_CASE("moves that the totals count otherwise are found") {
  Plan plan = offloaded();
  plan.hostTraffic = {256, 128};
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("totals.from_host_bytes: says 128, the program "
                             "has 256"));
}

TEST_CASE("how far the moves are from the least is said, and checked") {
  const auto said = [](int64_t bound) {
    Plan plan = offloaded();
    plan.search.hostLowerBoundBytes = bound;
    const Plan loaded = readBack(plan);
    CHECK(loaded.search.hostLowerBoundBytes == bound);
    return hostGap(loaded) + listed(check(loaded));
  };
  CHECK(hostGap(readBack(offloaded())) == "");
  CHECK(said(512) == ", the least there is");
  CHECK(said(400) == ", at most 28.0 % above the least; lower bound 400 B");
  CHECK(said(0) == "; lower bound 0 B");
  CHECK_THAT(said(600), Catch::Contains("search.host_lower_bound_bytes: 600 "
                                        "bytes, more than the 512"));
}

TEST_CASE("a move that nothing waits for is found") {
  const auto withoutWait = [](size_t instruction) {
    return listed(check(changed([&](Program &program) {
      program.instructions[instruction].waits.clear();
    })));
  };
  CHECK_THAT(withoutWait(1),
             Catch::Contains("not ready: gpu0 instruction 1 (to_host, node "
                             "\"more\") reads [0:32] of buffer 1"));
  CHECK_THAT(
      withoutWait(2),
      Catch::Contains("over buffer 1 of \"more\" (bytes 128 .. 256), "
                      "which gpu0 instruction 1 (to_host, node \"more\") "
                      "may still read"));
  CHECK_THAT(withoutWait(3),
             Catch::Contains("not ready: gpu1 instruction 3 (from_host, node "
                             "\"more\") reads [32:64] of buffer 2"));
  CHECK_THAT(withoutWait(4), Catch::Contains("reads [0:32] of buffer 4"));
}

TEST_CASE("two buffers on the host must not share bytes") {
  const auto second = [](int64_t offset) {
    Plan plan = changed([&](Program &program) {
      program.buffers.push_back(program.buffers[onHost]);
      program.buffers.back().offsets = {offset};
      Instruction copy = program.instructions[1];
      copy.to = int(program.buffers.size()) - 1;
      program.instructions.insert(program.instructions.begin() + 2, copy);
      for (size_t i = 3; i < program.instructions.size(); ++i)
        for (Wait &wait : program.instructions[i].waits)
          wait.instruction += wait.instruction == 3 ? 1 : 0;
      program.instructions[3].waits = {own(2)};
      program.instructions[4].waits = {own(1)};
      program.instructions[5].waits = {own(4)};
    });
    plan.hostTraffic.toHost += 256;
    return listed(check(plan));
  };
  CHECK(second(128) == "");
  CHECK_THAT(second(64),
             Catch::Contains("buffer 6 of \"more\" (bytes 64 .. 192 "
                             "on the host) over buffer 2"));
}

TEST_CASE("only moves touch the host") {
  CHECK(refused([](Program &p) { p.instructions[0].to = onHost; }) ==
        "instructions[0].to: buffer 2 is on the host");
  CHECK(refused([](Program &p) { p.instructions[4].operands[1] = onHost; }) ==
        "instructions[4].operands: buffer 2 is on the host");
  CHECK(refused([](Program &p) { p.instructions[1].op = Opcode::Fetch; }) ==
        "instructions[1].to: buffer 2 is on the host");
  CHECK(refused([](Program &p) { p.instructions[1].to = again; }) ==
        "instructions[1].to: buffer 4 is on the device");
  CHECK(refused([](Program &p) { p.instructions[3].from = more; }) ==
        "instructions[3].from: buffer 1 is on the device");
  CHECK(refused([](Program &p) { p.instructions[1].from = x; }) ==
        "instructions[1].from: is a part of tensor 0, but \"to\" of 1");
  CHECK(refused([](Program &p) { p.outputs[0].buffer = onHost; }) ==
        "outputs[0].buffer: buffer 2 is on the host");
  CHECK(refused([](Program &p) {
          p.regions.push_back(p.regions[0]);
          p.buffers[onHost].region = 1;
        }) ==
        "instructions[1].from: buffer 1 has another region than buffer 2");
  Plan small = offloaded();
  small.partitioned.workers[1].hostBytes = 64;
  const Status status = validate(small);
  REQUIRE_FALSE(status);
  CHECK(status.error().message ==
        "plan/gpu1.json: buffers[2].offset: 128 bytes at 0 do not lie in the "
        "arena of 64 bytes on the host, 64-byte aligned");
}

TEST_CASE("parameters on the host have their next values there") {
  for (bool inPlace : {true, false}) {
    const Plan loaded = readBack(offloadedParameter(inPlace));
    CHECK(listed(check(loaded)) == "");
    CHECK_THAT(listing(loaded.partitioned, 1),
               Catch::Contains("@128 on the host"));
    Plan late = offloadedParameter(inPlace);
    std::vector<Instruction> &list = late.partitioned.program.instructions;
    list.back().waits.clear();
    CHECK_THAT(listed(check(late)), Catch::Contains("(to_host, node \"w\")"));
    // The parameter is read after its next value has taken its place.
    Plan reused = offloadedParameter(inPlace);
    Program &program = reused.partitioned.program;
    Instruction again = program.instructions[5];
    again.to = int(program.buffers.size());
    again.waits = {own(7)};
    program.buffers.push_back(program.buffers[7]);
    program.buffers.back().offsets = {768};
    for (Worker &worker : reused.partitioned.workers)
      worker.arenaBytes = 896;
    program.instructions.push_back(again);
    reused.peakBytes = {896, 896};
    reused.hostTraffic.fromHost += 256;
    CHECK((listed(check(reused)) == "") == !inPlace);
  }
  Plan apart = offloadedParameter(true);
  apart.partitioned.program.parameters[0].next = 8;
  const Status status = validate(apart);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "plan/program.json: parameters[0].next: "
                                  "buffer 8 is on the device");
}

TEST_CASE("no single number of such a plan makes its reader fail") {
  const TemporaryFolder folder;
  REQUIRE(save(offloaded(), folder / "plan", countingWeights(offloaded())));
  for (const std::string file : {"program.json", "gpu0.json"}) {
    const Json original = *parseJson(slurp(folder / ("plan/" + file)));
    const Json flat = original.flatten();
    for (auto leaf = flat.begin(); leaf != flat.end(); ++leaf)
      for (const Json &value : {Json(-1), Json(0), Json(1), Json(3), Json(64),
                                Json("host"), Json("to_host"), Json(nullptr)}) {
        CAPTURE(file, leaf.key(), value);
        edit(folder / "plan", file, leaf.key(), value);
        if (const auto loaded = load(folder / "plan"))
          check(*loaded);
        spit(folder / ("plan/" + file), canonicalJson(original));
      }
  }
  rehash(folder / "plan");
  CHECK(load(folder / "plan"));
}
