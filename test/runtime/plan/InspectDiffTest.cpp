#include "runtime/plan/Diff.h"
#include "runtime/plan/Inspect.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

using namespace smex;
using namespace smex::plan;

TEST_CASE("what is in a plan") {
  Plan plan = twoWorkers();
  plan.modelSha256 = std::string(64, 'e');
  CHECK(inspect(plan) == R"(  model          mlp.onnx
                 sha256 )" + plan.modelSha256 +
                             R"(
  GPUs           2
  communication  256 B per run
  peak memory    576 B on gpu0, the most of all
  parameters     352 B in 3, 1 of them drawn from a seed
  flops          704
  program        5 instructions, 9 buffers, 2 kernels

Search: recursive, proven optimal
  step  ways  bytes  lower bound
     1     2  256 B        256 B  optimal

GPUs
                 peak  parameters  receives
  gpu0 .. gpu1  576 B       192 B     128 B

What moves, and in groups of how many GPUs
         GPUs  times  bytes
  other            2  256 B

Largest tensors, and how they are cut
  w  192 B  f32[6, 8], 2 x 1
  h  128 B  f32[4, 8], 2 x 1
  r  128 B  f32[4, 8], 2 x 1
  v  128 B  f32[8, 4], 1 x 2
  x   96 B  f32[4, 6], 1 x 2
  z   64 B  f32[4, 4], 1 x 2
  b   32 B  f32[8], whole on 2

Nodes that communicate most
       fetched  reduced  of all
  fc1      0 B    128 B  50.0 %
  fc2    128 B      0 B  50.0 %
)");
}

TEST_CASE("what moves has names where it follows from divisions") {
  CHECK_THAT(inspect(twoDivided()), Catch::Contains(R"(
What moves, and in groups of how many GPUs
                  GPUs  times  bytes
  all-gather         2      1  128 B
  reduce-scatter     2      1  128 B
)"));
  const auto fetch = expanded(twoDivided().partitioned, 1)["instructions"][3];
  CHECK(fetch["collective"]["name"] == "all-gather");
  CHECK(fetch["collective"]["group"] == Json::array({0, 1}));
}

TEST_CASE("the program of one GPU") {
  CHECK(listing(twoWorkers().partitioned, 1) ==
        R"(gpu1: arena of 576 bytes, workspace 64 at 512
  input      x  x#0 [0:4, 3:6] @0
  parameter  w  w#1 [3:6, 0:8] @64
  parameter  b  b#2 [0:8] @192
  parameter  v  v#7 [0:8, 2:4] @256
  output     z  z#8 [0:4, 2:4] @0
  0  compute  fc1   h#3 partial [0:4, 0:8] @320 = kernel 0 [0:4, 0:8, 3:6] (x#0 [0:4, 3:6] @0, w#1 [3:6, 0:8] @64)
  1  reduce   fc1   h#4 [2:4, 0:8] @448 = Sum of #3 of gpu0 [2:4, 0:8], gpu1 [2:4, 0:8]; after 0 of gpu0, gpu1
  2  compute  relu  r#5 [2:4, 0:8] @448 = kernel 1 [2:4, 0:8] (h#4 [2:4, 0:8] @448, b#2 [0:8] @192); after 1
  3  fetch    fc2   r#6 [0:4, 0:8] @320 = #5 of gpu0 [0:2, 0:8], gpu1 [2:4, 0:8]; after 2 of gpu0, gpu1
  4  compute  fc2   z#8 [0:4, 2:4] @0 = kernel 0 [0:4, 2:4, 0:8] (r#6 [0:4, 0:8] @320, v#7 [0:8, 2:4] @256); after 3
)");
}

TEST_CASE("a step that was found with timesteps tied says so") {
  Plan plan = twoWorkers();
  plan.search.steps[0].tied = true;
  CHECK_THAT(inspect(plan),
             Catch::Contains("optimal with timesteps cut alike"));
}

TEST_CASE("a search that took all steps together says of what") {
  Plan plan = twoWorkers();
  CHECK_THAT(inspect(plan), !Catch::Contains("all steps taken together"));
  plan.search.allStepsTogether = "coarsened";
  CHECK_THAT(inspect(plan), Catch::Contains("proven optimal; all steps taken "
                                            "together: coarsened\n"));
}

TEST_CASE("a step's bytes above those of a run are explained") {
  Plan plan = twoWorkers();
  const std::string line = "Of a run, a fetch that several operators share";
  CHECK_THAT(inspect(plan), !Catch::Contains(line));
  plan.search.steps.back().bytes = plan.communicationBytes + 1;
  CHECK_THAT(inspect(plan), Catch::Contains(line));
}

TEST_CASE("a thousand GPUs that are alike take one line") {
  const std::string text = inspect(manyInstructions(1000, 1));
  CHECK_THAT(text, Catch::Contains("gpu1 .. gpu998"));
  CHECK(std::count(text.begin(), text.end(), '\n') < 30);
}

TEST_CASE("numbers for a person") {
  CHECK(humanBytes(0) == "0 B");
  CHECK(humanBytes(1023) == "1023 B");
  CHECK(humanBytes(1024) == "1.00 KiB");
  CHECK(humanBytes(1610612736) == "1.50 GiB");
  CHECK(humanBytes(INT64_MAX) == "8.00 EiB");
  CHECK(humanCount(999) == "999");
  CHECK(humanCount(999999) == "1.00 M");
  CHECK(humanCount(1500000000000) == "1.50 T");
}

TEST_CASE("how tensors lie on the workers") {
  Plan plan = twoWorkers();
  Partitioned &part = plan.partitioned;
  CHECK(cutOf(part, 0) == "1 x 2"); // x, by columns
  CHECK(cutOf(part, 2) == "whole on 2");
  CHECK(cutOf(part, 4) == "2 x 1");
  part.workers.push_back(part.workers[0]);
  part.workers.push_back(part.workers[1]);
  for (Region &region : part.program.regions)
    region.boxes.insert(region.boxes.end(), {region.boxes[0], region.boxes[1]});
  CHECK(cutOf(part, 0) == "1 x 2, each on 2");
  for (int w : {1, 2, 3})
    boxOf(part, w, 0)[0] = {0, 0};
  CHECK(cutOf(part, 0) == "on gpu0");
  part.program.inputs.clear();
  CHECK(cutOf(part, 0) == "nowhere");
}

TEST_CASE("a plan does not differ from itself") {
  const Difference difference = diff(twoWorkers(), twoWorkers());
  CHECK(difference.same);
  CHECK(difference.text == "The plans are the same.\n");
}

TEST_CASE("what changed, and what it costs") {
  Plan after = twoWorkers();
  after.communicationBytes = 320;
  after.peakBytes = {576, 1152};
  for (int w : {0, 1})
    boxOf(after.partitioned, w, 0) = {{0, 4}, {0, 6}};
  after.partitioned.program.instructions.pop_back();
  after.partitioned.program.tensors[6].name = "logits";
  listedPieces(after.partitioned, 0, 3).pop_back();
  const Difference difference = diff(twoWorkers(), after);
  CHECK_FALSE(difference.same);
  CHECK(difference.text == R"(Totals
  communication  256 B  -> 320 B  (+25.0 %)

Peak memory
  gpu1  576 B  -> 1.12 KiB  (+100.0 %)

Tensors cut otherwise
  x  f32[4, 6], 1 x 2  -> f32[4, 6], whole on 2

Tensors gone
  z  f32[4, 4], 1 x 2

Tensors added
  logits  f32[4, 4], nowhere

Communication by node
  fc2  128 B  -> 64 B  (-50.0 %)

Instructions
  compute  3  -> 2

Files that differ, and where first
  plan.json     totals.communication_bytes: 256 -> 320
  program.json  instructions: 5 -> 4 elements
  gpu0.json     boxes[0][1][1]: 3 -> 6
  gpu1.json     boxes[0][1][0]: 3 -> 0
)");
}

TEST_CASE("bytes by level of a machine's links") {
  Plan before = twoWorkers(), after = twoWorkers();
  after.machine = MachineInfo{"two", {{2, 1000000000, 256}}};
  CHECK_THAT(inspect(after),
             Catch::Contains(
                 "Links of two: what crosses within groups of how many GPUs\n"
                 "  GPUs  bytes           rate of each\n"
                 "     2  256 B  100.0 %     1.00 GB/s\n"));
  CHECK_THAT(diff(before, after).text,
             Catch::Contains("machine  none  -> two"));
  before.machine = MachineInfo{"two", {{2, 1000000000, 128}}};
  CHECK_THAT(diff(before, after).text,
             Catch::Contains("among 2 GPUs  128 B  -> 256 B  (+100.0 %)"));
}

TEST_CASE("plans that differ in little") {
  for (const auto &change : std::vector<std::function<void(Plan &)>>{
           [](Plan &p) { p.code[0].bytes += "x"; },
           [](Plan &p) { p.unpartitioned.workers[0].arenaBytes += 64; },
           [](Plan &p) { p.partitioned.program.instructions[3].waits.clear(); },
           [](Plan &p) { p.partitioned.workers[1].weights[0].offset = 64; },
           [](Plan &p) { p.modelSha256[0] = 'f'; },
           [](Plan &p) { p.search.steps[0].optimal = false; },
           [](Plan &p) { p.partitioned.program.parameters[1].scale = 1; },
           [](Plan &p) {
             p.partitioned.program.instructions[0].reductions = {9};
           }}) {
    Plan after = twoWorkers();
    change(after);
    CHECK_FALSE(diff(twoWorkers(), after).same);
  }
  Plan after = twoWorkers();
  after.partitioned.program.instructions[3].waits.clear();
  CHECK(diff(twoWorkers(), after).text ==
        "Files that differ, and where first\n"
        "  program.json  instructions[3].waits: [[2,0]] -> absent\n");
}
