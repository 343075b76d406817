// Parameters that take new values: what check and validate say of them.
#include "runtime/plan/Load.h"
#include "runtime/plan/Totals.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {

enum Buffer { Weight, Gradient, Next, Negated };

/// next = weight - gradient on one worker, in the weight's place; then
/// negated = -gradient, the output.
Plan step() {
  Plan plan;
  plan.modelName = "step.onnx";
  plan.modelSha256 = std::string(64, '0');
  plan.code = {{"x86-64-v3", "native code"}};
  Program &program = plan.partitioned.program;
  const TensorType type{DType::F32, {16}};
  program.tensors = {{"w", type}, {"g", type}, {"w.next", type}, {"y", type}};
  program.buffers = {{0}, {1}, {2}, {3}};
  Kernel subtract, negate;
  subtract.lambda =
      "(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] - x1[i0]";
  subtract.symbol = "kernel_0";
  negate.lambda = "(x0: f32[1]) -> f32: lambda i0: -x0[i0]";
  negate.symbol = "kernel_1";
  program.kernels = {subtract, negate};
  Instruction first, second;
  first.node = "step";
  first.to = Next;
  first.kernel = 0;
  first.operands = {Weight, Gradient};
  second.node = "negate";
  second.to = Negated;
  second.kernel = 1;
  second.operands = {Gradient};
  program.instructions = {first, second};
  program.inputs = {{"g", Gradient}};
  program.outputs = {{"y", Negated}};
  Parameter weight;
  weight.name = "w";
  weight.buffer = Weight;
  weight.drawn = true;
  weight.scale = 1;
  weight.next = Next;
  program.parameters = {weight};
  const Box all = {{0, 16}};
  HandWorker worker;
  worker.arenaBytes = 192;
  worker.buffers = {{all, 0}, {all, 64}, {all, 0}, {all, 128}};
  worker.instructions.resize(2);
  for (HandInstruction &instruction : worker.instructions)
    instruction.indices = all;
  plan.partitioned = byHand(program, {worker});
  plan.unpartitioned = plan.partitioned;
  plan.peakBytes = totals(plan.partitioned).peakBytes;
  plan.parameterBytes = totals(plan.partitioned).parameterBytes;
  return plan;
}

std::string memoryFindings(const Plan &plan) {
  std::string text;
  for (const Finding &finding : check(plan))
    if (finding.kind != FindingKind::Totals)
      text += finding.message + "\n";
  return text;
}

std::string refusal(const Plan &plan) {
  const Status valid = validate(plan);
  return valid ? "" : valid.error().message;
}

/// The same change to both programs, which must be alike.
template <typename F> Plan changed(F &&change) {
  Plan plan = step();
  change(plan.partitioned);
  change(plan.unpartitioned);
  return plan;
}

} // namespace

TEST_CASE("a parameter's next value may take its place, or have its own") {
  CHECK(refusal(step()) == "");
  CHECK(memoryFindings(step()) == "");
  const Plan apart = changed([](Partitioned &p) {
    p.workers[0].arenaBytes = 256;
    offsetOf(p, 0, Next) = 192;
  });
  CHECK(refusal(apart) == "");
  CHECK(memoryFindings(apart) == "");
}

TEST_CASE("it is not taken while it is still read") {
  const Plan plan = changed(
      [](Partitioned &p) { p.program.instructions[1].operands = {Weight}; });
  CHECK_THAT(memoryFindings(plan), Catch::Contains("is live until"));
}

TEST_CASE("a next value must be written, and kept to the end") {
  const Plan unwritten = changed([](Partitioned &p) {
    p.program.instructions[0].to = Negated;
    p.program.instructions[1].to = Next;
    indicesOf(p, 0, 1) = {{0, 0}};
  });
  CHECK_THAT(memoryFindings(unwritten),
             Catch::Contains("the next value of parameter \"w\": nothing "
                             "writes"));
  const Plan overwritten =
      changed([](Partitioned &p) { offsetOf(p, 0, Negated) = 0; });
  CHECK_THAT(memoryFindings(overwritten), Catch::Contains("is live until"));
}

TEST_CASE("next values that make no sense are refused") {
  const auto next = [](int buffer) {
    return refusal(changed(
        [&](Partitioned &p) { p.program.parameters[0].next = buffer; }));
  };
  CHECK_THAT(next(9), Catch::Contains("next"));
  // Nothing more is asked of a parameter that has no buffer.
  for (int buffer : {4, 1 << 20, -1})
    CHECK_THAT(refusal(changed([&](Partitioned &p) {
                 p.program.parameters[0].buffer = buffer;
               })),
               Catch::Contains("parameters[0].buffer: there is no buffer"));
  CHECK_THAT(next(Gradient), Catch::Contains("is an input or parameter"));
  CHECK_THAT(refusal(changed([](Partitioned &p) {
               p.program.tensors[2].type.shape = {8};
               boxOf(p, 0, Next) = {{0, 8}};
             })),
             Catch::Contains("parameters[0].next: is of type f32[8]"));
  CHECK_THAT(refusal(changed([](Partitioned &p) {
               boxOf(p, 0, Next) = {{0, 8}};
               indicesOf(p, 0, 0) = {{0, 8}};
             })),
             Catch::Contains("its next value [0:8]"));
  CHECK_THAT(refusal(changed([](Partitioned &p) {
               p.program.parameters.push_back(p.program.parameters[0]);
               p.program.parameters[1].name = "v";
               p.program.parameters[1].buffer = Gradient;
               p.program.inputs.clear();
             })),
             Catch::Contains("is the next value of another parameter too"));
}
