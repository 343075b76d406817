// What a worker does in a step, and what each of it waits for.
#ifndef SMEX_RUNTIME_EXECUTOR_TASKS_H
#define SMEX_RUNTIME_EXECUTOR_TASKS_H

#include "runtime/plan/Plan.h"
#include "runtime/transports/Transport.h"

namespace smex::runtime {

struct Task {
  int instruction = 0;
  /// What must have happened on other queues, in the step at hand: at most one
  /// event per queue, the last one that is waited for.
  std::vector<Event> after;
  Event done;
};

/// The instructions that a worker does, in the order of the list, in a first
/// step.
std::vector<Task> tasksOf(const plan::Partitioned &partitioned, int worker);

/// The same of the next step: events count on from step to step.
void advance(std::vector<Task> &tasks, const plan::Program &program);

} // namespace smex::runtime

#endif
