// Which implementation a lambda gets on which target.
#include "compiler/emit/Kernels.h"
#include "runtime/plan/Target.h"

#include <catch2/catch.hpp>

using namespace smex;
using plan::KernelKind;

namespace {

const std::vector<std::string> cpuAndGpu = {"x86-64-v3", "sm_80"};

std::string product(const std::string &type) {
  return "(x0: " + type + "[2], x1: " + type + "[2]) -> " + type +
         ": lambda i0, i1: Sum(lambda r0: x0[i0, r0] * x1[r0, i1])";
}

const std::string increment = "(x0: f32[1]) -> f32: lambda i0: x0[i0] + 1.0";

plan::Kernel bound(const std::string &lambda, bool library = true) {
  return emit::bind(*tdl::parseLambda(lambda), {4, 5, 6}, {{4, 6}, {6, 5}},
                    cpuAndGpu, library);
}

plan::Kernel bound(emit::KernelTable &table, const std::string &lambda) {
  return table.kernelOf(lambda, {4, 5, 6}, {{4, 6}, {6, 5}});
}

} // namespace

TEST_CASE("targets are processors or GPUs") {
  CHECK(plan::kindOf("x86-64-v3") == plan::TargetKind::Cpu);
  CHECK(plan::kindOf("sm_80") == plan::TargetKind::Cuda);
  CHECK(plan::kindOf("sm_90a") == plan::TargetKind::Cuda);
  CHECK(plan::kindOf("sm_") == plan::TargetKind::Cpu);
  CHECK(plan::kindOf("small") == plan::TargetKind::Cpu);
}

TEST_CASE("a matrix product is one whatever its elements") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> table = {
      {"f32", {}},
      {"f64", {"x86-64-v3"}},
      {"i32", {"x86-64-v3", "sm_80"}},
      {"u8", {"x86-64-v3", "sm_80"}}};
  for (const auto &[type, generated] : table) {
    INFO(type);
    const plan::Kernel kernel = bound(product(type));
    CHECK(kernel.kind == KernelKind::Contraction);
    CHECK(kernel.roles == "mnk");
    CHECK(kernel.generatedFor == generated);
  }
}

TEST_CASE("opaque functions are the interpreter's, on GPUs code's") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> table = {
      {"(x0: f32[2]) -> f32: lambda i0, i1: @topk_values(x0[i0, :], 2, 1)[i1]",
       {"sm_80"}},
      {"(x0: f32[2]) -> i64: lambda i0: @topk_indices(x0[i0, :], 2, 1)[0]",
       {"sm_80"}},
      {"(x0: f32[2]) -> i32: lambda i0, i1: @bits_i32(x0[i0, :])[i1]",
       {"sm_80"}},
      {"(x0: f32[3]) -> f32: lambda i0: @det(x0[i0, :, :])[]", {"sm_80"}}};
  for (const auto &[lambda, generated] : table) {
    INFO(lambda);
    const plan::Kernel kernel = bound(lambda);
    CHECK(kernel.kind == KernelKind::Reference);
    CHECK(kernel.generatedFor == generated);
  }
}

TEST_CASE("sums of 16-bit floats have a library") {
  for (const std::string type : {"f16", "bf16"}) {
    const plan::Kernel kernel =
        bound("(x0: " + type + "[2], x1: " + type +
              "[2]) -> f32: lambda i0, i1: Sum(lambda r0: f32(x0[i0, r0]) * "
              "f32(x1[r0, i1]))");
    INFO(kernel.lambda);
    CHECK(kernel.kind == KernelKind::Contraction);
    CHECK(kernel.generatedFor.empty());
  }
}

TEST_CASE("products whose matrices have no neighbours are generated for GPUs") {
  // The batch is the innermost dimension of all three.
  const auto generated = [](int64_t batch, int64_t n) {
    return emit::bind(*tdl::parseLambda(
                          "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: "
                          "Sum(lambda r0: x0[i0, r0, i2] * x1[r0, i1, i2])"),
                      {16, n, batch, 8}, {{16, 8, batch}, {8, n, batch}},
                      cpuAndGpu)
        .generatedFor;
  };
  const std::vector<std::string> gpu = {"sm_80"}, none;
  CHECK(generated(32, 16) == gpu);
  // Few calls, or a batch of one, are no reason to.
  CHECK(generated(32, 2) == none);
  CHECK(generated(1, 16) == none);
}

TEST_CASE("16-bit sums that are several products are generated for GPUs") {
  const auto generated = [](const std::string &result) {
    return emit::bind(*tdl::parseLambda(
                          "(x0: f16[3], x1: f16[3]) -> " + result +
                          ": lambda i0, i1: Sum(lambda r0, r1: " +
                          (result == "f32"
                               ? "f32(x0[r0, i0, r1]) * f32(x1[r0, r1, i1])"
                               : "x0[r0, i0, r1] * x1[r0, r1, i1]") +
                          ")"),
                      {4, 5, 3, 6}, {{3, 4, 6}, {3, 6, 5}}, cpuAndGpu)
        .generatedFor;
  };
  // Each call would round what it adds to.
  CHECK(generated("f16") == std::vector<std::string>{"sm_80"});
  CHECK(generated("f32").empty());
}

TEST_CASE("convolutions have a library on GPUs, which rounds their sums") {
  const auto generatedFor = [](const std::string &type,
                               const std::string &result) {
    const auto as = [&](const std::string &read) {
      return type == result ? "(" + read + ")" : result + "(" + read + ")";
    };
    const std::string lambda =
        "(x0: " + type + "[4], x1: " + type + "[4]) -> " + result +
        ": lambda i0, i1, i2, i3: Sum(lambda r0, r1, r2: " +
        as("x0[i0, r0, i2 + r1, i3 + r2]") + " * " + as("x1[i1, r0, r1, r2]") +
        ")";
    INFO(lambda);
    const plan::Kernel kernel =
        emit::bind(*tdl::parseLambda(lambda), {2, 4, 4, 4, 3, 3, 3},
                   {{2, 3, 6, 6}, {4, 3, 3, 3}}, cpuAndGpu);
    CHECK(kernel.kind == KernelKind::Convolution);
    return kernel.generatedFor;
  };
  using Targets = std::vector<std::string>;
  for (const std::string type : {"f32", "f16", "bf16"})
    CHECK(generatedFor(type, type) == Targets());
  for (const std::string type : {"f16", "bf16"})
    CHECK(generatedFor(type, "f32") == Targets{"sm_80"});
  CHECK(generatedFor("f64", "f64") == cpuAndGpu);
}

TEST_CASE("without libraries, all is generated") {
  const plan::Kernel kernel = bound(product("f32"), /*library=*/false);
  CHECK(kernel.kind == KernelKind::Generated);
  CHECK(kernel.generatedFor.empty());
}

TEST_CASE("each target's code has the functions that it needs") {
  emit::KernelTable table(cpuAndGpu);
  const std::string first = bound(table, product("i32")).symbol;
  CHECK(bound(table, product("f64")).symbol != first);
  CHECK(bound(table, increment).symbol != first);
  CHECK(bound(table, product("f32")).symbol.empty());
  REQUIRE(table.functions().size() == 3);
  CHECK(table.functions()[0].symbol == first);
  CHECK(table.functions()[0].targets == cpuAndGpu);
  CHECK(table.functions()[1].targets == std::vector<std::string>{"x86-64-v3"});
  CHECK(table.functions()[2].targets == cpuAndGpu);
  // The same code has the same name, whatever else a plan has.
  emit::KernelTable another(cpuAndGpu);
  CHECK(bound(another, increment).symbol == table.functions()[2].symbol);
  CHECK(bound(another, product("i32")).symbol == first);
  emit::KernelTable forProcessors({"x86-64-v3"});
  CHECK(bound(forProcessors, product("f32")).symbol.empty());
  CHECK(forProcessors.functions().empty());
}

TEST_CASE("the functions of a plan that is there are those of its table") {
  emit::KernelTable table(cpuAndGpu);
  plan::Plan plan;
  plan.code = {{"x86-64-v3", ""}, {"sm_80", ""}};
  const auto add = [&](plan::Partitioned &to, const std::string &lambda) {
    to.program.kernels.push_back(bound(table, lambda));
  };
  add(plan.unpartitioned, product("f64"));
  add(plan.unpartitioned, product("f32"));
  add(plan.unpartitioned, increment);
  add(plan.partitioned, increment);
  add(plan.partitioned, product("i64"));
  add(plan.partitioned, product("f64"));
  CHECK(table.functions().size() == 3);
  CHECK(emit::functionsOf(plan) == table.functions());
}
