#include "runtime/executor/Tasks.h"

#include "runtime/plan/Regions.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
/// A queue is in order: the later event implies the earlier one.
void add(std::vector<Event> &events, const Event &event) {
  for (Event &known : events)
    if (known.worker == event.worker && known.queue == event.queue) {
      known.count = std::max(known.count, event.count);
      return;
    }
  events.push_back(event);
}
} // namespace

std::vector<Task> runtime::tasksOf(const plan::Partitioned &partitioned,
                                   int worker) {
  const plan::Program &program = partitioned.program;
  const auto completed = [&](int who, int instruction) {
    const plan::Opcode op = program.instructions[size_t(instruction)].op;
    return Event{who, int(plan::queueOf(op)), instruction + 1};
  };
  std::vector<Task> tasks;
  for (int i = 0; i < int(program.instructions.size()); ++i) {
    if (!plan::written(partitioned, worker, i))
      continue;
    Task &task = tasks.emplace_back();
    task.instruction = i;
    task.done = completed(worker, i);
    for (const Wait wait : program.instructions[size_t(i)].waits)
      for (int other : groupOf(program.ways, worker, wait.steps)) {
        const Event event = completed(other, wait.instruction);
        const bool isOwnQueue =
            other == worker && event.queue == task.done.queue;
        if (!isOwnQueue && plan::written(partitioned, other, wait.instruction))
          add(task.after, event);
      }
  }
  return tasks;
}

void runtime::advance(std::vector<Task> &tasks, const plan::Program &program) {
  const int64_t count = int64_t(program.instructions.size());
  for (Task &task : tasks) {
    task.done.count += count;
    for (Event &event : task.after)
      event.count += count;
  }
}
