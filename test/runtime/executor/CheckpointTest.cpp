// Parameters that steps change: saved, resumed, whatever the partition.
#include "runtime/executor/Checkpoint.h"
#include "runtime/executor/Executor.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>
#include <filesystem>

using namespace smex;
using namespace smex::runtime;
namespace fs = std::filesystem;

namespace {
/// w[4, 3] takes w + x after each step, its rows cut as given; v, which no step
/// changes, is whole on all.
plan::Plan counting(const std::vector<Interval> &rows) {
  const int workers = int(rows.size());
  ProgramBuilder b(workers);
  std::vector<Box> cut, all;
  for (const Interval &own : rows) {
    cut.push_back({own, {0, 3}});
    all.push_back({{0, 4}, {0, 3}});
  }
  const int w = b.tensor("w", {4, 3});
  const int now = b.buffer(w, cut);
  const int next = b.buffer(b.tensor("w.next", {4, 3}), cut);
  const int x = b.buffer(b.tensor("x", {4, 3}), cut);
  const int v = b.buffer(b.tensor("v", {4, 3}), all);
  const int sum = b.kernel(plan::KernelKind::Reference,
                           "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: "
                           "x0[i0, i1] + x1[i0, i1]");
  b.compute("add", sum, {now, x}, next, cut);
  plan::Plan plan;
  plan.partitioned = std::move(b.result);
  plan::Program &program = plan.partitioned.program;
  program.inputs = {{"x", x}};
  program.outputs = {{"y", next}};
  plan::Parameter carried{"w", now};
  carried.drawn = true;
  carried.scale = 1;
  carried.next = next;
  plan::Parameter constant{"v", v};
  constant.drawn = true;
  constant.scale = 1;
  program.parameters = {carried, constant};
  plan.modelSha256 = "abc";
  return plan;
}

const std::vector<Interval> two = {{0, 2}, {2, 4}};
const std::vector<Interval> three = {{0, 1}, {1, 4}, {0, 4}};

class Drawn : public ParameterSource {
public:
  Drawn(const plan::Plan &plan) : plan(plan) {}
  Status fill(int worker, int p, std::byte *to) const override {
    const auto &parameter = plan.partitioned.program.parameters[size_t(p)];
    const Box &box = plan.partitioned.box(worker, parameter.buffer);
    for (int64_t i = box[0].lo, e = 0; i < box[0].hi; ++i)
      for (int64_t j = box[1].lo; j < box[1].hi; ++j, ++e)
        reinterpret_cast<float *>(to)[e] = float(100 * p + 3 * i + j);
    return {};
  }

private:
  const plan::Plan &plan;
};

/// A batch for each of eight steps.
const Feed batches = rampFeed({8, 4, 3}, true);

void train(const plan::Plan &plan, const ParameterSource &from,
           RunOptions options) {
  auto backend = makeBackend("cpu");
  REQUIRE(backend);
  const auto result =
      execute(plan.partitioned, {}, **backend, from, {batches}, options);
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  CHECK(int(result->seconds.size()) == options.steps - options.firstStep);
}

std::string saved(const plan::Plan &plan, const ParameterSource &from,
                  RunOptions options) {
  auto file = ParameterFile::open(plan.partitioned.program, "saved.safetensors",
                                  options.steps);
  REQUIRE(file);
  options.sinks.push_back(&*file);
  train(plan, from, options);
  return *readFile("saved.safetensors");
}

std::unique_ptr<CheckpointFolder>
folderOf(const plan::Plan &plan, int every, int steps,
         RunIdentity identity = {"abc", 1, ""}) {
  auto folder = CheckpointFolder::open(plan.partitioned.program, "checkpoints",
                                       identity, every, steps);
  INFO((folder ? "" : folder.error().message));
  REQUIRE(folder);
  return std::move(*folder);
}
} // namespace

TEST_CASE("what was trained is saved whole, whatever the partition") {
  const plan::Plan plan = counting(two);
  const std::string ofTwo = saved(plan, Drawn(plan), {8});
  const auto file = io::Safetensors::open("saved.safetensors");
  REQUIRE(file);
  const auto &w = file->header().tensors.at("w");
  CHECK(w.type == TensorType{DType::F32, {4, 3}});
  for (int e = 0; e < 12; ++e) {
    float expected = float(e);
    for (int step = 0; step < 8; ++step)
      expected += batches.value.data<float>()[12 * step + e];
    CHECK(reinterpret_cast<const float *>(file->data(w))[e] == expected);
    CHECK(reinterpret_cast<const float *>(
              file->data(file->header().tensors.at("v")))[e] == float(100 + e));
  }
  const plan::Plan other = counting(three);
  CHECK(saved(other, Drawn(other), {8}) == ofTwo);
}

TEST_CASE("state and constants are not the model's parameters") {
  plan::Plan plan = counting(two);
  plan.partitioned.program.parameters[0].state = true;
  plan.partitioned.program.parameters[1].constant = true;
  saved(plan, Drawn(plan), {1});
  const auto file = io::Safetensors::open("saved.safetensors");
  REQUIRE(file);
  CHECK(file->header().tensors.empty());
}

TEST_CASE("a resumed run ends as the uninterrupted one") {
  const plan::Plan plan = counting(two), other = counting(three);
  const std::string expected = saved(plan, Drawn(plan), {8});
  for (int stop : {1, 3, 4, 8}) {
    for (const plan::Plan *second : {&plan, &other}) {
      INFO(stop);
      fs::remove_all("checkpoints");
      {
        const auto folder = folderOf(plan, 2, stop);
        CHECK(folder->isEmpty());
        RunOptions options;
        options.steps = stop;
        options.sinks = {folder.get()};
        train(plan, Drawn(plan), options);
      }
      const auto folder = folderOf(*second, 2, 8);
      auto last = folder->last();
      INFO((last ? "" : last.error().message));
      REQUIRE(last);
      REQUIRE(*last);
      RunOptions options;
      options.steps = 8;
      options.firstStep = (*last)->completed;
      CHECK(options.firstStep == stop);
      // Of the checkpoint's values only, over a source that has no others.
      class Values : public ParameterSource {
      public:
        Values(const plan::Plan &plan, const io::Safetensors &file)
            : plan(plan), file(file), rest(plan) {}
        Status fill(int worker, int p, std::byte *to) const override {
          if (p != 0)
            return rest.fill(worker, p, to);
          const Box &box = plan.partitioned.box(worker, 0);
          const std::byte *from = file.data(file.header().tensors.at("w"));
          std::memcpy(to, from + box[0].lo * 12, size_t(box[0].size() * 12));
          return {};
        }

      private:
        const plan::Plan &plan;
        const io::Safetensors &file;
        Drawn rest;
      };
      CHECK(saved(*second, Values(*second, (*last)->values), options) ==
            expected);
    }
  }
}

TEST_CASE("checkpoints that are not this run's") {
  const plan::Plan plan = counting(two);
  fs::remove_all("checkpoints");
  {
    const auto folder = folderOf(plan, 3, 5);
    CHECK((!folder->wants(2) && folder->wants(3) && folder->wants(5)));
    RunOptions options;
    options.steps = 5;
    options.sinks = {folder.get()};
    train(plan, Drawn(plan), options);
    // It is in use.
    const auto second = CheckpointFolder::open(plan.partitioned.program,
                                               "checkpoints", {}, 1, 5);
    REQUIRE_FALSE(second);
    CHECK(second.error().message ==
          "checkpoints: another run writes its checkpoints there");
    CHECK(second.error().fault == Fault::Environment);
  }
  const auto refusal = [&](const RunIdentity &identity, int steps,
                           const plan::Plan &plan) {
    const auto folder = folderOf(plan, 1, steps, identity);
    const auto last = folder->last();
    return last ? "" : last.error().message;
  };
  const std::string file = "checkpoints/checkpoint.safetensors: ";
  CHECK(refusal({"abc", 1, ""}, 5, plan) == "");
  CHECK(refusal({"abd", 1, ""}, 5, plan) ==
        file + "is a checkpoint of another model than the plan's");
  CHECK(refusal({"abc", 2, ""}, 5, plan) ==
        file + "is a checkpoint of a run with --seed 1, not 2");
  CHECK(refusal({"abc", 1, "f"}, 5, plan) ==
        file + "is a checkpoint of a run without --parameters");
  CHECK(refusal({"abc", 1, ""}, 4, plan) ==
        file + "is a checkpoint of step 5, beyond --steps 4");
  plan::Plan more = plan;
  more.partitioned.program.parameters[1].next = 1;
  CHECK(refusal({"abc", 1, ""}, 5, more) ==
        file + "tensor \"v\" (f32[4, 3]) is missing");
  more.partitioned.program.parameters[0].name = "u";
  more.partitioned.program.parameters[1].next = -1;
  CHECK(refusal({"abc", 1, ""}, 5, more) ==
        file + "tensor \"u\" (f32[4, 3]) is missing");
  plan::Plan wide = plan;
  wide.partitioned.program.tensors[0].type.dtype = DType::F64;
  CHECK(refusal({"abc", 1, ""}, 5, wide) ==
        file + "tensor \"w\" is f32[4, 3], f64[4, 3] expected");

  fs::copy_file("saved.safetensors", "checkpoints/checkpoint.safetensors",
                fs::copy_options::overwrite_existing);
  CHECK(refusal({"abc", 1, ""}, 5, plan) ==
        file + "is no checkpoint that this smex-run can read");
  fs::resize_file("checkpoints/checkpoint.safetensors", 100);
  CHECK_THAT(refusal({"abc", 1, ""}, 5, plan), Catch::StartsWith(file));

  plan::Plan still = plan;
  still.partitioned.program.parameters[0].next = -1;
  const auto nothing = CheckpointFolder::open(still.partitioned.program,
                                              "checkpoints", {}, 1, 5);
  REQUIRE_FALSE(nothing);
  CHECK_THAT(nothing.error().message, Catch::Contains("--train"));
}

TEST_CASE("what a killed run left unfinished is cleared away") {
  fs::remove_all("checkpoints");
  fs::create_directory("checkpoints");
  REQUIRE(writeFile("checkpoints/checkpoint.safetensors.tmp-1-0", "half"));
  REQUIRE(writeFile("checkpoints/mine", "stays"));
  const plan::Plan plan = counting(two);
  const auto folder = folderOf(plan, 1, 1);
  CHECK(folder->isEmpty());
  CHECK_FALSE(fs::exists("checkpoints/checkpoint.safetensors.tmp-1-0"));
  CHECK(fs::exists("checkpoints/mine"));
}

TEST_CASE("a checkpoint that cannot be written stops the run") {
  class Full : public ParameterSink {
    bool wants(int completed) const override { return completed == 2; }
    Status begin(int) override { return fail("disk full"); }
    std::byte *place(int) override { return nullptr; }
    Status commit() override { return {}; }
  } full;
  const plan::Plan plan = counting(two);
  auto backend = makeBackend("cpu");
  REQUIRE(backend);
  RunOptions options;
  options.steps = 8;
  options.sinks = {&full};
  const auto result =
      execute(plan.partitioned, {}, **backend, Drawn(plan), {batches}, options);
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "worker 0: disk full");
}
