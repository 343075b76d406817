// What is said of a launch of parts, which is made before the kernel's own, is
// checked when a plan is loaded: its memory, its entry, its variables.
#include "compiler/memory/Passes.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Load.h"
#include "test/conformance/Divided.h"
#include "test/conformance/WrittenPlan.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::conformance;

namespace {

constexpr const char *program = R"mlir(
tdl.lambda @rows = "(x: f32[2], row: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] where row[v] <= e and e < row[v + 1])"

exec.program @partitioned ways [2] {
  %x = exec.buffer input "x" : tensor<40000x3xf32> #smex.division<whole>
  %row = exec.buffer input "row" : tensor<9xi64> #smex.division<whole>
  %y = exec.buffer temporary "y" : tensor<8x3xf32> #smex.division<part 0>
  exec.compute @rows(%x, %row) to %y extents [8, 3, 40000] indices #smex.division<part 0> {node = "sum"}
  exec.output "y" %y
}
)mlir";

plan::Plan planOfRows(mlir::MLIRContext &context, bool kernelsOnGpus) {
  auto plan = planOf(context, program, {"sm_80"}, /*library=*/false,
                     [&](mlir::OpPassManager &perProgram) {
                       memory::PlanMemoryOptions options;
                       options.kernelsOnGpus = kernelsOnGpus;
                       perProgram.addPass(memory::createPlanMemory(options));
                       perProgram.addPass(memory::createInsertWaits());
                     });
  if (!plan)
    FAIL(plan.error().message);
  return std::move(*plan);
}

std::string said(const plan::Plan &plan) {
  const Status valid = plan::validate(plan);
  return valid ? "" : valid.error().message;
}

} // namespace

TEST_CASE("a launch of parts is what its kernel and its memory are for") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  const plan::Plan plan = planOfRows(context, /*kernelsOnGpus=*/true);
  REQUIRE(said(plan) == "");
  const std::string symbol = plan.code[0].launches.begin()->first;
  const plan::Launch &launch = plan.code[0].launches.begin()->second;
  CHECK(launch.parts.along == 2);
  CHECK(launch.parts.size == 16384);
  CHECK(launch.parts.least == 32768);
  CHECK((launch.parts.columns == std::vector<int>{1}));
  // Two parts in each of three stretches: 8 bytes, and 8 for each column.
  CHECK(plan.partitioned.workers[0].workspaceBytes == 2 * 3 * (8 + 3 * 8));

  // As a file says it.
  const plan::Json json = plan::launchesToJson(plan.code[0].launches);
  CHECK(
      json["launches"][0]["parts"] ==
      plan::Json(
          {{"along", 2}, {"columns", {1}}, {"least", 32768}, {"size", 16384}}));

  const auto changed = [&](const std::function<void(plan::Launch &)> &change) {
    plan::Plan other = plan;
    change(other.code[0].launches.begin()->second);
    return said(other);
  };
  const std::string at = "launches: \"" + symbol + "\": ";
  CHECK_THAT(changed([](auto &launch) { launch.parts.along = 0; }),
             Catch::Contains(at + "index variable 0 is the result's, where a "
                                  "reduction's are wanted"));
  CHECK_THAT(changed([](auto &launch) { launch.parts.columns = {1, 1}; }),
             Catch::Contains(at + "index variable 1 is there twice"));
  CHECK_THAT(changed([](auto &launch) { launch.parts.columns = {2}; }),
             Catch::Contains(at + "index variable 2 is a reduction's"));
  CHECK_THAT(changed([](auto &launch) { launch.parts.columns = {1, 7}; }),
             Catch::Contains(at + "is of a lambda that has no index variable "
                                  "7"));
  CHECK_THAT(
      changed([](auto &launch) { launch.scratch.bytes = 8; }),
      Catch::Contains(at + "has both parts and scratch, and one pointer"));
  CHECK_THAT(changed([](auto &launch) { launch.parts = {}; }),
             Catch::Contains(at + "has 23 parameters in kernels.sm_80.ptx, and "
                                  "22 arguments"));
  // Twice as many parts.
  CHECK_THAT(changed([](auto &launch) { launch.parts.size = 8192; }),
             Catch::Contains(at + "takes 320 bytes of scratch memory for "
                                  "instruction 0 of gpu0.json, whose workspace "
                                  "has 192"));
  CHECK(changed([](auto &launch) { launch.parts.least = 50000; }) == "");

  // An entry that is not there, and one of other threads.
  const auto withText = [&](const std::string &what,
                            const std::string &instead) {
    plan::Plan other = plan;
    std::string &text = other.code[0].bytes;
    const size_t entry = text.find(".entry " + symbol + "_parts(");
    REQUIRE(entry != std::string::npos);
    const size_t place = text.find(what, entry);
    REQUIRE(place != std::string::npos);
    text.replace(place, what.size(), instead);
    return said(other);
  };
  const std::string parts = at + "\"" + symbol + "_parts\" ";
  CHECK_THAT(withText("_parts(", "_others("),
             Catch::Contains(parts + "is no kernel of kernels.sm_80.ptx"));
  CHECK_THAT(withText(".reqntid 1024", ".reqntid 512"),
             Catch::Contains(parts + "threads is 1024, but kernels.sm_80.ptx "
                                     "demands others"));
  CHECK_THAT(withText(".param .u64", ".param .u32"),
             Catch::Contains(parts + "has parameters in kernels.sm_80.ptx that "
                                     "are not of 8 bytes"));

  // Memory that nobody has planned.
  CHECK_THAT(said(planOfRows(context, /*kernelsOnGpus=*/false)),
             Catch::Contains("takes 192 bytes of scratch memory for "
                             "instruction 0 of gpu0.json, whose workspace has "
                             "0"));
}
