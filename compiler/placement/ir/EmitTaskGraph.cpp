#include "compiler/placement/MachineDevices.h"
#include "compiler/placement/TaskGraphJson.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/placement/ir/TasksOf.h"

#include <algorithm>
#include <unordered_set>

using namespace mlir;
using namespace smex;
using namespace smex::placement;

namespace {

/// Names of which no two are alike: what makes a parameter's next value has the
/// parameter's name, and gets a number.
void nameApart(TaskGraph &graph) {
  std::unordered_set<std::string> taken;
  for (Task &task : graph.tasks) {
    const std::string name = task.name.empty() ? "task" : task.name;
    task.name = name;
    for (int number = 2; !taken.insert(task.name).second; ++number)
      task.name = name + " " + std::to_string(number);
  }
}

} // namespace

Result<std::string>
placement::emitTaskGraph(ModuleOp module, const Site &site, int64_t gpus,
                         std::optional<int64_t> memoryBytes) {
  // One GPU has no links: its tasks may be placed on two all the same.
  const int64_t linked = std::min<int64_t>(std::max<int64_t>(gpus, 2),
                                           int64_t(site.machine.gpus.size()));
  auto devices = devicesOf(site.machine, int(linked));
  if (!devices)
    return devices.takeError();
  devices->memoryBytes = memoryBytes;
  const partition::GraphOfModule input =
      partition::graphOf(semantic::mainFunction(module));
  Tasks tasks =
      tasksOf(input, tdl::LambdaTable(module), site.machine.deviceOf(0),
              site.profile ? &*site.profile : nullptr);
  for (size_t o = 0; o < input.graph.operators.size(); ++o)
    tasks.graph.tasks[size_t(tasks.ofOperator[o])].name =
        input.graph.tensors[size_t(input.graph.operators[o].result)].name;
  nameApart(tasks.graph);
  if (Status valid = validate(tasks.graph); !valid)
    return valid.takeError();
  return writeTaskGraph(tasks.graph, *devices);
}
