// A plan whose launches are changed in one place: the loader refuses it, or it
// runs, and right; or there is an error. Nothing crashes, and nothing hangs.
#include "test/conformance/RandomModel.h"

#include "runtime/backends/Backend.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Save.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace smex;
using namespace smex::conformance;
using plan::Json;
namespace fs = std::filesystem;

namespace {

/// What else could stand there instead of a value.
std::vector<Json> othersOf(const Json &value) {
  std::vector<Json> others = {
      nullptr, "", "kernel_0", -1, 0.5, Json::array(), Json::object()};
  if (value.is_number_integer()) {
    const int64_t number = value.get<int64_t>();
    for (int64_t other : {number + 1, number - 1, -number, number * 2,
                          number / 2, int64_t(0), int64_t(1), int64_t(1) << 31,
                          (int64_t(1) << 40) + 3, INT64_MAX, INT64_MIN})
      others.push_back(other);
    others.push_back(1e300);
  }
  if (value.is_boolean())
    others.push_back(!value.get<bool>());
  if (value.is_array())
    for (size_t i = 0; i < value.size(); ++i) {
      Json without = value, twice = value;
      without.erase(i);
      twice.push_back(value[i]);
      others.insert(others.end(), {without, twice});
    }
  if (value.is_object())
    for (const auto &[key, each] : value.items()) {
      Json without = value;
      without.erase(key);
      others.push_back(without);
    }
  return others;
}

/// The places in `json`, as pointers, all of them.
void placesIn(const Json &json, const Json::json_pointer &at,
              std::vector<Json::json_pointer> &places) {
  places.push_back(at);
  if (json.is_object())
    for (const auto &[key, each] : json.items())
      placesIn(each, at / key, places);
  if (json.is_array())
    for (size_t i = 0; i < json.size(); ++i)
      placesIn(json[i], at / i, places);
}

enum class Outcome { Right, Wrong, Error, Hangs, Crashes };

/// In a process of its own: an error of a GPU stays. What the emulated GPUs say
/// of code that is broken on purpose is not printed.
Outcome outcomeOf(const plan::Plan &plan, const Divided &example,
                  unsigned seconds) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(seconds);
    if (!std::freopen("/dev/null", "w", stderr))
      _exit(int(Outcome::Error));
    Outcome outcome = Outcome::Error;
    if (auto backend = runtime::makeBackend("cuda")) {
      const auto result =
          runtime::execute(plan.partitioned, plan.code, **backend,
                           NoParameters(), example.feeds, {});
      if (result)
        outcome = Outcome::Right;
      for (size_t o = 0; result && o < example.outputs.size(); ++o)
        if (result->outputs[o].bytes != example.outputs[o].bytes)
          outcome = Outcome::Wrong;
    }
    _exit(int(outcome));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status)             ? Outcome(WEXITSTATUS(status))
         : WTERMSIG(status) == SIGALRM ? Outcome::Hangs
                                       : Outcome::Crashes;
}

/// A plan with reductions, maps and moves, on disk.
struct Saved {
  Saved() {
    loadDialects(context);
    for (uint64_t seed = 0; kernels < 6; ++seed) {
      Random random(seed + 500);
      const Evaluated model = randomModel(random, DType::F32);
      DivideOptions how;
      how.targets = {"sm_80"};
      auto divided = divide(context, model, random, how);
      REQUIRE(divided);
      example = std::move(*divided);
      kernels = example.plan.code[0].launches.size();
    }
    REQUIRE(plan::save(example.plan, folder / "plan"));
  }
  std::string change(const char *file, const std::string &bytes) {
    const std::string changed = folder / "changed";
    fs::remove_all(changed);
    fs::copy(folder / "plan", changed, fs::copy_options::recursive);
    plan::spit(changed + "/" + file, bytes);
    plan::rehash(changed);
    return changed;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  const plan::TemporaryFolder folder;
  Divided example;
  size_t kernels = 0;
};

} // namespace

TEST_CASE("a launch that is changed in one place is refused, or harmless") {
  Saved saved;
  REQUIRE(outcomeOf(saved.example.plan, saved.example, 60) == Outcome::Right);
  const char *file = "kernels.sm_80.json";
  const Json json =
      *plan::parseJson(plan::slurp(saved.folder / "plan/" + file));
  std::vector<Json::json_pointer> places;
  placesIn(json, Json::json_pointer(), places);
  int refused = 0, right = 0, errors = 0;
  for (const Json::json_pointer &place : places)
    for (const Json &other : othersOf(json[place])) {
      if (other == json[place])
        continue;
      Json changed = json;
      changed[place] = other;
      INFO(place.to_string() << " = " << other.dump());
      const auto loaded =
          plan::load(saved.change(file, plan::canonicalJson(changed)));
      if (!loaded) {
        INFO(loaded.error().message);
        CHECK(loaded.error().message.find("kernels.sm_80.json: ") !=
              std::string::npos);
        CHECK(loaded.error().message.find('\n') == std::string::npos);
        ++refused;
        continue;
      }
      const Outcome outcome = outcomeOf(*loaded, saved.example, 60);
      CHECK((outcome == Outcome::Right || outcome == Outcome::Error));
      right += outcome == Outcome::Right;
      errors += outcome == Outcome::Error;
    }
  std::printf("%d changes are refused, %d are right, %d are errors\n", refused,
              right, errors);
  CHECK(refused > 500);
  CHECK(right > 20);
}

TEST_CASE("code of a GPU with another byte is refused, or an error, or wrong") {
  // Kernels are code, and what they compute is what the plan's author wrote;
  // but the process that has them computed goes on.
  Saved saved;
  REQUIRE(outcomeOf(saved.example.plan, saved.example, 60) == Outcome::Right);
  const char *file = "kernels.sm_80.ptx";
  const std::string text = plan::slurp(saved.folder / "plan/" + file);
  std::map<Outcome, int> outcomes;
  int refused = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    Random random(seed + 9000);
    std::string changed = text;
    const size_t at = size_t(random.below(int64_t(text.size())));
    switch (random.below(4)) {
    case 0:
      changed[at] = char(random.below(256));
      break;
    case 1:
      changed.erase(at, size_t(1 + random.below(40)));
      break;
    case 2:
      changed.insert(at, text, size_t(random.below(int64_t(text.size()))), 30);
      break;
    default: // one digit more, or another
      for (size_t d = at; d < changed.size(); ++d)
        if (changed[d] >= '0' && changed[d] <= '9') {
          changed[d] = char('0' + random.below(10));
          break;
        }
    }
    INFO("seed " << seed);
    const auto loaded = plan::load(saved.change(file, changed));
    if (!loaded) {
      ++refused;
      continue;
    }
    // A loop of 2^32 instructions per thread is the interpreter's to end.
    const Outcome outcome = outcomeOf(*loaded, saved.example, 20);
    CHECK(outcome != Outcome::Crashes);
    ++outcomes[outcome];
  }
  std::printf("%d are refused, %d right, %d wrong, %d errors, %d go on\n",
              refused, outcomes[Outcome::Right], outcomes[Outcome::Wrong],
              outcomes[Outcome::Error], outcomes[Outcome::Hangs]);
}
