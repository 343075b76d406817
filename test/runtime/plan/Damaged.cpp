#include "test/runtime/plan/Damaged.h"

#include "runtime/plan/Load.h"

#include <catch2/catch.hpp>
#include <filesystem>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

std::string plan::errorOf(const std::string &directory) {
  const auto plan = load(directory);
  return plan ? "loaded" : plan.error().message;
}

std::string plan::saved(const TemporaryFolder &folder, const Plan &plan) {
  REQUIRE(save(plan, folder / "plan", countingWeights(plan)));
  return folder / "plan";
}

void plan::checkRefused(const Plan &plan, const std::vector<Change> &changes) {
  const TemporaryFolder folder;
  const std::string original = saved(folder, plan),
                    changed = folder / "changed";
  for (const Change &change : changes) {
    fs::remove_all(changed);
    fs::copy(original, changed, fs::copy_options::recursive);
    edit(changed, change.file, change.pointer, change.value);
    INFO(change.file << " " << change.pointer << " = " << change.value.dump());
    const std::string error = errorOf(changed);
    CHECK_THAT(error, Catch::Contains(change.says));
    CHECK_THAT(error, Catch::StartsWith(changed + "/"));
  }
}
