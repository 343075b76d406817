// A product whose bias and activation are its epilogue, on two workers that
// fetch the bias from each other; and what is wrong with others.
#include "runtime/plan/Epilogue.h"

#include "runtime/plan/Check.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Totals.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex;
using namespace smex::plan;

namespace {

enum Buffers { A, B, C, Bias, P, Y };
enum Instructions { FetchBias, Product, Map };

Kernel generated(const char *lambda, const char *symbol) {
  Kernel kernel;
  kernel.lambda = lambda;
  kernel.symbol = symbol;
  return kernel;
}

Plan sound() {
  Program program;
  const auto f32 = [](const char *name, std::vector<int64_t> shape) {
    return TensorInfo{name, {DType::F32, std::move(shape)}};
  };
  program.tensors = {f32("a", {4, 4}), f32("b", {4, 8}), f32("c", {8}),
                     f32("p", {4, 8}), f32("y", {4, 8})};
  Kernel product;
  product.kind = KernelKind::Contraction;
  product.lambda = "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
                   "Sum(lambda r0: x0[i0, r0] * x1[r0, i1])";
  product.roles = "mnk";
  program.kernels = {
      product, generated("(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
                         "max(x0[i0, i1] + x1[i1], 0.0)",
                         "kernel_0")};
  program.buffers = {{0}, {1}, {2}, {2}, {3}, {4}};
  Instruction fetch, compute, map;
  fetch.op = Opcode::Fetch;
  fetch.node = "bias";
  fetch.to = Bias;
  fetch.from = C;
  compute.node = "product";
  compute.to = P;
  compute.kernel = 0;
  compute.operands = {A, B};
  compute.reductions = {4};
  compute.waits = {own(FetchBias)};
  map.node = "map";
  map.to = Y;
  map.kernel = 1;
  map.operands = {P, Bias};
  map.epilogueOf = Product;
  program.instructions = {fetch, compute, map};
  program.inputs = {{"a", A}};
  program.parameters = {{"b", B}, {"c", C}};
  program.outputs = {{"y", Y}};
  std::vector<HandWorker> workers;
  for (int64_t w = 0; w < 2; ++w) {
    const Interval rows = {2 * w, 2 * w + 2}, all = {0, 8};
    HandWorker worker;
    worker.arenaBytes = 384;
    worker.buffers = {{{rows, {0, 4}}, 0},         {{{0, 4}, all}, 64},
                      {{{4 * w, 4 * w + 4}}, 192}, {{all}, 256},
                      {{rows, all}, 320},          {{rows, all}, 320}};
    worker.instructions.resize(3);
    worker.instructions[0].pieces = {{0, {{0, 4}}}, {1, {{4, 8}}}};
    worker.instructions[1].indices = {rows, all, {0, 4}};
    worker.instructions[2].indices = {rows, all};
    worker.weights = {{0, 0}, {1, 128}};
    workers.push_back(worker);
  }
  Plan plan;
  plan.modelName = "model.json";
  plan.modelSha256 = std::string(64, '0');
  plan.partitioned = byHand(program, workers);
  const Totals all = totals(plan.partitioned);
  plan.communicationBytes = plan.search.lowerBoundBytes =
      all.communicationBytes;
  plan.search.optimal = true;
  plan.peakBytes = all.peakBytes;
  plan.parameterBytes = all.parameterBytes;
  return plan;
}

struct Breakage {
  const char *what;
  std::function<void(Partitioned &)> apply;
  const char *says;
};

Instruction &mapOf(Partitioned &p) { return p.program.instructions[Map]; }

/// It reads the product's result once more.
void addReader(Partitioned &p) {
  Instruction again = mapOf(p);
  again.epilogueOf = -1;
  again.to = addWhole(p, "again", {DType::F32, {4, 8}}, 128);
  std::vector<HandInstruction> ofWorkers;
  for (int w = 0; w < 2; ++w) {
    boxOf(p, w, again.to) = boxOf(p, w, P);
    ofWorkers.push_back({indicesOf(p, w, Map)});
  }
  addInstruction(p, again, ofWorkers);
}

const std::vector<Breakage> refused = {
    {"its own epilogue", [](auto &p) { mapOf(p).epilogueOf = Map; },
     "instructions[2].epilogue_of: instruction 2 does not come before"},
    {"of what is not there", [](auto &p) { mapOf(p).epilogueOf = 7; },
     "instructions[2].epilogue_of: instruction 7 does not come before"},
    {"of a fetch", [](auto &p) { mapOf(p).epilogueOf = FetchBias; },
     "instruction 0 is no product of matrices"},
    {"of a product that is generated",
     [](auto &p) {
       p.program.kernels[0].kind = KernelKind::Generated;
       p.program.kernels[0].symbol = "kernel_1";
       p.program.kernels[0].roles = "";
     },
     "instruction 1 is no product of matrices"},
    {"of something else than it reads",
     [](auto &p) {
       mapOf(p).operands[0] =
           addBuffer(p, {3}, {{boxOf(p, 0, P), 320}, {boxOf(p, 1, P), 320}});
     },
     "is no map of what instruction 1 makes"},
    {"another map",
     [](auto &p) {
       p.program.kernels[1].lambda =
           "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
           "min(x0[i0, i1] + x1[i1], 0.0)";
     },
     "is neither a bias nor an activation"},
    {"a bias along the rows",
     [](auto &p) {
       p.program.kernels[1].lambda =
           "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: "
           "max(x0[i0, i1] + x1[i0], 0.0)";
     },
     "is neither a bias nor an activation"},
    {"a bias of a wrong length",
     [](auto &p) { p.program.tensors[2].type.shape = {7}; },
     "has a bias of 7 elements for 8"},
    {"terms of a sum",
     [](auto &p) {
       p.program.buffers[P].partial = true;
       mapOf(p).operands[0] = P;
     },
     "is a partial result"},
    {"epilogues of terms",
     [](auto &p) {
       // The map reads another buffer, so that nothing else is wrong with it.
       p.program.buffers[P].partial = true;
       mapOf(p).operands[0] =
           addBuffer(p, {3}, {{boxOf(p, 0, P), 320}, {boxOf(p, 1, P), 320}});
     },
     "instruction 1 makes terms of a reduction"},
};

const std::vector<Breakage> found = {
    {"a second reader", addReader,
     "epilogue: instruction 2 (compute, node \"map\")"
     ": is no epilogue of instruction 1: instruction 3 (compute, node \"map\") "
     "reads buffer 4 of \"p\""},
    {"the product is an output",
     [](auto &p) { p.program.outputs.push_back({"p", P}); },
     "is no epilogue of instruction 1: \"p\" is buffer 4"},
    {"a result in another place",
     [](auto &p) {
       for (int w = 0; w < 2; ++w) {
         offsetOf(p, w, Y) = p.workers[size_t(w)].arenaBytes;
         p.workers[size_t(w)].arenaBytes += 64;
       }
     },
     "buffer 5 of \"y\" does not lie where buffer 4 of \"p\" does on gpu0"},
    {"only a part of it",
     [](auto &p) {
       indicesOf(p, 1, Map)[1].hi = 4;
       boxOf(p, 1, Y)[1].hi = 4;
     },
     "they do not do the same on gpu1"},
    {"a product that does not wait for the bias",
     [](auto &p) {
       p.program.instructions[Product].waits.clear();
       mapOf(p).waits = {own(FetchBias)};
     },
     "not ready: gpu0 instruction 1 (compute, node \"product\") reads [0:8] of "
     "buffer 3 of \"c\""},
};

} // namespace

TEST_CASE("a product and its epilogue are sound") {
  const Plan plan = sound();
  const Status valid = validate(plan);
  INFO((valid ? "" : valid.error().message));
  REQUIRE(valid);
  CHECK(listed(check(plan)) == "");
  CHECK(epilogues(plan.partitioned.program) == std::vector<int>{-1, Map, -1});
  CHECK(productOperand(plan.partitioned.program, Map) == 0);
  CHECK_THAT(inspect(plan), Catch::Contains("epilogues"));
  CHECK_THAT(listing(plan.partitioned, 0), Catch::Contains("epilogue of 1"));
}

TEST_CASE("epilogues that the loader refuses") {
  for (const Breakage &each : refused) {
    INFO(each.what);
    Plan plan = sound();
    each.apply(plan.partitioned);
    const Status valid = validate(plan);
    REQUIRE_FALSE(valid);
    CHECK_THAT(valid.error().message, Catch::Contains(each.says));
  }
}

TEST_CASE("epilogues that check finds to be none") {
  for (const Breakage &each : found) {
    INFO(each.what);
    Plan plan = sound();
    each.apply(plan.partitioned);
    const Status valid = validate(plan);
    INFO((valid ? "" : valid.error().message));
    REQUIRE(valid);
    CHECK_THAT(listed(check(plan)), Catch::Contains(each.says));
    // Without the epilogue nothing of the kind is.
    mapOf(plan.partitioned).epilogueOf = -1;
    CHECK_THAT(listed(check(plan)), !Catch::Contains(each.says));
  }
}

TEST_CASE("which products have their epilogues in one call") {
  const auto product = [](std::vector<ProductIndex> indices) {
    auto made = matrixProduct(indices, true);
    REQUIRE(made);
    return *made;
  };
  // result[m, n] by rows: n are the library's rows.
  const MatrixProduct plain =
      product({{6, 'm', 5, 7, 0}, {5, 'n', 1, 0, 1}, {7, 'k', 0, 1, 5}});
  CHECK(isInOneCall(plain, std::nullopt));
  CHECK(isInOneCall(plain, 5));
  CHECK_FALSE(isInOneCall(plain, 6));
  // With a sum along two dimensions that lie apart there are inner loops.
  const MatrixProduct twice = product({{6, 'm', 5, 77, 0},
                                       {5, 'n', 1, 0, 1},
                                       {7, 'k', 0, 1, 5},
                                       {3, 'k', 0, 11, 350}});
  REQUIRE(twice.calls() == 3);
  CHECK_FALSE(isInOneCall(twice, std::nullopt));
}
