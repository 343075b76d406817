#include "test/end_to_end/Harness.h"

#include "compiler/emit/Weights.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/support/Sha256.h"
#include "runtime/executor/DerivedInputs.h"
#include "runtime/executor/Executor.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Save.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace smex;

namespace {

/// Removes the plan, on every way out.
struct Folder {
  std::string path = test::scratchFolder() + "/plan";
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

Status compileTo(const std::string &folder, const frontend::Model &model,
                 int64_t gpus, const std::vector<std::string> &targets) {
  pipeline::CompileOptions options;
  options.gpus = gpus;
  options.targets = targets;
  options.verifyEach = true;
  auto compiled = pipeline::compile(model, options);
  if (!compiled)
    return compiled.takeError();
  plan::Plan &plan = compiled->plan;
  // Models of tests may be changed in memory: the hash is then of no file.
  plan.modelSha256 = Sha256().finish();
  plan::layoutWeights(plan.partitioned);
  const emit::Weights weights(model, compiled->derived);
  return plan::save(plan, folder, [&](int parameter, const Box &box) {
    return weights.read(plan.partitioned.program.parameters[parameter].name,
                        box);
  });
}

/// Another process may be at the same plan: the first that has it whole wins.
Status moveTo(const std::string &kept, const std::string &scratch) {
  namespace fs = std::filesystem;
  std::error_code code;
  fs::create_directories(fs::path(kept).parent_path(), code);
  const std::string beside = kept + "." + std::to_string(getpid());
  fs::copy(scratch, beside, fs::copy_options::recursive, code);
  if (code)
    return fail(beside, ": ", code.message());
  fs::rename(beside, kept, code);
  if (code)
    fs::remove_all(beside);
  return {};
}

Status compareBytes(const plan::Plan &plan, const runtime::RunResult &result) {
  std::string problems;
  const auto compare = [&](const std::string &what, int64_t measured,
                           int64_t planned) {
    if (measured != planned)
      problems += (problems.empty() ? "" : "\n") + fail(what, ": ", measured,
                                                        " bytes measured, ",
                                                        planned, " in the plan")
                                                       .message;
  };
  compare("communication", result.communicationBytes, plan.communicationBytes);
  for (size_t w = 0; w < plan.peakBytes.size(); ++w)
    compare("peak of gpu" + std::to_string(w), result.peakBytes[w],
            plan.peakBytes[w]);
  if (problems.empty())
    return {};
  return Error{problems, Fault::Difference};
}

Status checkPlan(const plan::Plan &plan) {
  std::string problems;
  for (const plan::Finding &finding : plan::check(plan))
    problems += (problems.empty() ? "" : "\n") + std::string("check: ") +
                plan::name(finding.kind) + ": " + finding.message;
  if (problems.empty())
    return {};
  return Error{problems, Fault::Difference};
}

Result<std::vector<runtime::Feed>>
feedsOf(const plan::Program &program,
        const std::map<std::string, Tensor> &inputs) {
  std::vector<runtime::Feed> feeds;
  for (const plan::Port &port : program.inputs) {
    if (port.derived) {
      feeds.emplace_back();
      continue;
    }
    const auto given = inputs.find(port.name);
    if (given == inputs.end())
      return fail("input \"", port.name, "\" is not given");
    const TensorType &type =
        program.tensors[program.buffers[port.buffer].tensor].type;
    // What the command line refuses when it reads the file.
    if (given->second.type != type)
      return fail("input \"", port.name, "\" is ", toString(given->second.type),
                  ", not ", toString(type));
    feeds.push_back({given->second});
  }
  if (Status derived = runtime::deriveInputs(program, /*steps=*/1, feeds);
      !derived)
    return derived.takeError();
  return feeds;
}

} // namespace

Result<std::map<std::string, Tensor>>
test::runPartitioned(const frontend::Model &model,
                     const std::map<std::string, Tensor> &inputs,
                     int64_t gpus) {
  return runPartitioned(
      model, inputs, gpus, pipeline::CompileOptions().targets,
      [](const plan::Plan &plan, const runtime::ParameterSource &parameters,
         const std::vector<runtime::Feed> &feeds)
          -> Result<runtime::RunResult> {
        auto backend = runtime::makeBackend("cpu");
        if (!backend)
          return backend.takeError();
        runtime::RunOptions options;
        options.device.threads = 1; // the workers alone are more than the cores
        return runtime::execute(plan.partitioned, plan.code, **backend,
                                parameters, feeds, options);
      });
}

Result<std::map<std::string, Tensor>>
test::runPartitioned(const frontend::Model &model,
                     const std::map<std::string, Tensor> &inputs, int64_t gpus,
                     const std::vector<std::string> &targets,
                     const Execution &execute, const std::string &kept) {
  const Folder scratch;
  const std::string &folder = kept.empty() ? scratch.path : kept;
  if (kept.empty() || !std::filesystem::exists(kept)) {
    if (Status compiled = compileTo(scratch.path, model, gpus, targets);
        !compiled)
      return compiled.takeError();
    if (Status stays = kept.empty() ? Status() : moveTo(kept, scratch.path);
        !stays)
      return stays.takeError();
  }
  const auto plan = plan::load(folder, {/*verifyWeights=*/false});
  if (!plan)
    return plan.error();
  if (Status sound = checkPlan(*plan); !sound)
    return sound.takeError();

  const plan::Program &program = plan->partitioned.program;
  const auto feeds = feedsOf(program, inputs);
  if (!feeds)
    return feeds.error();
  const auto parameters =
      runtime::PlanParameters::open(*plan, folder, /*seed=*/0);
  if (!parameters)
    return parameters.error();
  auto result = execute(*plan, parameters->shares(), *feeds);
  if (!result)
    return result.takeError();
  if (Status same = compareBytes(*plan, *result); !same)
    return same.takeError();
  std::map<std::string, Tensor> outputs;
  for (size_t o = 0; o < program.outputs.size(); ++o)
    outputs[program.outputs[o].name] = std::move(result->outputs[o]);
  return outputs;
}

std::string test::scratchFolder() {
  const char *given = std::getenv("TEST_TMPDIR");
  const std::string folder =
      (given ? given : std::filesystem::temp_directory_path().string()) +
      "/smex-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  return folder;
}
