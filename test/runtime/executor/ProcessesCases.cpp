// A plan's workers in several processes, whatever the transport is between
// them: what each case needs of it is Processes.h.
#include "test/runtime/executor/Processes.h"

#include "runtime/executor/Snapshot.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::runtime;

namespace {
const NumberParameters noParameters(0);

/// Each pair of backends, with three steps to do.
std::vector<Member> pairOf(const std::vector<int> &first,
                           const std::vector<int> &second) {
  const std::string one = GENERATE(as<std::string>(), "cpu", "reference");
  const std::string other = GENERATE(as<std::string>(), "cpu", "reference");
  RunOptions options;
  options.steps = 3;
  return {{one, first, options}, {other, second, options}};
}

RunResult alone(const plan::Partitioned &program,
                const std::vector<Feed> &feeds, const RunOptions &options,
                const ParameterSource &parameters = noParameters) {
  auto backend = makeBackend("cpu");
  REQUIRE(backend);
  auto result = execute(program, {}, **backend, parameters, feeds, options);
  REQUIRE(result);
  return std::move(*result);
}

void checkSame(const Result<RunResult> &part, const RunResult &whole) {
  INFO((part ? "" : part.error().message));
  REQUIRE(part);
  REQUIRE(part->outputs.size() == whole.outputs.size());
  for (size_t o = 0; o < whole.outputs.size(); ++o)
    CHECK(part->outputs[o].bytes == whole.outputs[o].bytes);
  CHECK(part->losses == whole.losses);
  CHECK(part->receivedBytes == whole.receivedBytes);
  CHECK(part->communicationBytes == whole.communicationBytes);
  CHECK(part->peakBytes == whole.peakBytes);
  CHECK(part->scatteredBytes == whole.scatteredBytes);
  CHECK(part->gatheredBytes == whole.gatheredBytes);
  CHECK(part->seconds.size() == whole.seconds.size());
}

/// y = x + w, by rows on three workers; w takes y after each step. The sum of
/// y, of which each worker adds up its own part, is the loss.
plan::Partitioned counting() {
  ProgramBuilder b(3);
  const std::vector<Box> rows = {
      {{0, 1}, {0, 3}}, {{1, 4}, {0, 3}}, {{4, 4}, {0, 3}}};
  const int w = b.buffer(b.tensor("w", {4, 3}), rows);
  const int x = b.buffer(b.tensor("x", {4, 3}), rows);
  const int y = b.buffer(b.tensor("y", {4, 3}), rows);
  const int loss = b.tensor("loss", {});
  const std::vector<Box> points(3);
  const int terms = b.buffer(loss, points, true);
  const int sum = b.buffer(loss, points);
  const int add = b.kernel(plan::KernelKind::Reference,
                           "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
                           "x0[i0, i1] + x1[i0, i1]");
  const int total = b.kernel(plan::KernelKind::Reference,
                             "(x0: f32[2]) -> f32: lambda: Sum(lambda r0, r1: "
                             "x0[r0, r1])");
  b.compute("add", add, {w, x}, y, rows);
  b.compute("total", total, {y}, terms, rows);
  b.result.program.instructions.back().reductions = {4, 3};
  const std::vector<Piece> both = {{0, {}}, {1, {}}};
  b.move("total", plan::Opcode::Reduce, terms, sum, {both, both, both},
         {plan::ofAll(1)});
  plan::Program &program = b.result.program;
  program.inputs = {{"x", x}};
  program.outputs = {{"y", y}, {"loss", sum}};
  program.outputs[1].loss = true;
  program.parameters = {{"w", w}};
  program.parameters[0].next = y;
  return b.result;
}
} // namespace

TEST_CASE("two processes do together what one does") {
  const plan::Partitioned program = splitProduct();
  const std::vector<Feed> feeds = {rampFeed({3, 4, 6}, true), rampFeed({6, 4})};
  const std::vector<Member> parts = pairOf({0}, {1});
  const RunResult whole = alone(program, feeds, parts[0].options);
  for (const auto &[number, part] : run(program, feeds, parts, noParameters))
    checkSame(part, whole);
}

TEST_CASE("losses, and outputs that feed inputs, are every process' own") {
  const plan::Partitioned program = counting();
  const std::vector<Feed> feeds = {rampFeed({4, 3})};
  const NumberParameters parameters(3);
  std::vector<Member> parts = pairOf({0, 2}, {1});
  for (Member &part : parts)
    part.options.next = {{0, 0}};
  const RunResult whole = alone(program, feeds, parts[0].options, parameters);
  CHECK(whole.losses.size() == 3);
  for (const auto &[number, part] : run(program, feeds, parts, parameters))
    checkSame(part, whole);
}

TEST_CASE("parameters come whole to every process") {
  class Kept : public ParameterSink {
  public:
    bool wants(int completed) const override { return completed != 1; }
    Status begin(int completed) override {
      log.push_back(completed);
      values.assign(12, 0.f);
      return {};
    }
    std::byte *place(int) override {
      return reinterpret_cast<std::byte *>(values.data());
    }
    Status commit() override {
      all.push_back(values);
      return {};
    }
    std::vector<int> log;
    std::vector<float> values;
    std::vector<std::vector<float>> all;
  };
  const plan::Partitioned program = counting();
  const std::vector<Feed> feeds = {rampFeed({4, 3})};
  const NumberParameters parameters(3);
  std::vector<Member> parts = pairOf({0, 2}, {1});
  Kept kept[3];
  RunOptions options = parts[0].options;
  options.sinks = {&kept[2]};
  alone(program, feeds, options, parameters);
  for (size_t p = 0; p < 2; ++p)
    parts[p].options.sinks = {&kept[p]};
  const Results results = run(program, feeds, parts, parameters);
  for (const auto &[number, part] : results)
    REQUIRE(part);
  CHECK(kept[2].log == std::vector<int>{2, 3});
  CHECK(kept[2].all[1][0] == 3 * feeds[0].value.data<float>()[0]);
  for (const auto &[number, part] : results) {
    CHECK(kept[number].log == kept[2].log);
    CHECK(kept[number].all == kept[2].all);
  }
}

TEST_CASE("an error in one process stops the other, which knows why") {
  class Failing : public ParameterSource {
    Status fill(int worker, int, std::byte *) const override {
      return worker == 1 ? Status(fail("no such weights")) : Status();
    }
  };
  for (const auto &[number, part] :
       run(counting(), {rampFeed({4, 3})}, pairOf({0, 2}, {1}), Failing())) {
    REQUIRE_FALSE(part);
    CHECK(part.error().message == "worker 1: no such weights");
  }
  plan::Partitioned large = counting();
  large.workers[1].arenaBytes = int64_t(1) << 47;
  for (const auto &[number, part] :
       run(large, {rampFeed({4, 3})}, pairOf({0, 2}, {1}), noParameters)) {
    REQUIRE_FALSE(part);
    CHECK(part.error().fault == Fault::Environment);
  }
}
