#include "test/runtime/executor/Programs.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::runtime;

namespace {
const char *const copyLambda = "(x0: f32[1]) -> f32: lambda i0: x0[i0]";
const NumberParameters noParameters(0);

/// The conformance suite: what holds of every backend.
#define EACH_BACKEND GENERATE(as<std::string>(), "cpu", "reference")

Result<RunResult> run(const std::string &device,
                      const plan::Partitioned &program,
                      const std::vector<Feed> &feeds, RunOptions options = {},
                      const ParameterSource &parameters = noParameters) {
  INFO(device);
  auto backend = makeBackend(device);
  REQUIRE(backend);
  return execute(program, {}, **backend, parameters, feeds, options);
}

RunResult good(Result<RunResult> result) {
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  return std::move(*result);
}

/// a b, for step `step` of feeds.
std::vector<float> product(const Feed &a, const Feed &b, int step) {
  const auto left = a.at(step, 96), right = b.at(step, 96);
  REQUIRE((left && right));
  const auto *x = reinterpret_cast<const float *>(left->get());
  const auto *y = reinterpret_cast<const float *>(right->get());
  std::vector<float> c(16, 0.f);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 6; ++k)
        c[size_t(4 * i + j)] += x[6 * i + k] * y[4 * k + j];
  return c;
}

std::vector<float> floats(const Tensor &tensor) {
  return {tensor.data<float>(),
          tensor.data<float>() + tensor.bytes.size() / sizeof(float)};
}
} // namespace

TEST_CASE("a product whose sum is split gives the product") {
  const std::string device = EACH_BACKEND;
  const plan::Partitioned program = splitProduct();
  const std::vector<Feed> feeds = {rampFeed({4, 6}), rampFeed({6, 4})};
  const RunResult result = good(run(device, program, feeds));
  CHECK(floats(result.outputs[0]) == product(feeds[0], feeds[1], 0));
  CHECK(floats(result.outputs[1]) == product(feeds[0], feeds[1], 0));
  // Each worker reads half of the other's partial result, and worker 0 the
  // other's rows: 3 times 2 x 4 floats.
  CHECK(result.communicationBytes == 3 * 2 * 4 * 4);
  CHECK(result.peakBytes ==
        std::vector<int64_t>{program.workers[0].arenaBytes,
                             program.workers[1].arenaBytes});
  CHECK(result.scatteredBytes == 2 * 4 * 6 * 4);
  CHECK(result.gatheredBytes == 2 * 4 * 4 * 4);
  CHECK(result.seconds.size() == 1);
  CHECK(result.trace.empty());
}

TEST_CASE("one batch per step") {
  const std::string device = EACH_BACKEND;
  const std::vector<Feed> feeds = {rampFeed({5, 4, 6}, true), rampFeed({6, 4})};
  RunOptions options;
  options.steps = 5;
  options.device.trace = true;
  const RunResult result = good(run(device, splitProduct(), feeds, options));
  CHECK(floats(result.outputs[0]) == product(feeds[0], feeds[1], 4));
  CHECK(result.seconds.size() == 5);
  CHECK(result.communicationBytes == 96); // of one step
  CHECK(result.trace.size() ==
        5 * (3 + 2)); // worker 1 has no part in the gathering
  for (const TraceEvent &event : result.trace)
    CHECK((event.start >= 0 && event.seconds >= 0));
}

TEST_CASE("what crosses workers at every step arrives in order") {
  const std::string device = EACH_BACKEND;
  // A value goes round a ring of workers, `rounds` times per step, through two
  // buffers that take turns.
  constexpr int workers = 4, rounds = 100;
  ProgramBuilder b(workers);
  const int x = b.tensor("x", {workers});
  std::vector<Box> own;
  for (int w = 0; w < workers; ++w)
    own.push_back({{w, w + 1}});
  const int start = b.buffer(x, own);
  // Worker w's buffer of round t holds element (w + t) mod workers.
  const auto boxes = [&](int t) {
    std::vector<Box> list;
    for (int w = 0; w < workers; ++w)
      list.push_back(own[size_t((w + t) % workers)]);
    return list;
  };
  int from = start;
  for (int t = 0; t < rounds; ++t) {
    const int to = b.buffer(x, boxes(t + 1));
    std::vector<std::vector<Piece>> pieces;
    std::vector<Wait> waits;
    if (t > 0)
      waits = {plan::ofAll(t - 1)};
    for (int w = 0; w < workers; ++w) {
      const int next = (w + 1) % workers;
      pieces.push_back({{next, boxes(t + 1)[size_t(w)]}});
    }
    b.move("ring", plan::Opcode::Fetch, from, to, pieces, waits);
    from = to;
  }
  b.result.program.inputs = {{"x", start}};
  b.result.program.outputs = {{"x", from}};
  RunOptions options;
  options.steps = 50;
  const Feed feed = rampFeed({50, workers}, true);
  const RunResult result = good(run(device, b.result, {feed}, options));
  for (int w = 0; w < workers; ++w)
    CHECK(result.outputs[0].data<float>()[w] ==
          feed.value.data<float>()[49 * workers + w]);
  CHECK(result.communicationBytes == workers * rounds * 4);
}

TEST_CASE("an error in one worker stops all, and is named") {
  const std::string device = EACH_BACKEND;
  ProgramBuilder b(3);
  const int x = b.tensor("x", {3});
  const Box first{{0, 1}}, all{{0, 3}}, none{{0, 0}};
  const int in = b.buffer(x, {first, first, first});
  const int out = b.buffer(x, {all, all, all});
  const int done = b.buffer(x, {all, all, all});
  // Worker 1 computes more than its operand holds.
  const int kernel = b.kernel(plan::KernelKind::Reference, copyLambda);
  b.compute("copy", kernel, {in}, out, {first, all, none});
  b.move("fetch", plan::Opcode::Fetch, out, done,
         {{{1, all}}, {{1, all}}, {{1, all}}}, {plan::ofAll(0)});
  b.result.program.inputs = {{"x", in}};
  b.result.program.outputs = {{"y", done}};
  const auto result = run(device, b.result, {rampFeed({3})});
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().message,
             Catch::StartsWith("worker 1: node \"copy\": "));
}

TEST_CASE("an error before the first step stops all as well") {
  const std::string device = EACH_BACKEND;
  class Failing : public ParameterSource {
    Status fill(int worker, int, std::byte *) const override {
      return worker == 1 ? Status(fail("no such weights")) : Status();
    }
  };
  ProgramBuilder b(2);
  const int x = b.buffer(b.tensor("x", {2}), {{{0, 1}}, {{1, 2}}});
  b.result.program.parameters = {{"x", x, false, 0}};
  b.result.program.outputs = {{"x", x}};
  const auto result = run(device, b.result, {}, {}, Failing());
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "worker 1: no such weights");
}

TEST_CASE("kernels that are not there are errors") {
  ProgramBuilder b(1);
  const int x = b.buffer(b.tensor("x", {2}), {{{0, 2}}});
  const int y = b.buffer(b.tensor("y", {2}), {{{0, 2}}});
  const int kernel = b.kernel(plan::KernelKind::Generated, copyLambda);
  b.result.program.kernels[0].symbol = "kernel_0";
  b.compute("copy", kernel, {x}, y, {{{0, 2}}});
  b.result.program.inputs = {{"x", x}};
  b.result.program.outputs = {{"y", y}};
  const auto result = run("cpu", b.result, {rampFeed({2})});
  REQUIRE_FALSE(result);
  CHECK(result.error().message ==
        "node \"copy\": the plan has no function \"kernel_0\"");

  auto backend = makeBackend("cpu");
  const auto garbage = execute(b.result, {{"x86-64", "not an object"}},
                               **backend, noParameters, {rampFeed({2})}, {});
  REQUIRE_FALSE(garbage);
  CHECK_THAT(garbage.error().message, Catch::Contains("cannot be loaded"));
}

TEST_CASE("a plan larger than the machine is refused before it is touched") {
  const std::string device = EACH_BACKEND;
  ProgramBuilder b(2);
  const int x = b.buffer(b.tensor("x", {2}), {{{0, 1}}, {{1, 2}}});
  b.result.program.outputs = {{"x", x}};
  b.result.workers[1].arenaBytes = int64_t(1) << 47;
  const auto result = run(device, b.result, {});
  REQUIRE_FALSE(result);
  CHECK(result.error().fault == Fault::Environment);
  CHECK_THAT(result.error().message,
             Catch::Contains("134217729 MiB of memory for 2 workers"));
}

TEST_CASE("outputs that nobody holds are refused") {
  const std::string device = EACH_BACKEND;
  ProgramBuilder b(2);
  const int x = b.buffer(b.tensor("x", {3}), {{{0, 1}}, {{2, 3}}});
  b.result.program.inputs = {{"x", x}};
  b.result.program.outputs = {{"x", x}};
  const auto result = run(device, b.result, {rampFeed({3})});
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "output \"x\": no worker has [1:2]");
}

TEST_CASE("workers without a share, and scalars") {
  const std::string device = EACH_BACKEND;
  // A sum of three elements on four workers, one of which has none.
  ProgramBuilder b(4);
  const int x = b.tensor("x", {3}), s = b.tensor("s", {});
  std::vector<Box> parts;
  for (int w = 0; w < 4; ++w)
    parts.push_back({cut({0, 3}, 4, w)});
  const int in = b.buffer(x, parts);
  const int partial = b.buffer(s, {{}, {}, {}, {}}, true);
  const int sum = b.buffer(s, {{}, {}, {}, {}});
  const int kernel =
      b.kernel(plan::KernelKind::Reference,
               "(x0: f32[1]) -> f32: lambda: Sum(lambda r0: x0[r0])");
  b.compute("sum", kernel, {in}, partial, parts);
  b.result.program.instructions.back().reductions = {3};
  std::vector<Piece> pieces;
  for (int w = 0; w < 4; ++w)
    if (!isEmpty(parts[size_t(w)]))
      pieces.push_back({w, {}});
  b.move("sum", plan::Opcode::Reduce, partial, sum,
         {pieces, pieces, pieces, pieces}, {plan::ofAll(0)});
  b.result.program.inputs = {{"x", in}};
  b.result.program.outputs = {{"s", sum}};
  const RunResult result = good(run(device, b.result, {rampFeed({3})}));
  CHECK(result.outputs[0].data<float>()[0] == -6 - 5 - 4);
}

TEST_CASE("parameters are loaded once and stay") {
  const std::string device = EACH_BACKEND;
  ProgramBuilder b(2);
  const int w = b.buffer(b.tensor("w", {4}), {{{0, 2}}, {{2, 4}}});
  b.result.program.parameters = {{"w", w, false, 0}};
  b.result.program.outputs = {{"w", w}};
  RunOptions options;
  options.steps = 3;
  const NumberParameters parameters(2);
  const RunResult result = good(run(device, b.result, {}, options, parameters));
  CHECK(floats(result.outputs[0]) == std::vector<float>{0, 0, 1, 1});
}

TEST_CASE("without copies nothing crosses workers") {
  const std::string device = EACH_BACKEND;
  RunOptions options;
  options.steps = 2;
  options.skipCopies = true;
  const RunResult result = good(run(
      device, splitProduct(), {rampFeed({4, 6}), rampFeed({6, 4})}, options));
  CHECK(result.communicationBytes == 0);
  CHECK(result.seconds.size() == 2);
}

TEST_CASE("progress is told after each step") {
  const std::string device = EACH_BACKEND;
  RunOptions options;
  options.steps = 3;
  std::vector<int> completed;
  options.progress = [&](const Progress &progress) {
    completed.push_back(progress.completed);
    CHECK((progress.seconds >= 0 && !progress.loss));
  };
  good(run(device, splitProduct(), {rampFeed({4, 6}), rampFeed({6, 4})},
           options));
  CHECK(completed == std::vector<int>{1, 2, 3});
}

TEST_CASE("who looks at each step may end the run") {
  const std::string device = EACH_BACKEND;
  const std::vector<Feed> feeds = {rampFeed({4, 6}), rampFeed({6, 4})};
  RunOptions options;
  options.steps = 5;
  options.device.trace = options.device.oneAtATime = true;
  options.keepTrace = GENERATE(true, false);
  std::vector<int> seen;
  options.stepped = [&](int completed, const std::vector<TraceEvent> &step) {
    seen.push_back(completed);
    CHECK(step.size() == 3 + 2); // worker 1 has no part in the gathering
    return completed == 3;
  };
  const RunResult result = good(run(device, splitProduct(), feeds, options));
  CHECK(seen == std::vector<int>{1, 2, 3});
  CHECK(result.seconds.size() == 3);
  CHECK(result.trace.size() == (options.keepTrace ? 3 * 5u : 0u));
}

TEST_CASE("a run may begin in the middle") {
  const std::string device = EACH_BACKEND;
  const std::vector<Feed> feeds = {rampFeed({5, 4, 6}, true), rampFeed({6, 4})};
  RunOptions options;
  options.firstStep = 3;
  options.steps = 4;
  const RunResult result = good(run(device, splitProduct(), feeds, options));
  CHECK(floats(result.outputs[0]) == product(feeds[0], feeds[1], 3));
  CHECK(result.seconds.size() == 1);
  CHECK(result.communicationBytes == 96);
  options.steps = 3; // and be over at once
  CHECK(good(run(device, splitProduct(), feeds, options)).seconds.empty());
}

TEST_CASE("a parameter on the host takes its next value there") {
  const std::string device = EACH_BACKEND;
  const bool inPlace = GENERATE(true, false);
  plan::Plan plan = plan::offloadedParameter(inPlace);
  const Feed x = rampFeed({64});
  struct Sink : ParameterSink {
    bool wants(int completed) const override { return completed == 3; }
    Status begin(int) override { return {}; }
    std::byte *place(int) override {
      return reinterpret_cast<std::byte *>(values.data());
    }
    Status commit() override { return {}; }
    std::vector<float> values = std::vector<float>(64);
  } sink;
  RunOptions options;
  options.steps = 3;
  options.sinks = {&sink};
  const RunResult result = good(run(device, plan.partitioned, {x}, options));
  for (size_t i = 0; i < 64; ++i)
    REQUIRE(sink.values[i] == 3 * x.value.data<float>()[i]);
  CHECK(result.peakBytes == std::vector<int64_t>{768, 768});
  CHECK(result.hostTraffic == plan::HostTraffic{512, 512});
}

TEST_CASE("what is on the host comes back") {
  const std::string device = EACH_BACKEND;
  plan::Plan plan = plan::offloaded();
  const Feed x = rampFeed({64});
  RunOptions options;
  options.steps = 4;
  const auto isRight = [&](const RunResult &result) {
    for (int i = 0; i < 64; ++i)
      if (result.outputs[0].data<float>()[i] != x.value.data<float>()[i] - 1)
        return false;
    return true;
  };
  const RunResult result = good(run(device, plan.partitioned, {x}, options));
  CHECK(isRight(result));
  CHECK(result.peakBytes == std::vector<int64_t>{512, 512});
  CHECK(result.communicationBytes == 0);
  if (device != "reference")
    return;
  // Six queues have something to do: each comes last once.
  for (size_t i = 1; i < 5; ++i) {
    plan::Plan broken = plan;
    broken.partitioned.program.instructions[i].waits.clear();
    bool isShown = false;
    for (options.device.seed = 0; options.device.seed < 6;
         ++options.device.seed) {
      const auto wrong = run(device, broken.partitioned, {x}, options);
      isShown = isShown || !wrong || !isRight(*wrong);
    }
    CAPTURE(i);
    CHECK(isShown);
  }
}

TEST_CASE("of remote neighbours, those rows come that are read") {
  const std::string device = EACH_BACKEND;
  class Lists : public ParameterSource {
    Status fill(int, int parameter, std::byte *to) const override {
      const auto &list = plan::neighbourLists()[size_t(parameter)];
      std::memcpy(to, list.data(), list.size() * sizeof(int32_t));
      return {};
    }
  };
  const plan::Plan plan = plan::neighbours();
  const Feed feed = rampFeed({6, 4});
  const RunResult result =
      good(run(device, plan.partitioned, {feed}, {}, Lists()));
  const auto batch = feed.at(0, 96);
  REQUIRE(batch);
  const auto *x = reinterpret_cast<const float *>(batch->get());
  std::vector<float> y(24, 0.f);
  const auto &sources = plan::neighbourLists()[0],
             &offsets = plan::neighbourLists()[1];
  for (int v = 0; v < 6; ++v)
    for (int e = offsets[size_t(v)]; e < offsets[size_t(v) + 1]; ++e)
      for (int f = 0; f < 4; ++f)
        y[size_t(4 * v + f)] += x[4 * sources[size_t(e)] + f];
  CHECK(floats(result.outputs[0]) == y);
  CHECK(result.communicationBytes == plan.communicationBytes);
  CHECK(result.receivedBytes == std::vector<int64_t>{32, 32});
  CHECK(result.peakBytes == plan.peakBytes);
}
