// run-cases: runs kept cases (test/conformance/Kept.h), whose folders it reads
// from standard input, a line each, on this machine's GPU. One process runs
// many, since making a context and compiling take longer than a case.
//
// For each it prints a line of JSON: {"case", "status", "message", "seconds"},
// with the status "ok", "differs", "fails" or "not run". A GPU that has failed
// once fails for ever: the process ends then, and the next one goes on.
#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "runtime/backends/cuda/Driver.h"
#include "runtime/executor/Executor.h"
#include "runtime/executor/Inputs.h"
#include "runtime/executor/Report.h"
#include "runtime/io/Compare.h"
#include "runtime/io/ReadTensor.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Load.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>

using namespace smex;
using namespace smex::runtime;
using plan::Json;
namespace fs = std::filesystem;

namespace {

/// What differs is Fault::Difference.
Status differs(std::string what) {
  return Error{std::move(what), Fault::Difference};
}

Status compareOutputs(const plan::Program &program, const RunResult &result,
                      const fs::path &expected) {
  const std::string out =
      fs::temp_directory_path() / ("run-cases." + std::to_string(::getpid()));
  const auto files = writeOutputs(out, program.outputs, result);
  if (!files)
    return files.error();
  for (size_t o = 0; o < files->size(); ++o) {
    const std::string name = fs::path((*files)[o]).filename();
    const auto got = io::readTensor((*files)[o]);
    const auto want = io::readTensor(expected / name);
    if (!got)
      return got.error();
    if (!want)
      return want.error();
    // bf16 is written as f32.
    const double tolerance = io::toleranceOf(result.outputs[o].type.dtype);
    const io::Comparison compared = io::compare(*got, *want, tolerance);
    if (!compared.same)
      return differs(name + ": " + compared.text);
  }
  std::error_code ignored;
  fs::remove_all(out, ignored);
  return {};
}

Status run(const fs::path &folder, const Json &about, int devices) {
  const auto plan = plan::load(folder / "plan");
  if (!plan)
    return plan.error();
  std::vector<std::string> inputs;
  for (const Json &input : about.at("inputs"))
    inputs.push_back(input.at(0).get<std::string>() + "=" +
                     (folder / input.at(1).get<std::string>()).string());
  RunOptions options;
  options.steps = about.at("steps");
  options.device.hungAfter = 20;
  options.device.hung = [](const Error &error) { quit(error); };
  const plan::Program &program = plan->partitioned.program;
  const auto feeds = readInputs(program, inputs, options.steps, 0);
  if (!feeds)
    return feeds.error();
  const auto parameters = PlanParameters::open(*plan, folder / "plan", 0);
  if (!parameters)
    return parameters.error();
  auto backend = backendFor("cuda", *plan, nullptr);
  if (!backend)
    return backend.error();
  const int workers = int(plan->partitioned.workers.size());
  if (int((*backend)->devices(workers).size()) != std::min(workers, devices))
    return fail("does not run on the GPUs that there are");
  const auto result = execute(plan->partitioned, plan->code, **backend,
                              parameters->shares(), *feeds, options);
  if (!result)
    return result.error();
  if (result->communicationBytes != about.at("communication_bytes"))
    return differs(std::to_string(result->communicationBytes) +
                   " bytes cross workers, the plan predicts " +
                   about.at("communication_bytes").dump());
  if (Json(result->peakBytes) != about.at("peak_bytes"))
    return differs("peaks of " + Json(result->peakBytes).dump() +
                   " bytes, the plan predicts " +
                   about.at("peak_bytes").dump());
  return compareOutputs(program, *result, folder / "expected");
}

/// Of all GPUs: backends take the same ones, and would end them after each
/// case.
struct Contexts {
  const cuda::Driver &driver;
  std::vector<cuda::Context> all = {};

  Status open() {
    for (int g = 0; g < driver.gpus(); ++g) {
      const std::string what = "GPU " + std::to_string(g);
      cuda::DeviceNumber device = 0;
      cuda::Context &context = all.emplace_back();
      if (Status done = driver.check(driver.deviceGet(&device, g), what); !done)
        return done;
      if (Status done =
              driver.check(driver.primaryContextRetain(&context, device), what);
          !done)
        return done;
    }
    return {};
  }

  /// Whether they still do what they are asked.
  bool areAlive() const {
    size_t free = 0, total = 0;
    for (cuda::Context each : all)
      if (driver.contextSetCurrent(each) != cuda::success ||
          driver.memoryGetInfo(&free, &total) != cuda::success)
        return false;
    return true;
  }
};

void runOne(int gpus, const std::string &folder) {
  const double begun = clockSeconds();
  Status done;
  std::string name = folder;
  const auto text = readFile(folder + "/case.json");
  const auto about = text ? plan::parseJson(*text) : Result<Json>(text.error());
  if (about) {
    name = about->at("name");
    done = run(folder, *about, gpus);
  } else {
    done = about.error();
  }
  const std::string status = done ? "ok"
                             : done.error().fault == Fault::Difference
                                 ? "differs"
                                 : "fails";
  std::cout << Json{{"case", name},
                    {"status", status},
                    {"message", done ? "" : done.error().message},
                    {"seconds", clockSeconds() - begun}}
                   .dump(-1, ' ', true, Json::error_handler_t::replace)
            << std::endl;
}

int runAll() {
  const auto driver = cuda::Driver::get();
  if (!driver)
    return report(driver.error());
  Contexts contexts{**driver};
  if (Status opened = contexts.open(); !opened)
    return report(opened.error());
  for (std::string folder; std::getline(std::cin, folder);) {
    runOne((*driver)->gpus(), folder);
    if (!contexts.areAlive())
      return report({"the GPU fails from now on", Fault::Environment});
  }
  return 0;
}

} // namespace

int main() { return runProgram("run-cases", runAll); }
