#include "runtime/plan/Check.h"

#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>
#include <chrono>

using namespace smex;
using namespace smex::plan;

TEST_CASE("sound plans have no findings") {
  for (const Plan &plan : {twoWorkers(), twoDivided(), manyInstructions(4, 3),
                           manyInstructions(1, 2)}) {
    const Status valid = validate(plan);
    INFO((valid ? "" : valid.error().message));
    REQUIRE(valid);
    CHECK(listed(check(plan)) == "");
  }
}

static std::vector<Wait> &waits(Plan &plan, size_t instruction) {
  return plan.partitioned.program.instructions[instruction].waits;
}

TEST_CASE("every wait counts: without it, something is found") {
  for (const Plan &plan :
       {twoWorkers(), twoDivided(), manyInstructions(3, 3)}) {
    const auto &list = plan.partitioned.program.instructions;
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t k = 0; k < list[i].waits.size(); ++k) {
        INFO("instruction " << i << " wait " << k);
        Plan broken = plan;
        auto &left = waits(broken, i);
        left.erase(left.begin() + int(k));
        CHECK_FALSE(check(broken).empty());
        // Nor is it enough that a worker waits for itself.
        if (list[i].waits[k].steps) {
          broken = plan;
          waits(broken, i)[k].steps = 0;
          CHECK_FALSE(check(broken).empty());
        }
      }
  }
}

TEST_CASE("all findings are returned, up to a limit per kind") {
  Plan plan = twoWorkers();
  waits(plan, 1).clear();
  waits(plan, 3).clear();
  plan.communicationBytes = 1;
  const auto count = [](const std::vector<Finding> &findings,
                        FindingKind kind) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding &f) { return f.kind == kind; });
  };
  auto findings = check(plan);
  CHECK(count(findings, FindingKind::NotReady) == 8);
  CHECK(count(findings, FindingKind::Reused) >= 2);
  CHECK(count(findings, FindingKind::Totals) == 2);
  CheckOptions options;
  options.limitPerKind = 1;
  findings = check(plan, options);
  CHECK(count(findings, FindingKind::NotReady) == 2);
  CHECK_THAT(listed(findings), Catch::Contains("not ready: 7 more findings"));
}

TEST_CASE("what follows from divisions is what can be listed") {
  const Plan listed = twoWorkers(), divided = twoDivided();
  // A fetch begins with the worker's own part; what is listed has no name.
  const auto sorted = [](const Plan &plan, int w) {
    Json all = expanded(plan.partitioned, w);
    Json &pieces = all["instructions"][3]["pieces"];
    std::sort(pieces.begin(), pieces.end());
    for (int i : {1, 3})
      all["instructions"][size_t(i)].erase("collective");
    return all;
  };
  for (int w : {0, 1}) {
    CHECK(sorted(divided, w) == sorted(listed, w));
    CHECK(piecesOf(divided.partitioned, w, 1) ==
          piecesOf(listed.partitioned, w, 1));
    CHECK(piecesOf(divided.partitioned, w, 3).front().worker == w);
  }
  for (int i : {1, 3})
    CHECK(received(divided.partitioned, i) == received(listed.partitioned, i));
}

TEST_CASE("one worker stands for another only where the two are alike") {
  // Whatever is broken on one worker alone is found, on whichever it is.
  for (int w : {0, 1}) {
    Plan plan = twoDivided();
    for (BufferInfo &buffer : plan.partitioned.program.buffers)
      buffer.offsets.resize(2, buffer.offsets[0]);
    REQUIRE(check(plan).empty());
    offsetOf(plan.partitioned, w, 8) = 448; // z over r, which others fetch
    CHECK_THAT(listed(check(plan)),
               Catch::Contains("reused: gpu" + std::to_string(w)));
  }
  // And so is what is broken on both.
  Plan plan = twoDivided();
  plan.partitioned.program.buffers[8].offsets = {448};
  CHECK_THAT(listed(check(plan)), Catch::Contains("reused: gpu0") &&
                                      Catch::Contains("reused: gpu1"));
}

TEST_CASE("a part that a division cuts otherwise than the one before") {
  // r is fetched by rows that nobody has.
  Plan plan = twoDivided();
  Program &program = plan.partitioned.program;
  program.regions[5].divisions = {Division::bounded(0, {{1}})};
  evaluate(program, *lambdasOf(program));
  const Status valid = validate(plan);
  REQUIRE_FALSE(valid);
  CHECK_THAT(valid.error().message,
             Catch::Contains("gpu0.json: instructions[2].indices[0]: 0:2 is "
                             "not in the result's buffer, 0:1"));
}

TEST_CASE("kernels are compared with what the compiler makes of the lambdas") {
  const Plan plan = twoWorkers();
  CheckOptions options;
  options.regenerateKernels = [](const Plan &, const std::string &target) {
    return Artifact{target, "native code"};
  };
  CHECK(check(plan, options).empty());
  Plan onGpu = plan;
  onGpu.code = {{"sm_80", "native code", {{"kernel_0", {}}}}};
  onGpu.partitioned.program.kernels[0].symbol = "kernel_1";
  onGpu.partitioned.program.kernels[0].generatedFor = {"sm_80"};
  onGpu.unpartitioned.program.kernels[0] = onGpu.partitioned.program.kernels[0];
  CHECK_THAT(listed(check(onGpu, options)),
             Catch::Contains("kernel: kernels.sm_80.json: is not how these "
                             "kernels are to be launched"));
  options.regenerateKernels = [](const Plan &, const std::string &target) {
    return Artifact{target, "other code"};
  };
  CHECK_THAT(listed(check(plan, options)),
             Catch::Contains("kernel: kernels.x86-64-v3.so"));
  Plan without = twoWorkers();
  without.code.clear();
  CHECK_THAT(listed(check(without, options)),
             Catch::Contains("kernel: symbol \"kernel_0\": there is no code"));
  options.regenerateKernels = [](const Plan &,
                                 const std::string &) -> Result<Artifact> {
    return fail("no such CPU");
  };
  CHECK_THAT(listed(check(plan, options)), Catch::Contains("no such CPU"));
}

TEST_CASE("a convolution is compared with its lambda") {
  Plan plan = twoWorkers();
  plan.partitioned.workers.resize(1);
  Program &program = plan.partitioned.program;
  program = {};
  program.tensors = {{"x", {DType::F32, {2, 4, 9}}},
                     {"w", {DType::F32, {6, 2, 3}}},
                     {"y", {DType::F32, {2, 6, 5}}}};
  Kernel conv;
  conv.kind = KernelKind::Convolution;
  conv.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, "
      "r1: (x0[i0, i1 // 3 * 2 + r0, i2 * 2 + r1 - 1] else 0.0) * "
      "x1[i1, r0, r1])";
  conv.convolution = {{2}, {1}, {1}, 2};
  program.kernels = {conv};
  program.buffers = {{0}, {1}, {2}};
  Instruction compute;
  compute.node = "conv";
  compute.to = 2;
  compute.kernel = 0;
  compute.operands = {0, 1};
  compute.reductions = {2, 3};
  program.instructions = {compute};
  program.inputs = {{"x", 0}, {"w", 1}};
  program.outputs = {{"y", 2}};
  HandWorker worker;
  worker.arenaBytes = 1024;
  worker.buffers = {{wholeBox({2, 4, 9}), 0},
                    {wholeBox({6, 2, 3}), 320},
                    {wholeBox({2, 6, 5}), 512}};
  worker.instructions.resize(1);
  worker.instructions[0].indices = wholeBox({2, 6, 5, 2, 3});
  plan.partitioned = byHand(program, {worker});
  plan.unpartitioned = {};
  plan.communicationBytes = plan.parameterBytes = plan.search.lowerBoundBytes =
      0;
  plan.search.steps.clear();
  plan.peakBytes = {1024};
  const Status valid = validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  CHECK(listed(check(plan)) == "");
  ConvolutionInfo &info = program.kernels[0].convolution;
  for (int64_t *number :
       {&info.strides[0], &info.dilations[0], &info.pads[0], &info.groups}) {
    ++*number;
    CHECK_THAT(listed(check(plan)),
               Catch::Contains("kernel: instruction 0 (compute, "
                               "node \"conv\"): kernel 0"));
    --*number;
  }
}

TEST_CASE("a convolution's gradients are compared with their lambdas") {
  Plan plan = twoWorkers();
  plan.partitioned.workers.resize(1);
  Program &program = plan.partitioned.program;
  program = {};
  program.tensors = {{"dy", {DType::F32, {2, 6, 5}}},
                     {"w", {DType::F32, {6, 4, 3}}},
                     {"x", {DType::F32, {2, 4, 9}}},
                     {"dx", {DType::F32, {2, 4, 9}}},
                     {"dw", {DType::F32, {6, 4, 3}}}};
  Kernel byData;
  byData.kind = KernelKind::ConvolutionData;
  byData.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, r1: "
      "x0[i0, r0, (i2 - r1 + 1) // 2] * x1[r0, i1, r1] where (i2 - r1 + 1) // "
      "2 "
      "< 5 and (i2 - r1 + 1) // 2 >= 0 and (i2 - r1 + 1) % 2 == 0)";
  byData.convolution = {{2}, {1}, {1}, 1};
  byData.roles = "n c x0 m k0";
  Kernel byFilter;
  byFilter.kind = KernelKind::ConvolutionFilter;
  byFilter.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda r0, r1: "
      "(x0[r0, i1, r1 * 2 + i2 - 1] else 0.0) * x1[r0, i0, r1])";
  byFilter.convolution = {{2}, {1}, {1}, 1, 1};
  byFilter.roles = "m c k0 n o0";
  program.kernels = {byData, byFilter};
  program.buffers = {{0}, {1}, {2}, {3}, {4}};
  Instruction compute;
  compute.node = "conv";
  compute.to = 3;
  compute.kernel = 0;
  compute.operands = {0, 1};
  compute.reductions = {6, 3};
  program.instructions = {compute};
  compute.to = 4;
  compute.kernel = 1;
  compute.operands = {2, 0};
  compute.reductions = {2, 5};
  program.instructions.push_back(compute);
  program.inputs = {{"dy", 0}, {"w", 1}, {"x", 2}};
  program.outputs = {{"dx", 3}, {"dw", 4}};
  HandWorker worker;
  worker.arenaBytes = 2048;
  worker.buffers = {{wholeBox({2, 6, 5}), 0},
                    {wholeBox({6, 4, 3}), 256},
                    {wholeBox({2, 4, 9}), 576},
                    {wholeBox({2, 4, 9}), 896},
                    {wholeBox({6, 4, 3}), 1216}};
  worker.instructions.resize(2);
  worker.instructions[0].indices = wholeBox({2, 4, 9, 6, 3});
  worker.instructions[1].indices = wholeBox({6, 4, 3, 2, 5});
  plan.partitioned = byHand(program, {worker});
  plan.unpartitioned = {};
  plan.communicationBytes = plan.parameterBytes = plan.search.lowerBoundBytes =
      0;
  plan.search.steps.clear();
  plan.peakBytes = {2048};
  const Status valid = validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  CHECK(listed(check(plan)) == "");
  for (int kernel : {0, 1}) {
    const auto broken = [&](void (*change)(Kernel &)) {
      Plan other = plan;
      change(other.partitioned.program.kernels[size_t(kernel)]);
      return listed(check(other));
    };
    const auto refused = Catch::Contains("other strides, dilations, pads");
    CHECK_THAT(broken([](Kernel &k) { k.convolution.strides = {1}; }), refused);
    CHECK_THAT(broken([](Kernel &k) { k.convolution.dilations = {2}; }),
               refused);
    CHECK_THAT(broken([](Kernel &k) { k.convolution.pads = {0}; }), refused);
    CHECK_THAT(broken([](Kernel &k) { k.convolution.groups = 2; }), refused);
    CHECK_THAT(broken([](Kernel &k) {
                 k.convolution.gradient = 1 - k.convolution.gradient;
               }),
               refused);
    CHECK_THAT(broken([](Kernel &k) { k.kind = KernelKind::Convolution; }),
               refused);
  }
  // A row of the gradient that the lambda leaves out.
  std::string &text = program.kernels[0].lambda;
  text.replace(text.find("< 5"), 3, "< 4");
  CHECK_THAT(listed(check(plan)),
             Catch::Contains("other strides, dilations, pads"));
}

TEST_CASE("a reduction of no terms has a result") {
  Plan plan = twoWorkers();
  auto &tensors = plan.partitioned.program.tensors;
  tensors[4].type.shape = {4, 0};
  // r and v have no columns: z is zero, and needs nothing.
  tensors[3].type.shape[1] = tensors[0].type.shape[1] = 8;
  Partitioned part = plan.unpartitioned;
  Program &program = part.program;
  program.tensors = {{"a", {DType::F32, {4, 0}}},
                     {"b", {DType::F32, {0, 4}}},
                     {"c", {DType::F32, {4, 4}}}};
  program.buffers = {{0}, {1}, {2}};
  program.instructions = {program.instructions[2]};
  program.instructions[0].to = 2;
  program.instructions[0].operands = {0, 1};
  program.instructions[0].reductions = {0};
  program.inputs = {{"a", 0}, {"b", 1}};
  program.outputs = {{"c", 2}};
  program.parameters.clear();
  HandWorker worker;
  worker.arenaBytes = 1024;
  worker.buffers = {
      {{{0, 4}, {0, 0}}, 0}, {{{0, 0}, {0, 4}}, 0}, {wholeBox({4, 4}), 0}};
  worker.instructions.resize(1);
  worker.instructions[0].indices = {{0, 4}, {0, 4}, {0, 0}};
  plan.partitioned = byHand(program, {worker});
  plan.unpartitioned = {};
  plan.communicationBytes = plan.parameterBytes = plan.search.lowerBoundBytes =
      0;
  plan.search.steps.clear();
  plan.peakBytes = {1024};
  REQUIRE(validate(plan));
  CHECK(listed(check(plan)) == "");
}

TEST_CASE("a large plan is saved, loaded and checked in a moment") {
  const TemporaryFolder folder;
  const Plan plan = manyInstructions(8, 5000 / 3);
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  const auto start = Clock::now();
  REQUIRE(save(plan, folder / "plan"));
  const double saving = seconds(start);
  const auto loading = Clock::now();
  const auto loaded = load(folder / "plan");
  REQUIRE(loaded);
  const double load = seconds(loading);
  const auto checking = Clock::now();
  CHECK(listed(check(*loaded)) == "");
  const double check = seconds(checking);
  INFO("8 x 5,000 instructions: save " << saving << " s, load " << load
                                       << " s, check " << check << " s");
  // Ample, for a busy machine: the point is that nothing is quadratic.
  CHECK(load < 10);
  CHECK(check < 10);
}
