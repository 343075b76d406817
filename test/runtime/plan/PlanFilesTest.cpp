// The files of a plan: bits flipped, others' files, bytes at random.
#include "runtime/plan/Load.h"

#include "runtime/plan/Check.h"
#include "test/runtime/plan/Damaged.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sys/stat.h>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

TEST_CASE("every flipped bit is found") {
  const TemporaryFolder folder;
  const std::string plan = saved(folder);
  int flips = 0;
  for (const auto &entry : fs::recursive_directory_iterator(plan)) {
    if (!entry.is_regular_file())
      continue;
    const std::string path = entry.path().string(), bytes = slurp(path);
    for (size_t i = 0; i < bytes.size(); ++i)
      for (int bit = 0; bit < 8; ++bit) {
        // All bits of plan.json, whose hash is its own business; of the others
        // one in each byte, in turn.
        if (entry.path().filename() != "plan.json" && bit != int(i % 8))
          continue;
        std::string flipped = bytes;
        flipped[i] = char(flipped[i] ^ (1 << bit));
        spit(path, flipped);
        ++flips;
        if (load(plan))
          FAIL(path << ": bit " << bit << " of byte " << i
                    << " was not missed");
      }
    spit(path, bytes);
  }
  CHECK(flips > 5000);
  CHECK(errorOf(plan) == "loaded");
}

TEST_CASE("files: only those of a plan, and regular ones") {
  const TemporaryFolder folder;
  const std::string plan = saved(folder);
  const std::string summary = slurp(plan + "/plan.json");
  for (const char *name :
       {"../secret", "/etc/passwd", "gpu0.json/../gpu1.json", "gpu00.json",
        "gpu2.json", "plan.json", "unpartitioned/gpu1.json", "GPU0.json", ""}) {
    Json json = *parseJson(summary);
    json["files"][name] = std::string(64, '0');
    seal(plan, json);
    CHECK(errorOf(plan) == plan + "/plan.json: files: \"" + name +
                               "\" is no file of a plan for 2 GPUs");
  }
  Json json = *parseJson(summary);
  json["files"]["gpu0.json"] = "0";
  seal(plan, json);
  CHECK_THAT(errorOf(plan),
             Catch::Contains("files.gpu0.json: is not a SHA-256"));
  json["files"].erase("gpu0.json");
  seal(plan, json);
  CHECK_THAT(errorOf(plan), Catch::Contains("files: has no \"gpu0.json\""));
  json = *parseJson(summary);
  json["files"].erase("unpartitioned/gpu0.json");
  seal(plan, json);
  CHECK_THAT(errorOf(plan),
             Catch::Contains("half of the unpartitioned program"));
  spit(plan + "/plan.json", summary);
  CHECK(errorOf(plan) == "loaded");

  // A link, even to the right bytes.
  fs::rename(plan + "/gpu1.json", folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", plan + "/gpu1.json");
  CHECK(errorOf(plan) == plan + "/gpu1.json: is a symbolic link");
  fs::remove(plan + "/gpu1.json");
  REQUIRE(::mkfifo((plan + "/gpu1.json").c_str(), 0600) == 0);
  CHECK(errorOf(plan) == plan + "/gpu1.json: is not a regular file");
  fs::remove(plan + "/gpu1.json");
  CHECK(errorOf(plan) == plan + "/gpu1.json: No such file or directory");
  fs::create_directory(plan + "/gpu1.json");
  CHECK(errorOf(plan) == plan + "/gpu1.json: is not a regular file");
  fs::remove(plan + "/gpu1.json");
  fs::rename(folder / "elsewhere", plan + "/gpu1.json");

  fs::rename(plan + "/unpartitioned", folder / "elsewhere");
  fs::create_directory_symlink(folder / "elsewhere", plan + "/unpartitioned");
  CHECK(errorOf(plan) != "loaded");
  CHECK(errorOf(folder / "nothing") ==
        folder / "nothing: No such file or directory");
  CHECK_THAT(errorOf(folder.path), Catch::Contains("plan.json: No such file"));
}

TEST_CASE("a plan with weights missing or too many") {
  const TemporaryFolder folder;
  const std::string plan = saved(folder);
  Json json = *parseJson(slurp(plan + "/plan.json"));
  json["files"].erase("gpu1.weights");
  spit(plan + "/plan.json", canonicalJson(json));
  rehash(plan);
  CHECK(errorOf(plan) == plan + "/plan.json: files: lacks \"gpu1.weights\"");
  spit(plan + "/gpu1.weights", "short");
  json["files"]["gpu1.weights"] = "";
  spit(plan + "/plan.json", canonicalJson(json));
  rehash(plan);
  CHECK(errorOf(plan) ==
        plan + "/gpu1.weights: has 5 bytes, but gpu1.json places 192 "
               "in it");
}

TEST_CASE("plan.json of another layout is not canonical") {
  const TemporaryFolder folder;
  const std::string plan = saved(folder);
  const std::string summary = slurp(plan + "/plan.json");
  for (const std::string &text :
       {summary + "\n", " " + summary, parseJson(summary)->dump()}) {
    spit(plan + "/plan.json", text);
    CHECK_THAT(errorOf(plan), Catch::Contains("is not in canonical form"));
  }
  spit(plan + "/plan.json", summary.substr(0, 100));
  CHECK_THAT(errorOf(plan), Catch::Contains("plan.json: parse error at line"));
  spit(plan + "/plan.json", "[]");
  CHECK_THAT(errorOf(plan), Catch::Contains("is not a plan of smex"));
}

namespace {
/// A small generator whose numbers are the same everywhere.
struct Random {
  uint64_t state;
  size_t operator()(size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return size_t(state >> 33) % limit;
  }
};

/// Overwrites, inserts or removes bytes, or puts another number in a number's
/// place.
std::string mutate(std::string text, Random &random) {
  const char *numbers[] = {"0",
                           "1",
                           "2",
                           "3",
                           "7",
                           "8",
                           "64",
                           "-1",
                           "32",
                           "128",
                           "512",
                           "999999",
                           "1e3",
                           "281474976710656",
                           "9223372036854775807",
                           "18446744073709551616"};
  for (size_t n = 1 + random(3); n > 0 && !text.empty(); --n) {
    const size_t at = random(text.size());
    switch (random(6)) {
    case 0:
      text[at] = char(random(256));
      break;
    case 1:
      text.erase(at, 1 + random(20));
      break;
    case 2:
      text.insert(at, text.substr(random(text.size()), random(40)));
      break;
    default: {
      const size_t start = text.find_first_of("0123456789", at);
      if (start == std::string::npos)
        break;
      const size_t end = text.find_first_not_of("0123456789", start);
      text.replace(start, end - start, numbers[random(std::size(numbers))]);
    }
    }
  }
  return text;
}
} // namespace

TEST_CASE("no plan crashes its reader") {
  const Plan example = GENERATE(twoWorkers(), twoDivided());
  const TemporaryFolder folder;
  const std::string plan = saved(folder, example);
  const char *files[] = {"plan.json",
                         "program.json",
                         "gpu0.json",
                         "gpu1.json",
                         "unpartitioned/program.json",
                         "unpartitioned/gpu0.json"};
  const std::string summary = slurp(plan + "/plan.json");
  Random random{42};
  int loaded = 0, unsound = 0;
  for (int round = 0; round < 6000; ++round) {
    const std::string path = plan + "/" + files[random(std::size(files))];
    const std::string text = slurp(path);
    spit(path, mutate(text, random));
    rehash(plan);
    if (const auto result = load(plan)) {
      ++loaded;
      unsound += !check(*result).empty();
    }
    spit(path, text);
    spit(plan + "/plan.json", summary);
  }
  CHECK(errorOf(plan) == "loaded");
  CHECK(loaded > 100); // or nothing but the parser was tried
  CHECK(unsound > 50);
}
