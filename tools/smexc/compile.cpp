// smexc MODEL --gpus N -o DIR
#include "compiler/emit/Weights.h"
#include "compiler/machine/Machine.h"
#include "compiler/partition/Algorithm.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/placement/Algorithm.h"
#include "dialects/support/File.h"
#include "dialects/support/Version.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Save.h"
#include "runtime/plan/Target.h"
#include "tools/OptionChecks.h"
#include "tools/smexc/Command.h"
#include "tools/smexc/Compared.h"
#include "tools/smexc/GraphPartition.h"
#include "tools/smexc/Groups.h"
#include "tools/smexc/Import.h"
#include "tools/smexc/KernelCache.h"
#include "tools/smexc/Training.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <future>
#include <iostream>

using namespace smex;
using namespace smex::tools;

namespace {

struct Arguments {
  std::string model, output, stats, emit;
  std::string algorithm, machine, profile, graphPartition, kernelCache;
  std::vector<std::string> memoryPerGpu, cudaArch;
  GroupArguments groups;
  ImportArguments import;
  TrainingArguments training;
  pipeline::CompileOptions compile;
};

std::vector<std::string> algorithmNames() {
  std::vector<std::string> names = {"auto"};
  for (const partition::Algorithm &algorithm : partition::algorithms())
    names.emplace_back(algorithm.name);
  for (const placement::Algorithm &algorithm : placement::algorithms())
    names.emplace_back(algorithm.name);
  return names;
}

/// Where a profile has some of the operators only, what is mixed.
void printMeasured(const Arguments &arguments,
                   const pipeline::CompileStats &stats) {
  const auto &profile = arguments.compile.profile;
  if (!profile || stats.measured == stats.operators)
    return;
  std::printf("%lld of %lld operators as ", (long long)stats.measured,
              (long long)stats.operators);
  print(profile->file + " has measured them on " + profile->backend +
        ", the others as " +
        (arguments.machine.empty() ? "an H100's description"
                                   : arguments.machine) +
        " says\n");
}

/// The machine, and the limit on each GPU's memory.
Status setMachine(Arguments &arguments) {
  pipeline::CompileOptions &options = arguments.compile;
  if (!arguments.machine.empty()) {
    auto machine = machines::findMachine(arguments.machine);
    if (!machine)
      return machine.takeError();
    if (int64_t(machine->gpus.size()) < options.gpus)
      return Error{"--machine " + machine->name + " has " +
                       std::to_string(machine->gpus.size()) +
                       (machine->gpus.size() == 1 ? " GPU" : " GPUs") +
                       ", fewer than --gpus " + std::to_string(options.gpus),
                   Fault::Usage};
    options.machine = std::move(*machine);
  }
  if (!arguments.profile.empty()) {
    if (arguments.machine.empty() &&
        !placement::isAlgorithm(arguments.algorithm))
      return Error{"--profile: what operators take counts where they are "
                   "placed, or plans compared; give a placement as "
                   "--algorithm, or --machine",
                   Fault::Usage};
    auto profile = machines::readProfileFile(arguments.profile);
    if (!profile)
      return profile.takeError();
    options.profile = std::move(*profile);
  }
  std::vector<int64_t> sizes;
  for (const std::string &text : arguments.memoryPerGpu) {
    auto size = pipeline::parseSize(text);
    if (!size) {
      Error error = size.takeError();
      error.message = "--memory-per-gpu " + error.message;
      return error;
    }
    sizes.push_back(*size);
  }
  if (sizes.empty() && !options.offload.empty() && !options.machine)
    return Error{"--offload: give what there is of memory, by "
                 "--memory-per-gpu or --machine",
                 Fault::Usage};
  if (sizes.empty())
    return {};
  auto limit = pipeline::MemoryLimit::perGpu(sizes, options.gpus);
  if (!limit)
    return limit.takeError();
  options.memory = std::move(*limit);
  return {};
}

/// What placements keep free.
Status checkSpare(const Arguments &arguments) {
  const pipeline::CompileOptions &options = arguments.compile;
  if (options.spare > 0 && !options.isAuto() &&
      !placement::isAlgorithm(arguments.algorithm))
    return Error{"--spare: only placements keep memory free; give one as "
                 "--algorithm",
                 Fault::Usage};
  if (options.spare > 0 && arguments.memoryPerGpu.empty() &&
      arguments.machine.empty())
    return Error{"--spare: give what there is of memory, by --memory-per-gpu "
                 "or --machine",
                 Fault::Usage};
  return {};
}

/// Processors, and then GPUs.
Status setTargets(Arguments &arguments) {
  std::vector<std::string> &targets = arguments.compile.targets;
  for (const std::string &each : targets)
    if (plan::kindOf(each) != plan::TargetKind::Cpu)
      return Error{"--cpu-arch " + each + ": is a GPU; give it as --cuda-arch",
                   Fault::Usage};
  std::vector<std::string> gpus = arguments.cudaArch;
  if (gpus.empty())
    gpus = {"sm_80", "sm_90"};
  else if (gpus == std::vector<std::string>{"none"})
    gpus.clear();
  for (const std::string &each : gpus)
    if (!plan::capabilityOf(each))
      return Error{"--cuda-arch " + each +
                       ": is no compute capability, such as sm_80; of no GPU "
                       "is \"none\", alone",
                   Fault::Usage};
  targets.insert(targets.end(), gpus.begin(), gpus.end());
  for (auto each = targets.begin(); each != targets.end(); ++each)
    if (std::count(targets.begin(), each, *each)) {
      const bool isCpu = plan::kindOf(*each) == plan::TargetKind::Cpu;
      return Error{(isCpu ? "--cpu-arch " : "--cuda-arch ") + *each +
                       " is given twice",
                   Fault::Usage};
    }
  return {};
}

/// Why this plan, where there were several.
void printChoice(const pipeline::CompileStats &stats, const plan::Plan &plan) {
  const long long tried = stats.plansTried, fitting = stats.plansThatFit;
  if (!plan.machine) {
    if (tried > 1)
      std::printf("of %lld plans %lld keep --memory-per-gpu; least moves that "
                  "of %s\n",
                  tried, fitting, stats.taken.c_str());
    return;
  }
  std::printf("%.3g ms per step predicted on %s; of %lld plans %lld fit; "
              "fastest is that of %s\n",
              stats.stepSeconds.value_or(0) * 1000, plan.machine->name.c_str(),
              tried, fitting, stats.taken.c_str());
  for (const plan::LinkLevel &level : plan.machine->links)
    std::printf("among %lld GPUs, at %sB/s each: %s\n", (long long)level.gpus,
                plan::humanCount(level.bytesPerSecond).c_str(),
                plan::humanBytes(level.bytes).c_str());
}

int run(Arguments &arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  if (arguments.emit.empty())
    if (Status target = plan::checkTarget(arguments.output); !target)
      return report(target.error());
  if (Status bound = bind(arguments.import); !bound)
    return report(bound.error());
  if (Status set = setMachine(arguments); !set)
    return report(set.error());
  auto cache = openKernelCache(arguments.kernelCache);
  if (!cache)
    return report(cache.error());
  arguments.compile.kernelCache = *cache;
  arguments.import.options.training = arguments.training.train;
  arguments.import.options.frozen = arguments.training.options.freeze;
  auto model = frontend::importModel(arguments.model, arguments.import.options);
  if (!model)
    return report(model.error());
  if (Status set = setGraphPartition(arguments.graphPartition, *model,
                                     arguments.compile);
      !set)
    return report(set.error());
  if (arguments.training.train)
    arguments.compile.training = arguments.training.options;
  if (!arguments.emit.empty()) {
    auto text = pipeline::emitStage(*model, arguments.compile,
                                    *pipeline::parseStage(arguments.emit));
    if (!text)
      return report(text.error());
    print(*text);
    return 0;
  }

  auto hashing = std::async(std::launch::async, hashFiles, model->files);
  auto compiled = pipeline::compile(*model, arguments.compile);
  if (!compiled)
    return report(compiled.error());
  if (const auto note = graphPartitionNote(*model, arguments.compile);
      !note.empty())
    std::cerr << "smexc: note: " + note + "\n";
  plan::Plan &plan = compiled->plan;
  auto hash = hashing.get();
  if (!hash)
    return report(hash.error());
  plan.modelSha256 = *hash;
  const double compileSeconds = seconds();

  plan::layoutWeights(plan.partitioned);
  const emit::Weights weights(*model, compiled->derived);
  const Status saved =
      plan::save(plan, arguments.output, [&](int parameter, const Box &box) {
        return weights.read(plan.partitioned.program.parameters[parameter].name,
                            box);
      });
  if (!saved)
    return report(saved.error());
  if (!arguments.stats.empty()) {
    nlohmann::json stats = {
        {"operators", compiled->stats.operators},
        {"lambdas", compiled->stats.lambdas},
        {"search_seconds", compiled->stats.searchSeconds},
        {"plans_tried", compiled->stats.plansTried},
        {"codegen_seconds", compiled->stats.codegenSeconds},
        {"compile_seconds", compileSeconds},
        {"total_seconds", seconds()},
    };
    if (*cache)
      stats["kernel_cache"] = {{"found", (*cache)->found()},
                               {"missed", (*cache)->missed()}};
    if (compiled->stats.compared.size() > 1)
      stats["plans"] = comparedJson(compiled->stats);
    if (compiled->stats.stepSeconds)
      stats["predicted_step_seconds"] = *compiled->stats.stepSeconds;
    if (Status s = writeFile(arguments.stats, plan::canonicalJson(stats)); !s)
      return report(s.error());
  }
  int64_t peak = 0;
  for (int64_t bytes : plan.peakBytes)
    peak = std::max(peak, bytes);
  print(plan.modelName);
  std::printf(": %lld operators for %lld GPUs in %.2f s\n"
              "communication %s per run (lower bound %s), peak %s per GPU\n",
              (long long)compiled->stats.operators,
              (long long)arguments.compile.gpus, seconds(),
              plan::humanBytes(plan.communicationBytes).c_str(),
              plan::humanBytes(plan.search.lowerBoundBytes).c_str(),
              plan::humanBytes(peak).c_str());
  printMeasured(arguments, compiled->stats);
  if (!plan.hostTraffic.isNone())
    std::printf("moves %s per run%s\n",
                plan::toString(plan.hostTraffic).c_str(),
                plan::hostGap(plan).c_str());
  if (plan.search.recomputing)
    std::printf("recomputes %s\n", plan::recomputed(plan).c_str());
  printChoice(compiled->stats, plan);
  if (arguments.compile.isAuto())
    printCompared(compiled->stats);
  print("plan written to " + arguments.output + "\n");
  return 0;
}

} // namespace

int smex::tools::compileCommand(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("smexc: splits a neural network over the GPUs of a machine.\n"
               "Also: smexc " +
               subcommandNames("|") + " --help");
  app.set_version_flag("--version", versionText);
  app.add_option("MODEL", arguments.model, "the model, .onnx or .json")
      ->required();
  app.add_option("--gpus", arguments.compile.gpus, "number of GPUs")
      ->required()
      ->check(CLI::Range(int64_t(1), int64_t(1024)));
  app.add_option("-o,--output", arguments.output,
                 "folder of the plan; replaced only as a whole");
  declareImport(app, arguments.import);
  declareTraining(app, arguments.training);
  std::string known;
  for (const std::string &preset : machines::presets())
    known += (known.empty() ? "" : ", ") + preset;
  app.add_option("--memory-per-gpu", arguments.memoryPerGpu,
                 "SIZE, such as 12GiB: a limit that the plan must keep; other "
                 "searches are tried until one does; one for all GPUs, or one "
                 "for each (default: none, or the machine's)")
      ->type_name("SIZE[,SIZE..]")
      ->delimiter(',')
      ->allow_extra_args(false);
  declareSpare(app, arguments.compile.spare);
  app.add_flag("--offload{both}", arguments.compile.offload,
               "where the limit on memory is not kept otherwise, what is read "
               "much later waits in the host's memory or is computed again, "
               "which takes less time; =moves, =recompute: only that")
      ->check(CLI::IsMember({"both", "moves", "recompute"}));
  app.add_option("--machine", arguments.machine,
                 "what the plan is for, a .json file or one of " + known +
                     ": of several plans that fit, the one that is fastest "
                     "there")
      ->check(isNotEmpty());
  app.add_option("--algorithm", arguments.algorithm,
                 "how to partition, or to place whole operators; auto, with "
                 "--machine: the fastest of both and of mixtures (default: "
                 "recursive)")
      ->check(CLI::IsMember(algorithmNames()));
  app.add_option("--graph-partition", arguments.graphPartition,
                 "where the vertices of --graph are divided: equal-vertices, "
                 "equal-edges, greedy-edge-cap, or by a cost model that "
                 "smex-run --cost-model FILE.json has fitted (default: "
                 "vertices and edges evenly, each for itself)");
  app.add_option(
      "--profile", arguments.profile,
      "FILE.json that smex-run --profile wrote: what operators take, "
      "for placing them, and for comparing plans for --machine (default: what "
      "the machine's description, or that of an H100, says)");
  declareGroups(app, arguments.groups);
  app.add_flag("--reproducible", arguments.compile.reproducible,
               "the same bits for any number of GPUs: no sum is split, no "
               "library kernels; slower");
  app.add_option("--cpu-arch", arguments.compile.targets,
                 "target of generated CPU code, as LLVM names processors "
                 "(default: x86-64-v3); of several, smex-run takes the one "
                 "that makes the most of its machine")
      ->type_name("NAME,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--cuda-arch", arguments.cudaArch,
                 "GPUs to generate code for, by their compute capability, such "
                 "as sm_80, which also runs on all later ones (default: "
                 "sm_80,sm_90: all GPUs since Ampere, and Hopper); of several, "
                 "smex-run takes the newest that its GPU runs; none: no code "
                 "for GPUs")
      ->type_name("NAME,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  declareKernelCache(app, arguments.kernelCache);
  app.add_option("--stats", arguments.stats,
                 "FILE.json: times and counts of this compilation");
  app.add_option("--emit", arguments.emit,
                 "prints that stage's IR, or the search problem, and stops")
      ->check(CLI::IsMember({"semantic", "decisions", "problem", "exec"}));
  app.add_flag("--fuse,!--no-fuse", arguments.compile.fuse,
               "composes operators into one another (default); without, each "
               "is placed and run alone, as frameworks do");
  app.add_option("--recompute-messages", arguments.compile.recomputeMessages,
                 "what edges make of their nodes, such as an attention's "
                 "coefficients, is computed by each operator that reads it, "
                 "and takes no memory: where it is at least twice as large as "
                 "what it is made of (large, the default), always, which is "
                 "slower where edges are few, or never; only where operators "
                 "are composed; --reproducible: always, or never")
      ->check(CLI::IsMember({"large", "always", "never"}));
  app.add_option("--pad-products", arguments.compile.padding,
                 "pads rows of f16 and bf16 to 16 bytes in large products "
                 "(default), all or none; only where operators are composed")
      ->check(CLI::IsMember({"large", "all", "none"}));
  app.add_flag("--verify-each,!--no-verify-each", arguments.compile.verifyEach,
               "verifies the IR after each pass (default)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  if (!arguments.algorithm.empty())
    arguments.compile.search.emplace().algorithm = arguments.algorithm;
  if (Status set = setGroups(arguments.groups, arguments.compile); !set)
    return report(set.error());
  if (Status set = checkSpare(arguments); !set)
    return report(set.error());
  arguments.import.options.ownAlgorithm = wantsOwnAlgorithm(app);
  if (arguments.output.empty() && arguments.emit.empty())
    return report({"give the plan's folder: -o DIR", Fault::Usage});
  if (Status set = setTargets(arguments); !set)
    return report(set.error());
  return run(arguments);
}
