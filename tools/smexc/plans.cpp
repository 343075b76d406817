// smexc inspect, check and diff: what looks at plans.
#include "compiler/pipeline/Pipeline.h"
#include "dialects/support/Text.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/CheckWeights.h"
#include "runtime/plan/Diff.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "tools/smexc/Command.h"
#include "tools/smexc/Import.h"
#include "tools/smexc/KernelCache.h"

using namespace smex;
using namespace smex::tools;

namespace {
/// Parses; the exit status if that is all there is to do.
std::optional<int> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  return std::nullopt;
}

void printLines(const std::string &text) {
  print(text);
  if (text.empty() || text.back() != '\n')
    print("\n");
}
} // namespace

int smex::tools::inspectCommand(int argc, char **argv) {
  std::string directory;
  int gpu = -1;
  plan::InspectOptions options;
  CLI::App app("what is in a plan", "smexc inspect");
  app.add_option("DIR", directory, "folder of the plan")->required();
  app.add_option("--gpu", gpu, "lists the program of this GPU");
  bool json = false;
  app.add_flag("--json", json,
               "lists the programs of all GPUs, or of one, as JSON: with the "
               "regions, pieces and waits that follow from how tensors are "
               "divided");
  app.add_option("--tensors", options.tensors,
                 "how many of the largest tensors");
  app.add_option("--nodes", options.nodes, "how many of the busiest nodes");
  if (const auto status = parse(app, argc, argv))
    return *status;
  const auto plan = plan::load(directory, {/*verifyWeights=*/false});
  if (!plan)
    return report(plan.error());
  const int gpus = int(plan->partitioned.workers.size());
  const bool isOne = app.count("--gpu") > 0;
  if (isOne && (gpu < 0 || gpu >= gpus))
    return report(fail("--gpu ", gpu, ": the plan has GPUs 0 to ", gpus - 1));
  if (json) {
    plan::Json all = plan::Json::array();
    for (int w = isOne ? gpu : 0; w < (isOne ? gpu + 1 : gpus); ++w)
      all.push_back(plan::expanded(plan->partitioned, w));
    printLines(plan::canonicalJson(isOne ? all.front() : all));
    return 0;
  }
  printLines(isOne ? plan::listing(plan->partitioned, gpu)
                   : plan::inspect(*plan, options));
  return 0;
}

/// Of the files that importing the model reads.
static Result<std::string> hashOf(const std::string &model,
                                  const frontend::ImportOptions &options) {
  const auto imported = frontend::importModel(model, options);
  if (!imported)
    return imported.error();
  return hashFiles(imported->files);
}

int smex::tools::checkCommand(int argc, char **argv) {
  std::string directory, model, kernelCache;
  ImportArguments import;
  CLI::App app("prove a plan sound, without running it", "smexc check");
  app.add_option("DIR", directory, "folder of the plan")->required();
  app.add_option("--model", model,
                 "the model that the plan was made of: its hash is compared "
                 "with the plan's; give the options that say what else the "
                 "model consists of as for compiling");
  declareKernelCache(app, kernelCache);
  declareImport(app, import);
  if (const auto status = parse(app, argc, argv))
    return *status;
  const auto cache = openKernelCache(kernelCache);
  if (!cache)
    return report(cache.error());
  if (Status bound = bind(import); !bound)
    return report(bound.error());
  const auto plan = plan::load(directory);
  if (!plan)
    return report(plan.error());
  plan::CheckOptions options;
  options.regenerateKernels = pipeline::regenerateTogether(*cache);
  auto findings = plan::checkFolder(*plan, directory, options);
  if (!model.empty()) {
    const auto hash = hashOf(model, import.options);
    if (!hash)
      return report(hash.error());
    if (*hash != plan->modelSha256)
      findings.push_back({plan::FindingKind::Interface,
                          "plan.json: model.sha256: is " + plan->modelSha256 +
                              ", the files of " + model + " have " + *hash});
  }
  for (const plan::Finding &finding : findings)
    report(fail(directory, ": ", name(finding.kind), ": ",
                cleanedLine(finding.message)));
  if (!findings.empty())
    return int(Fault::Difference);
  printLines(directory + ": sound");
  return 0;
}

int smex::tools::diffCommand(int argc, char **argv) {
  std::string before, after;
  plan::DiffOptions options;
  CLI::App app("what changed between two plans, and what it costs",
               "smexc diff");
  app.add_option("BEFORE", before, "folder of a plan")->required();
  app.add_option("AFTER", after, "folder of another")->required();
  app.add_option("--limit", options.limit, "entries of each list");
  if (const auto status = parse(app, argc, argv))
    return *status;
  const auto first = plan::load(before, {/*verifyWeights=*/false});
  if (!first)
    return report(first.error());
  const auto second = plan::load(after, {/*verifyWeights=*/false});
  if (!second)
    return report(second.error());
  const plan::Difference difference = plan::diff(*first, *second, options);
  printLines(difference.text);
  return difference.same ? 0 : int(Fault::Difference);
}
