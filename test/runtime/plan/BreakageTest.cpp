#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

using namespace smex;
using namespace smex::plan;

namespace {
/// A way to break twoWorkers(), and what has to be said about it.
struct Breakage {
  const char *what;
  std::function<void(Plan &)> apply;
  FindingKind kind;
  std::vector<const char *> mentions;
};

Instruction &shared(Plan &plan, int instruction) {
  return plan.partitioned.program.instructions[size_t(instruction)];
}
Kernel &kernel(Plan &plan, int number) {
  return plan.partitioned.program.kernels[size_t(number)];
}

/// A parameter of 7 elements, as buffer 9.
void addShort(Plan &plan) {
  Program &program = plan.partitioned.program;
  program.tensors.push_back({"short", {DType::F32, {7}}});
  program.parameters.push_back({"short", 9, true, 0.25});
  const int64_t end = plan.partitioned.workers[0].arenaBytes;
  addBuffer(plan.partitioned, {int(program.tensors.size()) - 1},
            {{{{0, 7}}, end}, {{{0, 7}}, end}});
  for (Worker &worker : plan.partitioned.workers)
    worker.arenaBytes += 64;
}

const std::vector<Breakage> breakages = {
    // Data that is not ready.
    {"the reduction does not wait for the other's partial result",
     [](Plan &p) { shared(p, 1).waits.clear(); },
     FindingKind::NotReady,
     {"gpu0 instruction 1", "buffer 3 of \"h\" on gpu1",
      "does not wait until gpu1 instruction 0"}},
    {"the fetch waits for too early an instruction",
     [](Plan &p) { shared(p, 3).waits = {ofAll(1)}; },
     FindingKind::NotReady,
     {"gpu1 instruction 3 (fetch", "on gpu0", "until gpu0 instruction 2"}},
    {"a computation does not wait until its operand has come",
     [](Plan &p) { shared(p, 4).waits.clear(); },
     FindingKind::NotReady,
     {"gpu1 instruction 4 (compute, node \"fc2\") reads", "buffer 6 of \"r\"",
      "does not wait until gpu1 instruction 3"}},
    {"the fetch waits for the worker's own rows only",
     [](Plan &p) { shared(p, 3).waits = {own(2)}; },
     FindingKind::NotReady,
     {"gpu0 instruction 3 (fetch", "on gpu1, and does not wait until gpu1 "
                                   "instruction 2"}},
    {"an operand is computed only afterwards",
     [](Plan &p) {
       std::swap(shared(p, 0), shared(p, 4));
       shared(p, 0).waits.clear();
     },
     FindingKind::NotReady,
     {"gpu0 instruction 0 (compute, node \"fc2\")", "buffer 6 of \"r\"",
      "before gpu0 instruction 3"}},
    {"an instruction reads what it writes",
     [](Plan &p) { shared(p, 2).operands[0] = 5; },
     FindingKind::NotReady,
     {"gpu0 instruction 2 (compute, node \"relu\") reads", "buffer 5"}},
    {"a part of an operand is not computed",
     [](Plan &p) { indicesOf(p.partitioned, 0, 2)[1].hi = 7; },
     FindingKind::NotReady,
     {"gpu0 instruction 3", "[0:2, 7:8] of buffer 5", "which nothing writes"}},
    {"a part of an operand is not computed on the other worker",
     [](Plan &p) { indicesOf(p.partitioned, 1, 2)[0].lo = 3; },
     FindingKind::NotReady,
     {"gpu0 instruction 3", "[2:3, 0:8] of buffer 5 of \"r\" on gpu1"}},
    {"an output is not computed",
     [](Plan &p) { indicesOf(p.partitioned, 1, 4)[1] = {2, 2}; },
     FindingKind::NotReady,
     {"gpu1: output \"z\": nothing writes [0:4, 2:4]"}},
    {"a part without terms has no partial result",
     [](Plan &p) { indicesOf(p.partitioned, 1, 0)[2] = {3, 3}; },
     FindingKind::NotReady,
     {"gpu0 instruction 1", "on gpu1, which nothing writes"}},

    // Memory.
    {"memory is reused while the worker's other queue reads it",
     [](Plan &p) {
       // z over r, which the worker's own fetch reads; fc2 waits no longer, as
       // if it did not need what is fetched.
       shared(p, 4).operands[0] = 0;
       offsetOf(p.partitioned, 0, 8) = 448;
       shared(p, 4).waits.clear();
     },
     FindingKind::Reused,
     {"gpu0 instruction 4", "over buffer 5 of \"r\"",
      "which gpu0 instruction 3 (fetch, node \"fc2\") may still read"}},
    {"memory is reused while the worker's other queue writes it",
     [](Plan &p) {
       shared(p, 4).operands[0] = 0;
       offsetOf(p.partitioned, 0, 8) = 320;
       shared(p, 4).waits.clear();
     },
     FindingKind::Reused,
     {"gpu0 instruction 4", "over buffer 6 of \"r\"",
      "which gpu0 instruction 3 (fetch, node \"fc2\") may still write"}},
    {"memory is reused while another worker reads it",
     [](Plan &p) {
       // gpu1's reduction reads gpu0's partial sums, and nothing makes gpu0
       // wait for it before it overwrites them.
       offsetOf(p.partitioned, 0, 5) = 320;
     },
     FindingKind::Reused,
     {"gpu0 instruction 2", "buffer 5 of \"r\"", "buffer 3 of \"h\"",
      "which gpu1 instruction 1 (reduce, node \"fc1\") may still read"}},
    {"the fetched rows go where the fetch still reads",
     [](Plan &p) { offsetOf(p.partitioned, 0, 6) = 448 - 64; },
     FindingKind::Overlap,
     {"gpu0 instruction 3", "buffer 6", "buffer 5",
      "live until instruction 3 (fetch"}},
    {"the other worker may not have fetched the rows yet",
     [](Plan &p) { offsetOf(p.partitioned, 0, 8) = 448; },
     FindingKind::Reused,
     {"gpu0 instruction 4", "buffer 8", "buffer 5",
      "which gpu1 instruction 3 (fetch"}},
    {"two live buffers overlap",
     [](Plan &p) { offsetOf(p.partitioned, 1, 4) = 320; },
     FindingKind::Overlap,
     {"gpu1 instruction 1", "buffer 4 of \"h\" (bytes 320 .. 384)",
      "over buffer 3 of \"h\" (bytes 320 .. 448)"}},
    {"a result overlaps an operand by half",
     [](Plan &p) { offsetOf(p.partitioned, 0, 8) = 384; },
     FindingKind::Overlap,
     {"gpu0 instruction 4", "buffer 8 of \"z\"", "buffer 6 of \"r\""}},
    {"a buffer in the workspace",
     [](Plan &p) { p.partitioned.workers[0].workspaceOffset = 448; },
     FindingKind::Overlap,
     {"gpu0: buffer 4 of \"h\" lies in the workspace"}},
    {"two inputs in the same memory",
     [](Plan &p) { offsetOf(p.partitioned, 0, 7) = 192; },
     FindingKind::Overlap,
     {"gpu0: buffer 7 of \"v\"", "buffer 2 of \"b\"", "same memory"}},
    {"a parameter is overwritten",
     [](Plan &p) { offsetOf(p.partitioned, 0, 8) = 192; },
     FindingKind::Rewritten,
     {"gpu0 instruction 4", "buffer 2 of \"b\"", "must outlive the step"}},
    {"a parameter's buffer is written",
     [](Plan &p) {
       // As if v were computed, too.
       p.partitioned.program.parameters[0].buffer = 8;
       p.partitioned.program.parameters[2].buffer = 1;
     },
     FindingKind::Rewritten,
     {"gpu0 instruction 4", "buffer 8 of \"z\", which is a parameter"}},
    {"an element is written twice",
     [](Plan &p) { shared(p, 4).to = 8, shared(p, 0).to = 8; },
     FindingKind::Rewritten,
     {"gpu0 instruction 4", "buffer 8 of \"z\"", "instruction 0"}},

    // In-place.
    {"in place, but shifted",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "(x0[i0, i1 + 1] else 0.0) + x1[i1]";
     },
     FindingKind::Overlap,
     {"gpu0 instruction 2", "buffer 5", "buffer 4"}},
    {"in place, but a library computes it",
     [](Plan &p) { kernel(p, 1).kind = KernelKind::Reference; },
     FindingKind::Overlap,
     {"gpu0 instruction 2", "buffer 5", "buffer 4"}},
    {"in place, but of another box",
     [](Plan &p) {
       boxOf(p.partitioned, 0, 5)[0] = {0, 1};
       indicesOf(p.partitioned, 0, 2)[0] = {0, 1};
     },
     FindingKind::Overlap,
     {"gpu0 instruction 2", "buffer 5", "buffer 4"}},
    {"in place, but read again later",
     [](Plan &p) { shared(p, 3).from = 4; },
     FindingKind::Overlap,
     {"gpu0 instruction 2", "buffer 4", "live until instruction 3"}},

    // Meaning.
    {"an operand lacks a column",
     [](Plan &p) { boxOf(p.partitioned, 1, 2)[0] = {1, 8}; },
     FindingKind::Region,
     {"gpu1 instruction 2 (compute, node \"relu\")", "reads [0:8] of operand 1",
      "buffer 2 of \"b\" holds [1:8]"}},
    {"an operand lacks the halo",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "(x0[i0 + 1, i1] else 0.0) + x1[i1]";
     },
     FindingKind::Region,
     {"gpu0 instruction 2", "reads [1:3, 0:8] of operand 0",
      "buffer 4 of \"h\" holds [0:2, 0:8]"}},
    {"the last part of a reduction is missing",
     [](Plan &p) { shared(p, 0).reductions = {7}; },
     FindingKind::Reduction,
     {"gpu0 instruction 1 (reduce, node \"fc1\")", "lacks", "[6:7]"}},
    {"a part of a reduction counts twice",
     [](Plan &p) { indicesOf(p.partitioned, 1, 0)[2] = {2, 6}; },
     FindingKind::Reduction,
     {"instruction 1", "counts terms twice: pieces 0 and 1"}},
    {"a partial result is left out",
     [](Plan &p) { listedPieces(p.partitioned, 0, 1).pop_back(); },
     FindingKind::Reduction,
     {"gpu0 instruction 1",
      "lacks for the elements [0:2, 0:8] the terms [3:6]"}},
    {"a partial result is added twice",
     [](Plan &p) {
       listedPieces(p.partitioned, 0, 1)
           .push_back(listedPieces(p.partitioned, 0, 1)[0]);
     },
     FindingKind::Reduction,
     {"gpu0 instruction 1", "pieces 0 and 2"}},
    {"partial results are added in another order",
     [](Plan &p) {
       std::swap(listedPieces(p.partitioned, 0, 1)[0],
                 listedPieces(p.partitioned, 0, 1)[1]);
     },
     FindingKind::Reduction,
     {"gpu0 instruction 1", "combines pieces 0 and 1 in another order than "
                            "that of their terms, [3:6] and [0:3]"}},
    {"the parts are combined by another reducer",
     [](Plan &p) { shared(p, 1).reducer = "Max"; },
     FindingKind::Reduction,
     {"instruction 1", "combines by Max", "reduces by Sum"}},
    {"a whole result is computed from half of the terms",
     [](Plan &p) { indicesOf(p.partitioned, 0, 4)[2] = {0, 4}; },
     FindingKind::Reduction,
     {"gpu0 instruction 4", "only the terms [0:4] of [0:8]"}},
    {"the range of a reduction is not said",
     [](Plan &p) { shared(p, 4).reductions.clear(); },
     FindingKind::Reduction,
     {"instruction 4 (compute, node \"fc2\")", "\"reductions\""}},
    {"an output is not held by anyone",
     [](Plan &p) {
       boxOf(p.partitioned, 1, 8)[1] = {3, 4};
       indicesOf(p.partitioned, 1, 4)[1] = {3, 4};
     },
     FindingKind::Coverage,
     {"output \"z\": no GPU holds [0:4, 2:3] of f32[4, 4]"}},
    {"a parameter is not held by anyone",
     [](Plan &p) { boxOf(p.partitioned, 0, 1)[1] = {0, 7}; },
     FindingKind::Coverage,
     {"parameter \"w\": no GPU holds [0:3, 7:8]"}},
    {"an operand is smaller than what is read of it",
     [](Plan &p) {
       shared(p, 2).operands[1] = 9;
       addShort(p);
     },
     FindingKind::Region,
     {"instruction 2 (compute, node \"relu\") reads x1[i1]",
      "dimension 0 of buffer 9 of \"short\" has 7 elements",
      "the index i1 is 7 where i1 = 7"}},
    {"a reduction goes on beyond its operands",
     [](Plan &p) {
       Instruction &fc1 = p.unpartitioned.program.instructions[0];
       fc1.reductions = {int64_t(1) << 32};
       indicesOf(p.unpartitioned, 0, 0)[2].hi = fc1.reductions[0];
     },
     FindingKind::Region,
     {"unpartitioned instruction 0", "reads x0[i0, r0]",
      "the index r0 is 6 where r0 = 6"}},
    {"a lambda reads elsewhere",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "x0[i0, i1] + x1[i1 + 1000000000]";
     },
     FindingKind::Region,
     {"instruction 2", "the index i1 + 1000000000 is 1000000000 where i1 = 0"}},
    {"an index divides by zero",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "x0[i0, i1] + x1[i1 // i0]";
     },
     FindingKind::Region,
     {"instruction 2", "divides by i0, which may be 0 where i0 = 0"}},
    {"roles of a contraction",
     [](Plan &p) { kernel(p, 0).roles = "nmk"; },
     FindingKind::Kernel,
     {"kernel 0", "\"nmk\"", "\"mnk\""}},
    {"a contraction that is none",
     [](Plan &p) {
       kernel(p, 0).lambda = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
                             "Sum(lambda r0: x0[i0, r0] - x1[r0, i1])";
     },
     FindingKind::Kernel,
     {"kernel 0", "matrix product"}},
    {"a product that no library of the target has",
     [](Plan &p) {
       kernel(p, 0).lambda = "(x0: f64[2], x1: f64[2]) -> f64: lambda i0, i1: "
                             "Sum(lambda r0: x0[i0, r0] * x1[r0, i1])";
       p.code = {{"x86-64-v3", ""}, {"sm_80", ""}};
     },
     FindingKind::Kernel,
     {"kernel 0: is generated for other targets than x86-64-v3, whose "
      "libraries have none for f64"}},
    {"a function for a target that the plan does not have",
     [](Plan &p) {
       kernel(p, 0).symbol = "kernel_1";
       kernel(p, 0).generatedFor = {"sm_90"};
       p.code = {{"x86-64-v3", ""}};
     },
     FindingKind::Kernel,
     {"kernel 0: is generated for sm_90, which is no target of the plan"}},
    {"a name for what moves by a list",
     [](Plan &p) {
       shared(p, 3).collective = Collective{CollectiveKind::AllGather, 1};
     },
     FindingKind::Region,
     {"instruction 3 (fetch, node \"", "an all-gather over steps 0",
      "none with a name"}},

    {"a symbol that stands for two lambdas",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "0.0";
     },
     FindingKind::Kernel,
     {"symbol \"kernel_0\": stands for two lambdas", "i1: 0.0\""}},

    // Both programs.
    {"another lambda than in the unpartitioned program",
     [](Plan &p) {
       kernel(p, 1).lambda = "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                             "0.0";
     },
     FindingKind::Interface,
     {"instruction 2 (compute, node \"relu\"): the unpartitioned program does "
      "not compute this"}},
    {"operands exchanged in the unpartitioned program",
     [](Plan &p) { p.unpartitioned.program.instructions[2].operands[0] = 3; },
     FindingKind::Interface,
     {"unpartitioned instruction 2 (compute, node \"fc2\"): the partitioned "
      "program does not compute this"}},
    {"an output that is another value",
     [](Plan &p) {
       p.partitioned.program.tensors[6].type.shape = {4, 8};
       p.partitioned.program.outputs[0].buffer = 4;
     },
     FindingKind::Interface,
     {"output \"z\": is another value"}},
    {"an optimizer's parameter",
     [](Plan &p) { p.partitioned.program.parameters[0].state = true; },
     FindingKind::Interface,
     {"parameter \"w\": is another one"}},

    // The border.
    {"another output",
     [](Plan &p) { p.partitioned.program.outputs[0].name = "logits"; },
     FindingKind::Interface,
     {"output \"logits\""}},
    {"a parameter drawn otherwise",
     [](Plan &p) { p.partitioned.program.parameters[1].scale = 0.5; },
     FindingKind::Interface,
     {"parameter \"b\""}},
    {"communication in plan.json",
     [](Plan &p) { p.communicationBytes += 4; },
     FindingKind::Totals,
     {"totals.communication_bytes: says 260, the program has 256"}},
    {"peak in plan.json",
     [](Plan &p) { p.peakBytes[1] = 512; },
     FindingKind::Totals,
     {"totals.peak_bytes[1]: says 512, the program has 576"}},
    {"parameters in plan.json",
     [](Plan &p) { p.parameterBytes = 0; },
     FindingKind::Totals,
     {"totals.parameter_bytes"}},
    {"flops in plan.json",
     [](Plan &p) { ++p.flops; },
     FindingKind::Totals,
     {"totals.flops: says 705, the program has 704"}},
    {"bytes of a level of links",
     [](Plan &p) { p.machine = MachineInfo{"two", {{2, 1000, 255}}}; },
     FindingKind::Totals,
     {"machine.links[0].bytes: says 255, the program has 256"}},
    {"a search that says optimal",
     [](Plan &p) { p.search.lowerBoundBytes = 200; },
     FindingKind::Totals,
     {"search.optimal: is true, with a bound of 200 bytes for the 256"}},
    {"a step's bound",
     [](Plan &p) { p.search.steps[0].lowerBoundBytes = 257; },
     FindingKind::Totals,
     {"search.steps[0].lower_bound_bytes: 257 bytes, more than the step's "
      "256"}},
    {"a step that says optimal",
     [](Plan &p) { p.search.steps[0].bytes = 300; },
     FindingKind::Totals,
     {"search.steps[0].optimal: is true"}},
    {"a step that moves less than the plan",
     [](Plan &p) {
       p.search.steps[0].bytes = p.search.steps[0].lowerBoundBytes = 255;
     },
     FindingKind::Totals,
     {"the last one's 255 bytes are fewer than the 256"}},
    {"ways of the search",
     [](Plan &p) { p.search.steps[0].ways = 3; },
     FindingKind::Totals,
     {"search.steps: cut among 3 GPUs, the plan has 2"}},
    {"a lower bound above the plan",
     [](Plan &p) { p.search.lowerBoundBytes = 300; },
     FindingKind::Totals,
     {"search.lower_bound_bytes: 300"}},
    {"the unpartitioned program is checked as well",
     [](Plan &p) { offsetOf(p.unpartitioned, 0, 6) = 384; },
     FindingKind::Overlap,
     {"unpartitioned gpu0"}},
};
} // namespace

TEST_CASE("every breakage is found and named") {
  for (const Breakage &breakage : breakages) {
    Plan plan = twoWorkers();
    breakage.apply(plan);
    const std::vector<Finding> findings = check(plan);
    INFO(breakage.what << "\n" << listed(findings));
    const bool named = std::any_of(
        findings.begin(), findings.end(), [&](const Finding &finding) {
          return finding.kind == breakage.kind &&
                 std::all_of(breakage.mentions.begin(), breakage.mentions.end(),
                             [&](const char *part) {
                               return finding.message.find(part) !=
                                      std::string::npos;
                             });
        });
    CHECK(named);
  }
}
