#include "runtime/plan/Load.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace smex;
using namespace smex::plan;

TEST_CASE("saved plans are as their schemas say") {
  REQUIRE(std::system("/usr/bin/python3 -c 'import jsonschema'") == 0);
  const TemporaryFolder folder;
  const Plan two = twoWorkers();
  REQUIRE(save(two, folder / "two", countingWeights(two)));
  CHECK(isAsSchemasSay(folder / "two"));
  Plan onMachine = two;
  onMachine.machine = MachineInfo{"two", {{2, 1000, 256}}};
  REQUIRE(save(onMachine, folder / "machine", countingWeights(two)));
  CHECK(isAsSchemasSay(folder / "machine"));
  const auto again = load(folder / "machine");
  REQUIRE(again);
  REQUIRE(again->machine);
  CHECK(again->machine->name == "two");
  REQUIRE(again->machine->links.size() == 1);
  CHECK(again->machine->links[0].bytes == 256);
  Launch launch;
  launch.item = {{{0}, 64}, {{1}, 4}};
  launch.inMemory = true;
  launch.scratch = {8, {{0, 1}, {1, 0}}};
  const Plan many = onGpus(launch, 100);
  REQUIRE(save(many, folder / "gpus", countingWeights(many)));
  CHECK(isAsSchemasSay(folder / "gpus"));
  const Plan divided = twoDivided();
  REQUIRE(save(divided, folder / "divided", countingWeights(divided)));
  CHECK(isAsSchemasSay(folder / "divided"));
  REQUIRE(save(manyInstructions(3, 2), folder / "three"));
  CHECK(isAsSchemasSay(folder / "three"));

  Plan every = manyInstructions(1, 1);
  Kernel convolution;
  convolution.kind = KernelKind::Convolution;
  convolution.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda "
      "r0, r1: x0[i0, r0, i2 + r1] * x1[i1, r0, r1])";
  convolution.convolution = {{1}, {1}, {0}, 1};
  Kernel byData = convolution;
  byData.kind = KernelKind::ConvolutionData;
  byData.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda "
      "r0, r1: (x0[i0, r0, i2 - r1] else 0.0) * x1[r0, i1, r1])";
  byData.roles = "n c x0 m k0";
  Kernel byFilter = convolution;
  byFilter.kind = KernelKind::ConvolutionFilter;
  byFilter.lambda =
      "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: Sum(lambda "
      "r0, r1: x0[r0, i1, i2 + r1] * x1[r0, i0, r1])";
  byFilter.convolution.gradient = 1;
  byFilter.roles = "m c k0 n o0";
  Kernel reference = every.partitioned.program.kernels[0];
  reference.kind = KernelKind::Reference;
  every.partitioned.program.kernels.push_back(convolution);
  every.partitioned.program.kernels.push_back(byData);
  every.partitioned.program.kernels.push_back(byFilter);
  every.partitioned.program.kernels.push_back(reference);
  REQUIRE(save(every, folder / "every"));
  CHECK(isAsSchemasSay(folder / "every"));
  const auto loaded = load(folder / "every");
  REQUIRE(loaded);
  const std::vector<Kernel> &kernels = loaded->partitioned.program.kernels;
  REQUIRE(kernels.size() == every.partitioned.program.kernels.size());
  for (size_t k = 0; k < kernels.size(); ++k) {
    const Kernel &saved = every.partitioned.program.kernels[k];
    CHECK(kernels[k].kind == saved.kind);
    CHECK(kernels[k].convolution.gradient == saved.convolution.gradient);
    CHECK(kernels[k].convolution.strides == saved.convolution.strides);
  }
  const std::vector<Kernel> wrong = {byData, byFilter};
  for (Kernel kernel : wrong)
    for (const char *roles :
         {"", "n c x0 m", "n c x0 m k1", "n c x0 m m", "m c k0 o0 o0",
          "m c k0 n k0", "n c x0 m x0", "c n x0 m k0", "n c x0 m k0 o0"}) {
      Plan plan = every;
      kernel.roles = roles;
      plan.partitioned.program.kernels.push_back(kernel);
      INFO(roles);
      CHECK_FALSE(validate(plan));
    }
}

TEST_CASE("the schemas refuse what is no plan") {
  const TemporaryFolder folder;
  const Plan two = twoWorkers();
  REQUIRE(save(two, folder / "plan", countingWeights(two)));
  const auto refused = [&](const char *file, const char *pointer,
                           const Json &value) {
    const std::string before =
        slurp(folder / "plan" + ("/" + std::string(file)));
    edit(folder / "plan", file, pointer, value);
    const bool passes = isAsSchemasSay(folder / "plan");
    spit(folder / "plan" + ("/" + std::string(file)), before);
    return !passes;
  };
  CHECK(refused("plan.json", "/gpus", 0));
  CHECK(refused("plan.json", "/extra", 0));
  CHECK(refused("program.json", "/instructions/0/op", "fetch"));
  CHECK(refused("program.json", "/kernels/0/symbol", "x"));
  CHECK(refused("program.json", "/regions/0",
                {{"division", {"half"}}, {"extents", {4, 6}}}));
  CHECK(refused("program.json", "/instructions/1/waits/0", Json::array()));
  CHECK(refused("gpu1.json", "/offsets/0", 32));
  CHECK(refused("gpu1.json", "/boxes/0/0", {1}));
}

TEST_CASE("of what all steps were decided together is kept") {
  Plan plan = twoWorkers();
  for (const std::string of : {"graph", "coarsened", ""}) {
    plan.search.allStepsTogether = of;
    CHECK(readBack(plan).search.allStepsTogether == of);
  }
}
