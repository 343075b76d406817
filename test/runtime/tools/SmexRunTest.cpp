// smex-run and compare-npy as programs: what they print, write and return.
#include "dialects/support/File.h"
#include "dialects/support/Version.h"
#include "runtime/io/Npy.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Save.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>

using namespace smex;
using namespace smex::runtime;

namespace {
/// The product of splitProduct with b a parameter, on one worker.
plan::Partitioned wholeProduct() {
  ProgramBuilder b(1);
  const Box all{{0, 4}, {0, 4}};
  const int x = b.buffer(b.tensor("a", {4, 6}), {{{0, 4}, {0, 6}}});
  const int w = b.buffer(b.tensor("b", {6, 4}), {{{0, 6}, {0, 4}}});
  const int c = b.buffer(b.tensor("c", {4, 4}), {all});
  const int kernel =
      b.kernel(plan::KernelKind::Contraction,
               "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda "
               "r0: x0[i0, r0] * x1[r0, i1])",
               "mnk");
  b.compute("product", kernel, {x, w}, c, {{{0, 4}, {0, 4}, {0, 6}}});
  b.result.program.inputs = {{"a", x}};
  b.result.program.outputs = {{"c", c}, {"rows/out", c}};
  return b.result;
}

plan::Plan productPlan(bool drawn) {
  plan::Plan plan;
  plan.modelName = "product.onnx";
  plan.modelSha256 = std::string(64, '0');
  plan.partitioned = splitProduct();
  plan.unpartitioned = wholeProduct();
  for (plan::Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    part->program.inputs.resize(1);
    part->program.parameters = {{"b", 1, drawn, drawn ? 0.5 : 0}};
    for (plan::Instruction &what : part->program.instructions)
      if (what.op == plan::Opcode::Compute)
        what.reductions = {6};
  }
  plan.partitioned.program.outputs[1].name = "rows/out";
  plan.communicationBytes = 96;
  for (const plan::Worker &worker : plan.partitioned.workers)
    plan.peakBytes.push_back(worker.arenaBytes);
  plan.parameterBytes = 96;
  plan.search.algorithm = "recursive";
  plan::layoutWeights(plan.partitioned);
  return plan;
}

void writePlan(const plan::Plan &plan, const std::string &directory) {
  const Status saved = plan::save(plan, directory, [](int, const Box &box) {
    std::vector<std::byte> bytes(size_t(volume(box)) * 4);
    auto *to = reinterpret_cast<float *>(bytes.data());
    for (int64_t i = box[0].lo; i < box[0].hi; ++i)
      for (int64_t j = box[1].lo; j < box[1].hi; ++j)
        *to++ = float(4 * i + j - 10);
    return Result<std::vector<std::byte>>(bytes);
  });
  INFO((saved ? "" : saved.error().message));
  REQUIRE(saved);
}

struct Outcome {
  int status;
  std::string out, err;
};

Outcome call(const std::string &program, const std::string &arguments) {
  // Where Bazel puts the tools, or wherever the tester has them.
  const char *folder = std::getenv("SMEX_TOOLS");
  const std::string path = (folder ? folder : "tools") + ("/" + program);
  const int status =
      std::system((path + " " + arguments + " >out.txt 2>err.txt").c_str());
  return {WEXITSTATUS(status), *readFile("out.txt"), *readFile("err.txt")};
}
Outcome run(const std::string &arguments) {
  return call("smex-run", arguments);
}

bool exists(const std::string &path) { return std::filesystem::exists(path); }
} // namespace

TEST_CASE("a plan runs, is verified, and leaves what was asked for") {
  writePlan(productPlan(false), "plan");
  REQUIRE(io::writeNpy("a.npy", rampFeed({4, 6}).value));
  std::filesystem::remove_all("results");
  const Outcome outcome =
      run("plan --input a=a.npy --verify --steps 3 --threads 2 --output-dir "
          "results/here --metrics metrics.json --trace trace.json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out,
             Catch::StartsWith("product.onnx: ran on cpu as 2 workers, 3 steps "
                               "of ") &&
                 Catch::Contains("\ncommunication 96 B per step, peak 320 B "
                                 "per GPU\nverified: every output is bit-equal "
                                 "to the unpartitioned run's\nwrote ") &&
                 Catch::EndsWith("rows_out.npy\n"));
  const auto c = io::readNpy("results/here/c.npy");
  REQUIRE(c);
  float expected = 0;
  for (int k = 0; k < 6; ++k)
    expected +=
        rampFeed({4, 6}).value.data<float>()[6 + k] * float(4 * k + 2 - 10);
  CHECK(c->data<float>()[4 + 2] == expected);
  CHECK(exists("results/here/rows_out.npy"));

  const auto metrics = plan::parseJson(*readFile("metrics.json"));
  REQUIRE(metrics);
  CHECK((*metrics)["backend"] == "cpu");
  CHECK((*metrics)["communication_bytes"] == 96);
  CHECK((*metrics)["peak_bytes"].size() == 2);
  REQUIRE((*metrics)["received_bytes"].size() == 2);
  CHECK((*metrics)["received_bytes"][0].get<int>() +
            (*metrics)["received_bytes"][1].get<int>() ==
        96);
  CHECK((*metrics)["steps"].size() == 3);
  const auto trace = plan::parseJson(*readFile("trace.json"));
  REQUIRE(trace);
  CHECK((*trace)["traceEvents"].size() == 2 + 3 * (3 + 2));

  const Outcome same =
      call("compare-npy", "results/here/c.npy results/here/rows_out.npy");
  CHECK(same.status == 0);
  CHECK(same.out ==
        "results/here/c.npy and results/here/rows_out.npy agree: bit-equal\n");
  const Outcome differ = call("compare-npy", "results/here/c.npy a.npy");
  CHECK(differ.status == 3);
  CHECK(differ.out == "results/here/c.npy and a.npy differ: f32[4, 4], f32[4, "
                      "6] expected\n");
  CHECK(call("compare-npy", "a.npy").status == 2);
  CHECK(call("compare-npy", "a.npy no.npy").status == 1);
}

TEST_CASE("synthetic inputs and drawn parameters follow the seed") {
  writePlan(productPlan(true), "drawn");
  const auto result = [](const std::string &seed) {
    const Outcome outcome =
        run("drawn --verify --output-dir drawn_out --seed " + seed);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return io::readNpy("drawn_out/c.npy")->bytes;
  };
  const auto first = result("1");
  CHECK(first == result("1"));
  CHECK(first != result("2"));
}

TEST_CASE("what the plan predicted and what happened must agree") {
  plan::Plan plan = productPlan(false);
  plan.communicationBytes = 95;
  writePlan(plan, "wrong");
  std::filesystem::remove_all("wrong_out");
  const Outcome outcome = run("wrong --verify --output-dir wrong_out/a/b/");
  CHECK(outcome.status == 3);
  CHECK(outcome.err == "smex-run: error: communication: 96 bytes measured, 95 "
                       "predicted\n");
  CHECK_FALSE(exists("wrong_out")); // nothing is written of a failed run
}

TEST_CASE("every fault has its exit status and names what is at fault") {
  writePlan(productPlan(false), "plan");
  const auto check = [](const std::string &arguments, int status,
                        const std::string &message) {
    const Outcome outcome = run(arguments);
    INFO(arguments << ": " << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Catch::StartsWith("smex-run: error: ") &&
                                Catch::Contains(message));
  };
  check("", 2, "DIR");
  check("plan --backend tpu", 2, "--backend");
  check("plan --steps 0", 2, "--steps");
  check("plan --threads 0", 2, "--threads");
  check("plan --input a", 2, "NAME=FILE");
  check("plan --no-such-flag", 2, "--no-such-flag");
  check("no/such/plan", 1, "no/such/plan");
  check("plan --input b=x.npy", 1, "no such input");
  check("plan --input a=missing.npy", 1, "missing.npy: cannot open");
  check("plan --backend cuda", 4, "CUDA driver");
  // Before the run: it prints what it measured.
  REQUIRE(writeFile("file", "data"));
  check("plan --output-dir file", 1, "file: exists and is not a folder");
  check("plan --output-dir file/inside", 4, "file/inside: cannot create");
  for (const char *folder : {"/proc/x", "/proc/x/y", "/proc"}) {
    check("plan --output-dir " + std::string(folder), 4, folder);
    CHECK(readFile("out.txt")->empty());
  }
  CHECK(run("--version").out == versionText + std::string("\n"));
  CHECK_THAT(run("--help").out, Catch::Contains("--verify"));
}

TEST_CASE("a plan that was tampered with is refused") {
  writePlan(productPlan(false), "plan");
  for (const char *name : {"gpu0.weights", "program.json", "plan.json"}) {
    const std::string path = std::string("plan/") + name;
    const std::string good = *readFile(path);
    std::string bad = good;
    bad[bad.size() / 2] ^= 1;
    REQUIRE(writeFile(path, bad));
    const Outcome outcome = run("plan");
    INFO(name << ": " << outcome.err);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err, Catch::Contains(name));
    REQUIRE(writeFile(path, good));
  }
  CHECK(run("plan").status == 0);
}
