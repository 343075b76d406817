// smexc simulate: what a plan takes on a machine.
#include "compiler/simulate/Report.h"
#include "dialects/support/File.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/StoredLists.h"
#include "tools/smexc/Command.h"

using namespace smex;
using namespace smex::tools;

int smex::tools::simulateCommand(int argc, char **argv) {
  std::string directory, machineName, jsonFile, traceFile;
  simulate::Options options;
  CLI::App app("predicted time line, memory and traffic of a plan",
               "smexc simulate");
  std::string known;
  for (const std::string &preset : machines::presets())
    known += (known.empty() ? "" : ", ") + preset;
  app.add_option("DIR", directory, "folder of the plan")->required();
  app.add_option("--machine", machineName, "a .json file, or one of " + known)
      ->required();
  app.add_flag("--skip-copies", options.skipCopies,
               "copies between GPUs take no time: computing alone");
  app.add_flag("--in-order", options.inOrder,
               "each GPU computes and transfers in turns, in the order of the "
               "plan's list: nothing is hidden");
  app.add_option("--json", jsonFile, "writes the result for programs");
  app.add_option("--trace", traceFile, "writes the time line, as Chrome trace");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  const auto machine = machines::findMachine(machineName);
  if (!machine)
    return report(machine.error());
  const auto plan = plan::load(directory, {/*verifyWeights=*/false});
  if (!plan)
    return report(plan.error());
  auto lists =
      plan::storedLists(plan->partitioned, directory,
                        plan::tensorsInGuards(plan->partitioned.program));
  if (!lists)
    return report(lists.error());
  options.lists = std::move(*lists);
  const auto simulation =
      simulate::simulate(plan->partitioned, *machine, options);
  if (!simulation)
    return report(fail(directory, ": ", simulation.error().message));
  if (!jsonFile.empty())
    if (const Status written =
            writeFile(jsonFile, simulate::json(*simulation, *machine, options));
        !written)
      return report(written.error());
  if (!traceFile.empty())
    if (const Status written = writeFile(
            traceFile, simulate::trace(*simulation, plan->partitioned.program));
        !written)
      return report(written.error());
  print(simulate::text(*simulation, *machine, options));
  return 0;
}
