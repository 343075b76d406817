// Memory that workers keep for exchanges: in the plan, and what is said where
// it is too little.
#include "runtime/plan/Check.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Lifetimes.h"
#include "runtime/plan/Save.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {

/// Two workers with so many bytes of staging each.
Plan staged(int64_t first, int64_t second) {
  Plan plan = twoWorkers();
  const int64_t all[] = {first, second};
  for (size_t w = 0; w < 2; ++w) {
    plan.partitioned.workers[w].stagingBytes = all[w];
    plan.partitioned.workers[w].arenaBytes += all[w];
    plan.peakBytes[w] += all[w];
  }
  return plan;
}

/// What check() says of it where it has code for GPUs.
std::string findingsOnGpus(Plan plan) {
  plan.code.push_back({"sm_80", ""});
  return listed(check(plan));
}

} // namespace

TEST_CASE("staging is saved, loaded, shown, and in the schema") {
  const Plan loaded = readBack(staged(64, 128));
  CHECK(loaded.partitioned.workers[0].stagingBytes == 64);
  CHECK(loaded.partitioned.workers[1].stagingBytes == 128);
  CHECK(loaded.unpartitioned.workers[0].stagingBytes == 0);
  CHECK(listed(check(loaded)) == "");
  CHECK_THAT(listing(loaded.partitioned, 1),
             Catch::Contains("arena of 704 bytes, workspace 64 at 512, staging "
                             "128 at 576\n"));
  CHECK(expanded(loaded.partitioned, 0)["staging_bytes"] == 64);
  const auto before = lifetimes(staged(0, 0).partitioned, 1);
  CHECK(mostAlive(lifetimes(loaded.partitioned, 1)).bytes ==
        mostAlive(before).bytes + 128);
}

TEST_CASE("plans for GPUs keep enough for the least of each exchange") {
  // The other worker's term of each element.
  CHECK(findingsOnGpus(staged(64, 64)) == "");
  CHECK(findingsOnGpus(staged(64, 0)) ==
        "staging: gpu1 instruction 1 (reduce, node \"fc1\"): needs 16 bytes of "
        "staging where GPUs do not reach each other's memory, and the plan "
        "keeps 0\n");
  // Without code for GPUs it is of no use.
  CHECK(listed(check(staged(0, 0))) == "");
}

TEST_CASE("columns are packed, and unpacked; rows are not") {
  const auto fetches = [](bool whole, bool columns) {
    Plan plan = twoWorkers();
    Partitioned &part = plan.partitioned;
    // No reduction, and one fetch of a piece from the other worker.
    const Box piece = columns ? Box{{0, 4}, {0, 4}} : Box{{0, 2}, {0, 8}};
    const Box rest = columns ? Box{{0, 4}, {4, 8}} : Box{{2, 4}, {0, 8}};
    const Box all{{0, 4}, {0, 8}}, none = Box::absent(2);
    Program program;
    program.tensors = {{"x", {DType::F32, {4, 8}}}};
    program.buffers = {{0}, {0}};
    Instruction fetch;
    fetch.op = Opcode::Fetch;
    fetch.node = "fetch";
    fetch.from = 0;
    fetch.to = 1;
    program.instructions = {fetch};
    program.inputs = {{"x", 0}};
    HandWorker first, second;
    first.arenaBytes = second.arenaBytes = 256;
    first.buffers = {{whole ? all : piece, 0}, {none, 128}};
    second.buffers = {{rest, 0}, {piece, 128}};
    first.instructions.resize(1);
    second.instructions = {{{}, {{0, piece}}}};
    part = byHand(program, {first, second});
    plan.unpartitioned = {};
    plan.communicationBytes = 64;
    plan.peakBytes = {256, 256};
    plan.code = {{"sm_80", ""}};
    std::string found;
    for (const Finding &finding : check(plan))
      if (finding.kind == FindingKind::Staging)
        found += finding.message + "\n";
    return found;
  };
  CHECK(fetches(true, false) == "");
  CHECK(fetches(false, true) == "");
  CHECK_THAT(fetches(true, true),
             Catch::StartsWith("gpu0 instruction 0 (fetch, node \"fetch\"): "
                               "needs 16 bytes of staging"));
}
