// What one worker keeps while another one moves it to the host and back.
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Lifetimes.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {
enum Buffer { x, more, onHost, twice, again, out };

/// GPU 1 has room for "more" beside "twice".
Plan kept() {
  Plan plan = offloaded();
  std::vector<BufferInfo> &buffers = plan.partitioned.program.buffers;
  buffers[onHost].kept = Kept{more, {1}};
  buffers[onHost].offsets = {0, 128};
  buffers[again].kept = Kept{more, {1}};
  buffers[again].offsets = {256, 128};
  buffers[twice].offsets = {128, 256};
  plan.partitioned.workers[1].hostBytes = 0;
  plan.hostTraffic = {128, 128};
  return plan;
}

/// GPU 1 has "w" on the device, and so its next value.
Plan keptParameter() {
  Plan plan = offloadedParameter(/*inPlace=*/true);
  std::vector<BufferInfo> &buffers = plan.partitioned.program.buffers;
  const int w = plan.partitioned.program.parameters[0].buffer, loaded = w + 1,
            sum = w + 2, next = w + 3;
  buffers[size_t(w)].kept = Kept{-1, {1}};
  buffers[size_t(w)].offsets = {128, 512};
  buffers[size_t(loaded)].kept = Kept{w, {1}};
  buffers[size_t(sum)].offsets = {640, 512};
  buffers[size_t(next)].kept = Kept{sum, {1}};
  buffers[size_t(next)].offsets = {128, 512};
  Kernel &kernel = plan.partitioned.program.kernels.back();
  kernel.kind = KernelKind::Generated; // a map may write over its operand
  kernel.symbol = "sum";
  plan.hostTraffic = {384, 384};
  return plan;
}

template <typename Change> Plan changed(Plan plan, Change change) {
  change(plan.partitioned.program);
  return plan;
}

template <typename Change> std::string refused(Plan plan, Change change) {
  const Status status = validate(changed(std::move(plan), change));
  const std::string start = "plan/";
  return status ? "" : status.error().message.substr(start.size());
}
} // namespace

TEST_CASE("what is kept is saved, loaded, shown, and in the schema") {
  const Plan loaded = readBack(kept());
  const Partitioned &all = loaded.partitioned;
  CHECK(listed(check(loaded)) == "");
  CHECK(all.program.buffers[again].kept->as == more);
  CHECK(all.program.buffers[again].kept->on == std::vector<int>{1});
  CHECK(all.storage(0, again) == again);
  CHECK(all.storage(1, again) == more);
  CHECK(all.space(0, onHost) == Space::Host);
  CHECK(all.space(1, onHost) == Space::Device);
  // GPU 1 moves nothing, and does all else.
  std::vector<bool> does;
  for (int i = 0; i < 5; ++i)
    does.push_back(written(all, 1, i).has_value());
  CHECK(does == std::vector<bool>{true, false, true, false, true});
  CHECK_THAT(listing(all, 1),
             Catch::Contains("more#4 [32:64] @128 kept as #1"));
  CHECK(expanded(all, 1)["buffers"][again]["kept_as"] == more);
  CHECK_FALSE(expanded(all, 0)["buffers"][again].contains("kept_as"));
  // Until "out" has read it, and on GPU 0 until it has left.
  const auto upperOf = [&](int worker, int buffer) {
    for (const Lifetime &life : lifetimes(all, worker))
      if (life.buffer == buffer)
        return life.upper;
    return -1;
  };
  CHECK(upperOf(0, more) == 2);
  CHECK(upperOf(1, more) == 5);
  CHECK(upperOf(1, again) == -1);
}

TEST_CASE("a parameter may be on the device of one GPU, on another's host") {
  const Plan loaded = readBack(keptParameter());
  CHECK(listed(check(loaded)) == "");
  const int w = loaded.partitioned.program.parameters[0].buffer;
  CHECK(loaded.partitioned.space(0, w) == Space::Host);
  CHECK(loaded.partitioned.space(1, w) == Space::Device);
  // Its next value must outlive the step there, and so must what is in its
  // place.
  Plan reused = keptParameter();
  reused.partitioned.program.buffers[out].offsets = {384, 512};
  CHECK_THAT(listed(check(reused)),
             Catch::Contains("gpu1 instruction 4 (compute, node \"out\") "
                             "writes buffer 5 of \"out\" (bytes 512 .. 640) "
                             "over buffer 6 of \"w\""));
}

TEST_CASE("what is kept is not written over") {
  Plan plan = kept();
  plan.partitioned.program.buffers[twice].offsets = {128, 128};
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("gpu1 instruction 2 (compute, node \"twice\") "
                             "writes buffer 3 of \"twice\" (bytes 128 .. 256) "
                             "over buffer 1 of \"more\""));
}

TEST_CASE("what was not there in time is not kept") {
  const Plan plan = changed(kept(), [](Program &program) {
    // Nothing writes it.
    BufferInfo nothing = program.buffers[more];
    nothing.offsets = {384};
    program.buffers[out].offsets = {512};
    program.buffers.insert(program.buffers.begin() + again, nothing);
    program.buffers[again + 1].kept = Kept{again, {1}};
    program.buffers[again + 1].offsets = {256, 384};
    program.instructions[3].to = again + 1;
    program.instructions[4].operands[1] = again + 1;
    program.instructions[4].to = out + 1;
    program.outputs[0].buffer = out + 1;
  });
  const std::string found = listed(check(plan));
  CHECK_THAT(found, Catch::Contains("kept: gpu1: keeps buffer 4 of \"more\" "
                                    "for buffer 5 of \"more\", which has "
                                    "another value"));
  CHECK_THAT(found, Catch::Contains("not ready: gpu1 instruction 4 (compute, "
                                    "node \"out\") reads [32:64] of buffer 4 "
                                    "of \"more\", which nothing writes"));
}

TEST_CASE("another value is not kept") {
  const Plan plan = changed(kept(), [](Program &program) {
    // Twice as much, in a buffer of the same tensor.
    program.buffers[twice].tensor = 1;
    program.buffers[again].kept = Kept{twice, {1}};
    program.buffers[again].offsets = {256, 256};
  });
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("kept: gpu1: keeps buffer 3 of \"more\" for "
                             "buffer 4 of \"more\", which has another value"));
}

TEST_CASE("totals count what GPUs do") {
  Plan plan = kept();
  plan.hostTraffic = {256, 128};
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("totals.to_host_bytes: says 256, the program has "
                             "128"));
}

TEST_CASE("what is said of what is kept leads nowhere else") {
  const auto ofAgain = [](Kept said) {
    return refused(kept(), [&](Program &p) { p.buffers[again].kept = said; });
  };
  CHECK(ofAgain({more, {}}) ==
        "program.json: buffers[4].kept.on: no GPU keeps it");
  CHECK(ofAgain({more, {2}}) ==
        "program.json: buffers[4].kept.on: there is no GPU 2, there are 2");
  CHECK(ofAgain({more, {1, 0}}) ==
        "program.json: buffers[4].kept.on: is not in ascending order");
  CHECK(ofAgain({more, {1, 1}}) ==
        "program.json: buffers[4].kept.on: is not in ascending order");
  CHECK(ofAgain({again, {1}}) ==
        "program.json: buffers[4].kept.as: buffer 4 does not come before");
  CHECK(ofAgain({99, {1}}) ==
        "program.json: buffers[4].kept.as: buffer 99 does not come before");
  CHECK(ofAgain({twice, {1}}) ==
        "program.json: buffers[4].kept.as: buffer 3 is of tensor 2, and not "
        "of 1");
  CHECK(ofAgain({-1, {1}}) ==
        "program.json: buffers[4].kept: only an input or a parameter on the "
        "host is kept as itself");
  CHECK(ofAgain({onHost, {0, 1}}) ==
        "program.json: instructions[4]: reads buffer 4, which GPU 0 keeps in "
        "another memory");
  CHECK(
      refused(kept(), [](Program &p) { p.buffers[x].kept = Kept{-1, {1}}; }) ==
      "program.json: buffers[0].kept: only an input or a parameter on the "
      "host is kept as itself");
  // GPU 1 has nothing on the host that could come back.
  CHECK(refused(kept(), [](Program &p) { p.buffers[again].kept.reset(); }) ==
        "program.json: instructions[3]: reads buffer 2, which GPU 1 keeps in "
        "another memory");
  CHECK(refused(kept(),
                [](Program &p) { p.buffers[again].offsets = {256, 192}; }) ==
        "gpu1.json: buffers[4].offset: is 192, and of buffer 1, which is kept "
        "for it, 128");
  CHECK(refused(kept(), [](Program &p) {
          p.regions.push_back(divided({64}, Division::whole()));
          evaluate(p, *lambdasOf(p));
          p.buffers[more].region = 1;
          p.instructions[1].from = onHost;
        }) != "");
  CHECK(refused(keptParameter(),
                [](Program &p) {
                  p.buffers[size_t(p.parameters[0].next)].kept.reset();
                }) ==
        "program.json: parameters[0].next: buffer 9 is in another "
        "memory of GPU 1 than the parameter");
  CHECK(refused(keptParameter(),
                [](Program &p) {
                  p.buffers[size_t(p.parameters[0].buffer)].kept =
                      Kept{more, {1}};
                }) ==
        "program.json: buffers[6].kept.as: an input or a parameter is "
        "kept as itself");
}

TEST_CASE("only computes and moves are left out") {
  CHECK(refused(neighbours(),
                [](Program &p) { p.buffers[3].kept = Kept{0, {1}}; }) ==
        "program.json: instructions[0].to: buffer 3 is kept on some "
        "GPUs; only a compute or a move may be left out");
}

TEST_CASE("no single number of what is kept makes the reader fail") {
  const TemporaryFolder folder;
  for (const Plan &plan : {kept(), keptParameter()}) {
    REQUIRE(save(plan, folder / "plan", countingWeights(plan)));
    const Json original = *parseJson(slurp(folder / "plan/program.json"));
    const Json flat = original.flatten();
    for (auto leaf = flat.begin(); leaf != flat.end(); ++leaf)
      for (const Json &value : {Json(-1), Json(0), Json(1), Json(2), Json(4),
                                Json(6), Json("host"), Json(nullptr)}) {
        CAPTURE(leaf.key(), value);
        edit(folder / "plan", "program.json", leaf.key(), value);
        if (const auto loaded = load(folder / "plan"))
          check(*loaded);
        spit(folder / "plan/program.json", canonicalJson(original));
      }
    rehash(folder / "plan");
    CHECK(load(folder / "plan"));
    std::filesystem::remove_all(folder / "plan");
  }
}
