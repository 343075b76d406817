// smex-run DIR: runs a plan. See DESIGN.md, Commands.
#include "runtime/executor/OutputFolder.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/Verify.h"
#include "runtime/plan/Load.h"
#include "support/File.h"
#include "support/Version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

using namespace smex;
using namespace smex::runtime;

namespace {
struct Arguments {
  std::string directory, backend = "auto", outputDirectory, metrics, trace;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  bool verify = false;
  RunOptions run;
};

int report(const Error &error) {
  for (size_t start = 0; start <= error.message.size();) {
    const size_t end =
        std::min(error.message.find('\n', start), error.message.size());
    std::fprintf(stderr, "smex-run: error: %s\n",
                 error.message.substr(start, end - start).c_str());
    start = end + 1;
  }
  return int(error.fault);
}

/// "1.50 GiB", "512 B"
std::string human(int64_t bytes) {
  double value = double(bytes);
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[64];
  std::snprintf(text, sizeof text, unit ? "%.2f %s" : "%.0f %s", value,
                units[unit]);
  return text;
}

void printSummary(const plan::Plan &plan, const Backend &backend,
                  const RunResult &result) {
  const size_t gpus = plan.partitioned.workers.size();
  const auto [first, last] =
      std::minmax_element(result.seconds.begin(), result.seconds.end());
  std::printf("%s: ran on %s as %zu %s", plan.modelName.c_str(),
              backend.name().c_str(), gpus, gpus == 1 ? "worker" : "workers");
  if (result.seconds.size() == 1)
    std::printf(", %.3f s\n", *first);
  else
    std::printf(", %zu steps of %.3f to %.3f s\n", result.seconds.size(),
                *first, *last);
  std::printf(
      "communication %s per step, peak %s per GPU\n",
      human(result.communicationBytes).c_str(),
      human(*std::max_element(result.peakBytes.begin(), result.peakBytes.end()))
          .c_str());
}

Status writeReports(const Arguments &arguments, const plan::Plan &plan,
                    const Backend &backend, const RunResult &result) {
  if (!arguments.outputDirectory.empty()) {
    const auto files = writeOutputs(arguments.outputDirectory,
                                    plan.partitioned.program.outputs, result);
    if (!files)
      return files.error();
    for (const std::string &file : *files)
      std::printf("wrote %s\n", file.c_str());
  }
  if (!arguments.metrics.empty())
    if (Status s =
            writeFile(arguments.metrics, metricsJson(backend.name(), result));
        !s)
      return s;
  if (!arguments.trace.empty())
    return writeFile(arguments.trace,
                     traceJson(plan.partitioned.program, result));
  return {};
}

Status run(const Arguments &arguments) {
  auto backend = makeBackend(arguments.backend);
  if (!backend)
    return backend.takeError();
  // The weights are hashed when they are mapped.
  const auto plan = plan::load(arguments.directory, {false});
  if (!plan)
    return plan.error();
  if (Status accepted = (*backend)->accepts(*plan); !accepted)
    return accepted;
  if (arguments.verify && plan->unpartitioned.workers.empty())
    return fail(arguments.directory,
                ": has no unpartitioned program to verify with");
  auto feeds = readInputs(plan->partitioned.program, arguments.inputs,
                          arguments.run.steps, arguments.seed);
  if (!feeds)
    return feeds.error();
  const auto parameters =
      PlanParameters::open(*plan, arguments.directory, arguments.seed);
  if (!parameters)
    return parameters.error();

  std::optional<OutputFolder> folder;
  if (!arguments.outputDirectory.empty()) {
    auto opened = OutputFolder::open(arguments.outputDirectory);
    if (!opened)
      return opened.error();
    folder.emplace(std::move(*opened));
  }
  const auto result = execute(plan->partitioned, plan->kernels, **backend,
                              parameters->shares(), *feeds, arguments.run);
  if (!result)
    return result.error();
  printSummary(*plan, **backend, *result);
  if (arguments.verify) {
    auto cpu = makeBackend("cpu");
    const auto same = feedsFor(plan->unpartitioned.program,
                               plan->partitioned.program, std::move(*feeds));
    if (!same)
      return same.error();
    RunOptions options = arguments.run;
    options.trace = false;
    const auto whole = execute(plan->unpartitioned, plan->kernels, **cpu,
                               parameters->whole(), *same, options);
    if (!whole)
      return whole.error();
    const auto verified = verify(*plan, *result, *whole);
    if (!verified)
      return verified.error();
    std::printf("verified: %s\n", verified->c_str());
  }
  return writeReports(arguments, *plan, **backend, *result);
}

void declare(CLI::App &app, Arguments &arguments) {
  app.add_option("DIR", arguments.directory, "the plan, a folder")->required();
  app.add_option("--backend", arguments.backend,
                 "auto, cpu or cuda; auto is cuda where there is a device")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option(
         "--input", arguments.inputs,
         "an input's values, .npy or ONNX TensorProto .pb; without any, "
         "all inputs are synthetic")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  app.add_option("--output-dir", arguments.outputDirectory,
                 "write <output name>.npy there")
      ->type_name("DIR");
  app.add_option("--steps", arguments.run.steps,
                 "run so many times; an input file of one rank more than "
                 "declared holds one batch per step")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed,
                 "for drawn parameters and synthetic inputs")
      ->check(CLI::NonNegativeNumber) // or -1 would wrap around
      ->capture_default_str();
  app.add_flag("--verify", arguments.verify,
               "also run unpartitioned on the CPU, and compare");
  app.add_option("--metrics", arguments.metrics,
                 "write seconds, communication and peak bytes, as JSON")
      ->type_name("FILE");
  app.add_option("--trace", arguments.trace,
                 "write what ran when, as Chrome trace events")
      ->type_name("FILE");
  app.add_option("--threads", arguments.run.threads,
                 "threads per worker; default: the cores, shared evenly")
      ->check(CLI::Range(1, 4096));
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText, 0); },
      "print the version");
}
} // namespace

int main(int argc, char **argv) {
  try {
    CLI::App app("Runs a plan that smexc wrote.", "smex-run");
    Arguments arguments;
    declare(app, arguments);
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
      std::cout << app.help();
      return 0;
    } catch (const CLI::CallForVersion &) {
      std::cout << versionText << "\n";
      return 0;
    } catch (const CLI::ParseError &error) {
      return report(
          {std::string(error.what()) + " (see smex-run --help)", Fault::Usage});
    }
    arguments.run.trace = !arguments.trace.empty();
    const Status done = run(arguments);
    return done ? 0 : report(done.error());
  } catch (const std::bad_alloc &) {
    return report({"out of memory", Fault::Environment});
  } catch (const std::exception &exception) {
    return report(
        {std::string("unexpected: ") + exception.what(), Fault::Defect});
  }
}
