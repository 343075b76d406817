// Plans that are broken on purpose, each in one place, and who notices it
// before anything runs: the loader, check(), or whoever generates the code
// again. What happens on emulated GPUs if it is run all the same is tried, too.
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "test/conformance/Epilogues.h"
#include "test/conformance/HostMoves.h"
#include "test/conformance/PlanBreakages.h"
#include "test/conformance/RandomModel.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace smex;
using namespace smex::conformance;
using plan::Plan;

namespace {

const char *const names[] = {"the loader", "check", "generating it again",
                             "the loader or check"};

/// Who notices it, or "".
std::string noticed(const Plan &plan) {
  if (const Status valid = plan::validate(plan); !valid) {
    UNSCOPED_INFO(valid.error().message);
    return names[int(Who::Loader)];
  }
  if (const std::string found = findingsOf(plan); !found.empty()) {
    UNSCOPED_INFO(found);
    return names[int(Who::Check)];
  }
  const plan::Artifact &artifact = plan.code[0];
  const auto again = pipeline::regenerateKernels(plan, artifact.target);
  if (!again || again->bytes != artifact.bytes ||
      again->launches != artifact.launches)
    return names[int(Who::Code)];
  return "";
}

/// In a process of its own: an error of a GPU stays. So many epilogues are to
/// be done with their products, at least.
bool goesWrong(const Plan &plan, const std::vector<runtime::Feed> &feeds,
               const std::vector<Tensor> &outputs, int64_t epilogues = 0) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    bool isRight = false;
    if (auto backend = runtime::makeBackend("cuda")) {
      runtime::RunOptions options;
      options.steps = 2;
      const auto result =
          runtime::execute(plan.partitioned, plan.code, **backend,
                           NoParameters(), feeds, options);
      isRight = result && result->epilogues >= epilogues;
      for (size_t o = 0; isRight && o < outputs.size(); ++o)
        isRight = result->outputs[o].bytes == outputs[o].bytes;
    }
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

Breakages general() {
  Breakages all;
  for (const Breakages *each :
       {&memoryBreakages(), &transferBreakages(), &computeBreakages()})
    all.insert(all.end(), each->begin(), each->end());
  return all;
}

} // namespace

TEST_CASE("broken plans are noticed, each by whom it should be") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  std::vector<Divided> examples;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed + 77);
    const Evaluated model = randomModel(random, DType::F32);
    DivideOptions how;
    how.targets = {"sm_80"};
    how.alike = seed % 2;
    auto example = divide(context, model, random, how);
    REQUIRE(example);
    REQUIRE(noticed(example->plan) == "");
    examples.push_back(std::move(*example));
  }
  REQUIRE_FALSE(
      goesWrong(examples[0].plan, examples[0].feeds, examples[0].outputs));
  for (const Breakage &breakage : general()) {
    INFO(breakage.what);
    int tried = 0;
    bool shown = false;
    for (const Divided &example : examples) {
      Plan plan = example.plan;
      if (!breakage.apply(plan))
        continue;
      const std::string by = noticed(plan);
      if (by.empty()) { // then it is right, as when two values are the same
        CHECK_FALSE(goesWrong(plan, example.feeds, example.outputs));
        continue;
      }
      ++tried;
      if (breakage.notices == Who::Either)
        CHECK((by == names[0] || by == names[1]));
      else
        CHECK(by == names[int(breakage.notices)]);
      if (breakage.shows && !shown && tried <= 4)
        shown = goesWrong(plan, example.feeds, example.outputs);
    }
    CHECK(tried > 0);
    if (breakage.shows)
      CHECK(shown);
  }
}

TEST_CASE("broken moves to the host are noticed") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  const auto moves =
      hostMoves(context, /*overlap=*/false, /*workers=*/2, {"sm_80"});
  REQUIRE(moves);
  REQUIRE(noticed(moves->plan) == "");
  for (const Breakage &breakage : moveBreakages()) {
    INFO(breakage.what);
    Plan plan = moves->plan;
    REQUIRE(breakage.apply(plan));
    CHECK(noticed(plan) == names[int(breakage.notices)]);
    if (breakage.shows)
      CHECK(goesWrong(plan, moves->feeds, {moves->output}));
  }
}

TEST_CASE("broken epilogues are noticed") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  const auto epilogues = conformance::epilogues(context, {"sm_80"});
  INFO((epilogues ? "" : epilogues.error().message));
  REQUIRE(epilogues);
  REQUIRE(noticed(epilogues->plan) == "");
  REQUIRE_FALSE(goesWrong(epilogues->plan, epilogues->feeds,
                          {epilogues->output}, epilogues->count));
  CHECK(goesWrong(epilogues->plan, epilogues->feeds, {epilogues->output},
                  epilogues->count + 1));
  for (const Breakage &breakage : epilogueBreakages()) {
    INFO(breakage.what);
    Plan plan = epilogues->plan;
    REQUIRE(breakage.apply(plan));
    CHECK(noticed(plan) == names[int(breakage.notices)]);
    if (breakage.shows)
      CHECK(goesWrong(plan, epilogues->feeds, {epilogues->output}));
  }
}

TEST_CASE("so many broken plans are tried") {
  CHECK(general().size() + moveBreakages().size() +
            epilogueBreakages().size() >=
        33);
}
