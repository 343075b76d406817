// Two gradients of one weight, whose terms workers add up before they bring
// them together; and what is found where that would be wrong.
#include "dialects/support/Sha256.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Totals.h"
#include "runtime/plan/Validate.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex;
using namespace smex::plan;

namespace {

enum Buffer { x, a, b, both, out, moved };
enum Number { sumA, sumB, add, reduce };
enum Regions { ofX, ofTerms, ofOut, ofSums, placed0, placed1 };

Kernel reference(std::string lambda) {
  Kernel kernel;
  kernel.kind = KernelKind::Reference;
  kernel.lambda = std::move(lambda);
  return kernel;
}

Instruction compute(int kernel, std::vector<int> operands, int to, int indices,
                    std::vector<int64_t> reductions = {}) {
  Instruction instruction;
  instruction.node = "w";
  instruction.kernel = kernel;
  instruction.operands = std::move(operands);
  instruction.to = to;
  instruction.indices = indices;
  instruction.reductions = std::move(reductions);
  return instruction;
}

void finish(Plan &plan) {
  evaluate(plan.partitioned.program, *lambdasOf(plan.partitioned.program));
  nameCollectives(plan.partitioned);
  const Totals bytes = totals(plan.partitioned);
  plan.communicationBytes = bytes.communicationBytes;
  plan.peakBytes = bytes.peakBytes;
  plan.parameterBytes = bytes.parameterBytes;
  plan.flops = 12 + 24 + 3; // of the sum, the sum of squares, and of both
}

BufferInfo info(int tensor, int region, int64_t place, bool partial = false) {
  BufferInfo made;
  made.tensor = tensor;
  made.region = region;
  made.offsets = {place};
  made.partial = partial;
  return made;
}

/// x is f32[4, 3], cut by rows, which both gradients, f32[3], sum up.
Plan terms() {
  Plan plan;
  plan.modelName = "terms.json";
  plan.modelSha256 = sha256("terms");
  plan.code = {{"x86-64-v3", "native code"}};
  Program &program = plan.partitioned.program;
  program.ways = {2};
  program.tensors = {{"x", {DType::F32, {4, 3}}},
                     {"a", {DType::F32, {3}}},
                     {"b", {DType::F32, {3}}},
                     {"w", {DType::F32, {3}}}};
  program.kernels = {
      reference("(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[r0, i0])"),
      reference("(x0: f32[2]) -> f32: lambda i0: Sum(lambda r0: x0[r0, i0] * "
                "x0[r0, i0])"),
      reference("(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] + x1[i0]"),
      reference("(x0: f32[1], x1: f32[1]) -> f32: lambda i0: x0[i0] * x1[i0]")};
  program.regions = {divided({4, 3}, Division::part(0)),
                     divided({3}, Division::term(Reducer::Sum)),
                     divided({3}, Division::part(0)),
                     divided({3, 4}, Division::part(1))};
  program.buffers = {info(0, ofX, 0), info(1, ofTerms, 64, true),
                     info(2, ofTerms, 128, true), info(3, ofTerms, 192, true),
                     info(3, ofOut, 256)};
  program.instructions = {compute(0, {x}, a, ofSums, {4}),
                          compute(1, {x}, b, ofSums, {4}),
                          compute(2, {a, b}, both, ofTerms)};
  Instruction bring;
  bring.op = Opcode::Reduce;
  bring.node = "w";
  bring.reducer = "Sum";
  bring.from = both;
  bring.to = out;
  bring.waits = {ofAll(add)};
  program.instructions.push_back(bring);
  program.inputs = {{"x", x}};
  program.outputs = {{"w", out}};
  Worker worker;
  worker.arenaBytes = 448;
  plan.partitioned.workers = {worker, worker};
  plan.unpartitioned.program = program;
  Program &whole = plan.unpartitioned.program;
  whole.ways = {};
  whole.regions = {divided({4, 3}, {}), divided({3}, {}), divided({3}, {}),
                   divided({3, 4}, {})};
  for (Region &region : whole.regions)
    region.divisions.clear();
  for (BufferInfo &buffer : whole.buffers)
    buffer.partial = false;
  whole.buffers.pop_back();
  whole.instructions.pop_back();
  whole.outputs = {{"w", both}};
  plan.unpartitioned.workers = {worker};
  evaluate(whole, *lambdasOf(whole));
  finish(plan);
  return plan;
}

/// Two replicas of two workers: "a" is summed up on the first of each, "b", and
/// both together, on the second.
Plan inReplicas() {
  Plan plan = terms();
  Program &program = plan.partitioned.program;
  const auto divided = [](std::vector<int64_t> extents, Division first,
                          Division second) {
    Region region;
    region.kind = Region::Kind::Divided;
    region.extents = std::move(extents);
    region.divisions = {std::move(first), std::move(second)};
    return region;
  };
  const Division term = Division::term(Reducer::Sum), half = Division::part(0);
  const Division first = Division::placed(0), second = Division::placed(1);
  program.ways = {2, 2};
  program.regions = {
      divided({4, 3}, half, {}),  divided({3}, term, second),
      divided({3}, half, second), divided({3, 4}, Division::part(1), second),
      divided({3}, term, first),  divided({3, 4}, Division::part(1), first)};
  program.buffers[a].region = 4;
  program.instructions[sumA].indices = 5;
  program.buffers.push_back(info(1, ofTerms, 320, true)); // moved
  Instruction move;
  move.op = Opcode::Fetch;
  move.node = "w";
  move.from = a;
  move.to = moved;
  move.waits = {{sumA, 2}}; // of the other worker of the replica
  program.instructions.insert(program.instructions.begin() + add, move);
  program.instructions[add + 1].operands = {moved, b};
  program.instructions[add + 1].waits = {own(add)};
  program.instructions[reduce + 1].waits = {{add + 1, 3}};
  plan.partitioned.workers.resize(4, plan.partitioned.workers[0]);
  finish(plan);
  return plan;
}

std::string found(Plan plan, const std::function<void(Program &)> &change) {
  change(plan.partitioned.program);
  finish(plan);
  const Status valid = validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  return listed(check(plan));
}

std::string refused(Plan plan, const std::function<void(Program &)> &change) {
  change(plan.partitioned.program);
  const Status valid = validate(plan);
  return valid ? "" : valid.error().message;
}

using Catch::Matchers::Contains;

} // namespace

TEST_CASE("workers add up terms, and bring together one sum") {
  const Plan plan = terms();
  CHECK(listed(check(plan)) == "");
  // Each gets the other's term of its own elements, of which it has 1 or 2.
  CHECK(plan.communicationBytes == 3 * 4);
  CHECK(received(plan.partitioned, reduce) == std::vector<int64_t>{1, 2});
  CHECK(toString(*collectiveOf(plan.partitioned, reduce)) ==
        "a reduce-scatter over steps 0");
  CHECK(listed(check(readBack(plan))) == "");
}

TEST_CASE("terms move within a replica") {
  const Plan plan = inReplicas();
  CHECK(listed(check(plan)) == "");
  // "a" to the second worker of each replica, and then one sum.
  CHECK(plan.communicationBytes == (2 * 3 + 3) * 4);
  CHECK(piecesOf(plan.partitioned, 1, add) ==
        std::vector<Piece>{{0, {{0, 3}}}});
  CHECK(piecesOf(plan.partitioned, 3, add) ==
        std::vector<Piece>{{2, {{0, 3}}}});
  CHECK(received(plan.partitioned, add) == std::vector<int64_t>{0, 3, 0, 3});
  CHECK(crossing(plan.partitioned, add, 2) == std::vector<int64_t>(4, 0));
  CHECK(listed(check(readBack(plan))) == "");
}

TEST_CASE("what is made of terms is in the same terms") {
  const Plan plan = terms();
  // What is whole would be added once for each worker.
  CHECK_THAT(found(plan,
                   [](Program &p) {
                     p.buffers[b].partial = false;
                     p.instructions[sumB].indices = int(p.regions.size());
                     p.regions.push_back(divided({3, 4}, Division::whole()));
                   }),
             Contains("reads buffer 2 of \"b\", which is not in the terms that "
                      "it is divided into"));
  CHECK_THAT(found(plan,
                   [](Program &p) {
                     p.instructions[sumB].indices = int(p.regions.size());
                     p.regions.push_back(divided({3, 4}, Division::whole()));
                   }),
             Contains("instruction 1 (compute, node \"w\") fills buffer 2 of "
                      "\"b\", whose region is in other terms than it makes"));
  CHECK_THAT(found(plan,
                   [](Program &p) {
                     p.buffers[both].region = int(p.regions.size());
                     p.regions.push_back(divided({3}, Division::whole()));
                   }),
             Contains("combines terms of buffer 3 of \"w\", which is in others "
                      "than its region says"));
  CHECK_THAT(
      found(plan, [](Program &p) { p.instructions[add].indices = ofOut; }),
      Contains("which is not in the terms that it is divided into"));
  CHECK_THAT(
      found(plan, [](Program &p) { p.instructions[reduce].reducer = "Max"; }),
      Contains("combines by Max what are terms of a Sum"));
  // A whole sum that is divided so would be added to itself.
  CHECK_THAT(found(plan,
                   [](Program &p) {
                     p.instructions[sumB].indices = ofSums;
                     p.kernels[0] = p.kernels[2];
                     p.kernels[0].lambda =
                         "(x0: f32[2]) -> f32: lambda i0: x0[0, i0]";
                     p.instructions[sumA].reductions = {};
                     p.instructions[sumA].indices = ofTerms;
                     p.buffers[a].partial = false;
                   }),
             Contains("instruction 0 (compute, node \"w\") is divided into "
                      "terms, but reads none"));
  // The maximum of all is not the sum of maxima of parts.
  CHECK_THAT(found(plan,
                   [](Program &p) {
                     p.kernels[0].lambda = "(x0: f32[2]) -> f32: lambda i0: "
                                           "Max(lambda r0: x0[r0, i0])";
                   }),
             Contains("instruction 0 (compute, node \"w\") fills buffer 1 of "
                      "\"a\", whose region is in other terms than it makes"));
}

TEST_CASE("a worker without samples has no terms") {
  // x is cut so that the first worker has all of it.
  CHECK_THAT(found(terms(),
                   [](Program &p) {
                     p.regions[ofX] =
                         divided({4, 3}, Division::bounded(0, {{4}}));
                     p.regions[ofSums] =
                         divided({3, 4}, Division::bounded(1, {{4}}));
                   }),
             Contains("which nothing writes"));
}

TEST_CASE("terms that no division tells apart") {
  const auto ofBoxes = [](Program &p, int buffer) {
    Region region;
    region.boxes = {{{0, 3}}, {{0, 3}}};
    p.buffers[size_t(buffer)].region = int(p.regions.size());
    p.regions.push_back(region);
  };
  CHECK_THAT(found(terms(),
                   [&](Program &p) {
                     ofBoxes(p, both);
                     p.instructions[reduce].pieces = {
                         {{0, {{0, 1}}}, {1, {{0, 1}}}},
                         {{0, {{1, 3}}}, {1, {{1, 3}}}}};
                   }),
             Contains("combines terms of buffer 3 of \"w\" that no division "
                      "tells apart"));
  // The other replica's terms, and its own not at all.
  CHECK_THAT(found(inReplicas(),
                   [](Program &p) {
                     p.instructions[add].pieces = {
                         {}, {{2, {{0, 3}}}}, {}, {{0, {{0, 3}}}}};
                   }),
             Contains("moves terms of buffer 1 of \"a\" that no division tells "
                      "apart"));
}

TEST_CASE("what is partial, and what is not") {
  const Plan plan = terms();
  // A product of sums is no sum of products.
  CHECK_THAT(refused(plan, [](Program &p) { p.instructions[add].kernel = 3; }),
             Contains("instructions[2].operands: buffer 1 is a partial result, "
                      "and the lambda no linear map"));
  CHECK_THAT(refused(plan, [](Program &p) { p.buffers[both].partial = false; }),
             Contains("instructions[2].operands: buffer 1 is a partial result, "
                      "and \"to\" is not"));
  CHECK_THAT(refused(plan,
                     [](Program &p) {
                       p.buffers[a].partial = p.buffers[b].partial = false;
                     }),
             Contains("instructions[2].to: a map of whole operands has no "
                      "partial results"));
  CHECK_THAT(
      refused(inReplicas(),
              [](Program &p) { p.buffers[moved].partial = false; }),
      Contains("instructions[2].to: must be a partial result, as \"from\" is"));
  CHECK_THAT(refused(plan, [](Program &p) { p.buffers[out].partial = true; }),
             Contains("instructions[3].to: is a partial result, which only a "
                      "compute, or a fetch of one, may write"));
}
