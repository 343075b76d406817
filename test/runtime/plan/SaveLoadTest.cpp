#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

static void requireSaved(const Plan &plan, const std::string &directory) {
  const Status status = save(plan, directory, countingWeights(plan));
  INFO((status ? "" : status.error().message));
  REQUIRE(status);
}

static Plan requireLoaded(const std::string &directory) {
  auto plan = load(directory);
  INFO((plan ? "" : plan.error().message));
  REQUIRE(plan);
  return *plan;
}

/// Name to contents of everything in a folder.
static std::map<std::string, std::string>
contents(const std::string &directory) {
  std::map<std::string, std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), directory).string()] =
          slurp(entry.path().string());
  return files;
}

TEST_CASE("what is saved is loaded") {
  const TemporaryFolder folder;
  const Plan plan = twoWorkers();
  requireSaved(plan, folder / "plan");
  const Plan loaded = requireLoaded(folder / "plan");
  CHECK(programToJson(loaded.partitioned.program) ==
        programToJson(plan.partitioned.program));
  for (size_t w = 0; w < 2; ++w)
    CHECK(workerToJson(loaded.partitioned, int(w)) ==
          workerToJson(plan.partitioned, int(w)));
  CHECK(programToJson(loaded.unpartitioned.program) ==
        programToJson(plan.unpartitioned.program));
  CHECK(workerToJson(loaded.unpartitioned, 0) ==
        workerToJson(plan.unpartitioned, 0));
  CHECK(summaryToJson(loaded, {}) == summaryToJson(plan, {}));
  CHECK(loaded.code[0].bytes == plan.code[0].bytes);

  // And the same bytes again.
  requireSaved(loaded, folder / "again");
  CHECK(contents(folder / "again") == contents(folder / "plan"));
}

TEST_CASE("what is said by divisions stays so") {
  const TemporaryFolder folder;
  Plan plan = twoDivided();
  Region uneven = plan.partitioned.program.regions[0];
  for (const Division &division :
       {Division::weighted(1, {1, 2}), Division::bounded(1, {{5}}),
        Division::placed(1), Division::whole()}) {
    uneven.divisions = {division}; // nobody has it
    uneven.boxes = sharesOf(uneven.extents, uneven.divisions, {2});
    plan.partitioned.program.regions.push_back(uneven);
  }
  requireSaved(plan, folder / "plan");
  const Plan loaded = requireLoaded(folder / "plan");
  const auto &before = plan.partitioned.program.regions,
             &after = loaded.partitioned.program.regions;
  REQUIRE(after.size() == before.size());
  for (size_t r = 0; r < before.size(); ++r) {
    CHECK(after[r].divisions == before[r].divisions);
    CHECK(after[r].boxes == before[r].boxes);
  }
  requireSaved(loaded, folder / "again");
  CHECK(contents(folder / "again") == contents(folder / "plan"));
}

TEST_CASE("plan.json has the keys that others rely on") {
  const TemporaryFolder folder;
  requireSaved(twoWorkers(), folder / "plan");
  const std::string text = slurp(folder / "plan/plan.json");
  const auto json = parseJson(text);
  REQUIRE(json);
  CHECK(canonicalJson(*json) == text);
  CHECK((*json)["format"] == "smex-plan");
  CHECK((*json)["version"] == formatVersion);
  CHECK((*json)["gpus"] == 2);
  CHECK((*json)["model"]["sha256"].get<std::string>().size() == 64);
  CHECK((*json)["totals"] == Json{{"communication_bytes", 256},
                                  {"flops", 704},
                                  {"parameter_bytes", 352},
                                  {"peak_bytes", {576, 576}}});
  CHECK((*json)["search"] == Json{{"algorithm", "recursive"},
                                  {"lower_bound_bytes", 256},
                                  {"optimal", true},
                                  {"steps",
                                   {{{"ways", 2},
                                     {"bytes", 256},
                                     {"lower_bound_bytes", 256},
                                     {"optimal", true},
                                     {"tied", false}}}}});
  std::vector<std::string> names;
  for (const auto &file : (*json)["files"].items())
    names.push_back(file.key());
  CHECK(names == std::vector<std::string>{
                     "gpu0.json", "gpu0.weights", "gpu1.json", "gpu1.weights",
                     "kernels.x86-64-v3.so", "program.json",
                     "unpartitioned/gpu0.json", "unpartitioned/program.json"});
}

TEST_CASE("weights: each GPU's share, dense and aligned") {
  const TemporaryFolder folder;
  requireSaved(twoWorkers(), folder / "plan");
  const auto files = weights(folder / "plan", 2);
  REQUIRE(files);
  const Weights &file = files->at(1);
  CHECK(file.size() == 192);
  const auto value = [&](int64_t offset) {
    float number;
    std::memcpy(&number, file.data() + offset, sizeof number);
    return number;
  };
  CHECK(value(0) == 24);                    // w[3, 0]
  CHECK(value(23 * 4) == 47);               // w[5, 7]
  CHECK(value(24 * 4) == 0);                // up to the next multiple of 64
  CHECK(value(128) == 2002);                // v[0, 2]
  CHECK(value(128 + 15 * 4) == 2031);       // v[7, 3]
  CHECK_FALSE(weights(folder / "plan", 1)); // it is of two
  CHECK_FALSE(weights(folder / "plan", 3));
}

TEST_CASE("weights pass through in slabs, in order") {
  const TemporaryFolder folder;
  Plan plan = twoWorkers();
  plan.unpartitioned = {};
  // w of 2 x 5000 x 1000: more than one slab for each share of 20 MB.
  auto &program = plan.partitioned.program;
  const std::vector<int64_t> shape = {2, 5000, 1000};
  program.tensors = {{"w", {DType::F32, shape}}};
  program.kernels.clear();
  program.buffers = {{0}};
  program.instructions.clear();
  program.inputs.clear();
  program.outputs.clear();
  program.parameters = {{"w", 0, false, 0}};
  std::vector<HandWorker> workers(2);
  for (int64_t w = 0; w < 2; ++w) {
    workers[size_t(w)].arenaBytes = 20000000;
    workers[size_t(w)].buffers = {{{{w, w + 1}, {0, 5000}, {0, 1000}}, 0}};
  }
  plan.partitioned = byHand(program, workers);
  layoutWeights(plan.partitioned);
  std::vector<Box> asked;
  REQUIRE(save(plan, folder / "plan",
               [&](int, const Box &box) -> Result<std::vector<std::byte>> {
                 asked.push_back(box);
                 return std::vector<std::byte>(size_t(volume(box)) * 4);
               }));
  REQUIRE(asked.size() == 4);
  CHECK(asked[0] == Box{{0, 1}, {0, 4194}, {0, 1000}});
  CHECK(asked[1] == Box{{0, 1}, {4194, 5000}, {0, 1000}});
  CHECK(asked[2][0] == Interval{1, 2});
  CHECK(fs::file_size(folder / "plan/gpu0.weights") == 20000000);
}

TEST_CASE("a failed save leaves what was there, and nothing else") {
  const TemporaryFolder folder;
  const Plan plan = twoWorkers();
  requireSaved(plan, folder / "plan");
  const auto before = contents(folder.path);
  int asked = 0;
  const Status status =
      save(plan, folder / "plan",
           [&](int, const Box &box) -> Result<std::vector<std::byte>> {
             if (++asked == 3)
               return fail("the model's file ends early");
             return std::vector<std::byte>(size_t(volume(box)) * 4);
           });
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "the model's file ends early");
  CHECK(contents(folder.path) == before);
  CHECK_FALSE(save(plan, folder / "other")); // nobody has the weights
  CHECK(contents(folder.path) == before);
  Plan broken = plan;
  offsetOf(broken.partitioned, 1, 3) = 32;
  const Status refused = save(broken, folder / "plan", countingWeights(broken));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Defect);
  CHECK_THAT(refused.error().message,
             Catch::Contains("gpu1.json: buffers[3].offset"));
  CHECK(contents(folder.path) == before);
}

TEST_CASE("a folder that is no plan is not replaced") {
  const TemporaryFolder folder;
  const Plan plan = twoWorkers();
  fs::create_directory(folder / "thesis");
  spit(folder / "thesis/chapter3.tex", "years of work");
  const Status status = save(plan, folder / "thesis", countingWeights(plan));
  REQUIRE_FALSE(status);
  CHECK_THAT(status.error().message, Catch::Contains("holds no plan.json"));
  CHECK(slurp(folder / "thesis/chapter3.tex") == "years of work");
  spit(folder / "file", "not a folder");
  CHECK_FALSE(save(plan, folder / "file", countingWeights(plan)));
  CHECK(slurp(folder / "file") == "not a folder");
  fs::create_directory(folder / "empty");
  requireSaved(plan, folder / "empty");
  requireSaved(plan, folder / "empty"); // now it is a plan
  CHECK(load(folder / "empty"));
}

TEST_CASE("inspection may skip the weights, but not their size") {
  const TemporaryFolder folder;
  requireSaved(twoWorkers(), folder / "plan");
  LoadOptions options;
  options.verifyWeights = false;
  std::string bytes = slurp(folder / "plan/gpu0.weights");
  bytes[5] ^= 1;
  spit(folder / "plan/gpu0.weights", bytes);
  CHECK(load(folder / "plan", options));
  CHECK_FALSE(load(folder / "plan"));
  CHECK_FALSE(weights(folder / "plan", 2));
  CHECK(weights(folder / "plan", 2, false));
  spit(folder / "plan/gpu0.weights", bytes + "x");
  CHECK_FALSE(load(folder / "plan", options));
}

TEST_CASE("a plan without weights, kernels and unpartitioned program") {
  const TemporaryFolder folder;
  Plan plan = manyInstructions(3, 2);
  plan.code[0].bytes.clear();
  requireSaved(plan, folder / "plan");
  const Plan loaded = requireLoaded(folder / "plan");
  CHECK(loaded.unpartitioned.workers.empty());
  CHECK(loaded.code[0].bytes.empty());
  const auto none = weights(folder / "plan", 3);
  REQUIRE(none);
  CHECK(none->at(2).size() == 0);
}

TEST_CASE("code for several targets lies side by side") {
  const TemporaryFolder folder;
  Launch launch;
  launch.threads = 128;
  launch.item = {{{0}, 64}, {{1}, 4}};
  launch.perBlock = 1;
  launch.many = 4096;
  launch.inMemory = true;
  launch.scratch = {8, {{0, 1}, {1, 0}}};
  const Plan plan = onGpus(launch, 100);
  requireSaved(plan, folder / "plan");
  const Plan loaded = requireLoaded(folder / "plan");
  REQUIRE(loaded.code.size() == 2);
  CHECK(loaded.code[1].target == "sm_80");
  CHECK(loaded.code[1].bytes == plan.code[1].bytes);
  CHECK(loaded.code[1].launches == plan.code[1].launches);
  CHECK(slurp(folder / "plan/kernels.sm_80.ptx") == plan.code[1].bytes);
}
